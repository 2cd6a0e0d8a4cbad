// How an engine finds memory behind a virtual address: walks of page tables, and the TLB.
//
// Models hw.h, "Page tables". The tables are those in memory, read entry by entry; nothing is known
// of how they came there. Each entry read is a WDDM_DEVICE_WALK in the log. Leaves out: accessed
// and dirty bits, caches of memory, time.
#pragma once

#include <array>
#include <cstdint>
#include <memory>

#include "conformance/drivers/reference/device/event_log.h"
#include "conformance/drivers/reference/device/hw.h"
#include "conformance/drivers/reference/device/memory_port.h"
#include "conformance/drivers/reference/device/mmu_tlb.h"

namespace wddm::reference_device {

/// The shape of page tables, programmed by registers; both engines have the same.
class MmuGeometry {
 public:
  [[nodiscard]] std::uint32_t levels() const { return levels_; }
  [[nodiscard]] std::uint32_t flags() const { return flags_; }
  [[nodiscard]] std::uint32_t index_bits(std::uint32_t level) const { return index_bits_[level]; }
  [[nodiscard]] bool dual() const { return (flags_ & HW_MMU_DUAL) != 0; }
  /// Bits of an address below the index of `level`.
  [[nodiscard]] std::uint32_t shift(std::uint32_t level) const;
  /// Index of an entry for `address` in a table of `level`.
  [[nodiscard]] std::uint64_t index(std::uint32_t level, std::uint64_t address) const;

  /// Bus address of the linked GPU's video memory.
  [[nodiscard]] std::uint64_t peer_base() const { return peer_base_; }
  void set_peer_base_half(bool upper, std::uint32_t value) {
    peer_base_ = upper ? (peer_base_ & 0xffffffffull) | std::uint64_t{value} << 32
                       : (peer_base_ & ~0xffffffffull) | value;
  }

  // What is out of range becomes the nearest limit.
  void set_levels(std::uint32_t value);
  void set_flags(std::uint32_t value) { flags_ = value; }
  void set_index_bits(std::uint32_t level, std::uint32_t value);
  /// As after power-on.
  void forget() { *this = {}; }

 private:
  std::uint32_t levels_ = 2;
  std::uint32_t flags_ = 0;
  std::uint64_t peer_base_ = 0;
  std::array<std::uint32_t, HW_MMU_MAX_LEVELS> index_bits_{9, 9, 9, 9, 9};
};

enum class Access : std::uint8_t {
  Read = HW_ACCESS_READ,
  Write = HW_ACCESS_WRITE,
  Fetch = HW_ACCESS_FETCH
};

/// Which leaf tables an access goes through; what is mapped above the leaves is found either way.
enum class Leaves : std::uint8_t { Any, Of4K, Of64K };

/// The tables that an engine uses, and for which packet.
struct AddressSpace {
  std::uint64_t root = 0;  // HW_ROOT_* and address
  std::uint32_t root_entries = 0;
  std::uint32_t id = 0;
  std::uint32_t tag = 0;  // fence of the packet
};

/// Memory behind a virtual address, up to the end of its page.
struct Translation {
  bool valid = false;
  bool zero = false;  // there is no memory: reads give zeros
  Space space = Space::Gpu;
  std::uint64_t address = 0;
  std::uint64_t bytes = 0;  // that follow each other there
  // If it isn't valid: where the walk ended.
  std::uint32_t fault_level = 0;
};

class Mmu {
 public:
  Mmu(std::uint32_t node, MemoryPort& memory, const MmuGeometry& geometry, EventLog& log)
      : node_(node), memory_(memory), geometry_(geometry), log_(log) {}
  virtual ~Mmu() = default;
  Mmu(const Mmu&) = delete;
  Mmu& operator=(const Mmu&) = delete;

  virtual void use(const AddressSpace& space) { space_ = space; }
  [[nodiscard]] const AddressSpace& space() const { return space_; }
  [[nodiscard]] virtual Translation translate(std::uint64_t address, Access access, Leaves leaves);
  void flush(std::uint32_t space, std::uint64_t first, std::uint64_t last) {
    tlb_.flush(space, first, last);
  }

 protected:
  // A table, or a page.
  struct Place {
    Space space;
    std::uint64_t address;
  };
  [[nodiscard]] const MmuGeometry& geometry() const { return geometry_; }
  /// Which entry of a table of `level` stands for `address`.
  [[nodiscard]] virtual std::uint64_t index_of(std::uint32_t level, std::uint64_t address) const {
    return geometry_.index(level, address);
  }
  [[nodiscard]] virtual TableEntry entry_of(const Place& table, std::uint32_t level,
                                            std::uint32_t shift, std::uint64_t address,
                                            Access access);

 private:
  // The entry that ends a walk. `entry` is 0 if the index lies beyond the root.
  struct End {
    std::uint64_t entry;
    std::uint32_t level;
    std::uint32_t shift;  // bits of the address that it doesn't translate
  };

  [[nodiscard]] End walk(std::uint64_t address, Access access, Leaves leaves);
  [[nodiscard]] End walk_leaves(std::uint64_t address, const TableEntry& above, Access access,
                                Leaves leaves);
  [[nodiscard]] const TableEntry* kept(std::uint32_t level, std::uint32_t shift,
                                       std::uint64_t address) const;
  [[nodiscard]] TlbKey key_of(std::uint32_t level, std::uint32_t shift,
                              std::uint64_t address) const;
  [[nodiscard]] Place place_of(std::uint64_t entry) const;

  const std::uint32_t node_;
  MemoryPort& memory_;
  const MmuGeometry& geometry_;
  EventLog& log_;
  AddressSpace space_;
  Tlb tlb_;
};

/// The MMU of one engine. mmu_factory.cpp makes the conforming one; the faulty device links another
/// implementation (variants/faulty_mmu_factory.cpp) to the same objects.
[[nodiscard]] std::unique_ptr<Mmu> make_mmu(std::uint32_t node, MemoryPort& memory,
                                            const MmuGeometry& geometry, EventLog& log);

/// The MMUs of all engines: a flush reaches each of them.
class MmuUnit {
 public:
  MmuUnit(MemoryPort& memory, EventLog& log)
      : mmus_{make_mmu(HW_NODE_RENDER, memory, geometry_, log),
              make_mmu(HW_NODE_COPY, memory, geometry_, log)} {}

  [[nodiscard]] Mmu& of(std::uint32_t node) { return *mmus_[node]; }
  [[nodiscard]] MmuGeometry& geometry() { return geometry_; }
  [[nodiscard]] const MmuGeometry& geometry() const { return geometry_; }
  void flush(std::uint32_t space, std::uint64_t first, std::uint64_t last) {
    for (const std::unique_ptr<Mmu>& mmu : mmus_) mmu->flush(space, first, last);
  }
  void flush_all() { flush(0, 0, ~0ull); }

 private:
  MmuGeometry geometry_;
  std::array<std::unique_ptr<Mmu>, HW_NODE_COUNT> mmus_;
};

}  // namespace wddm::reference_device
