// Memory as the Tern sees it: physical, and through page tables.
//
// Three caches can go stale: of translations, valid or not, of blocks, and of the leaf tables of
// walks. Only a flush empties them.
#pragma once

#include <cstdint>
#include <deque>

#include "conformance/drivers/tern/device/tern_hw.h"
#include "conformance/sdk/device.h"

namespace tern {

/// A record of the log: WddmDeviceEvent, as far as this device says anything.
struct Record {
  std::uint32_t kind = 0;
  std::uint32_t fence = 0;
  std::uint64_t address = 0;
  std::uint32_t length = 0;
  std::uint64_t entry_address = 0;
  bool entry_system = false;
  std::uint32_t level = 0;
  bool write = false;
  std::uint32_t space = 0;
};
using Log = std::deque<Record>;

/// Video memory at TERN_LOCAL_BASE, and system memory over the bus.
class PhysicalMemory {
 public:
  PhysicalMemory(const WddmDeviceHost& host, std::uint8_t* local, Log& log)
      : host_(host), local_(local), log_(log) {}

  void read(bool system, std::uint64_t address, void* bytes, std::uint32_t count);
  void write(bool system, std::uint64_t address, const void* bytes, std::uint32_t count);
  [[nodiscard]] const std::uint8_t* local() const { return local_; }

 private:
  [[nodiscard]] bool inside(std::uint64_t address, std::uint32_t count);

  const WddmDeviceHost& host_;
  std::uint8_t* local_;
  Log& log_;
};

/// Whose access it is.
struct Space {
  std::uint64_t root = 0;  // with TERN_SYSTEM
  std::uint32_t root_entries = 0;
  std::uint32_t number = 0;
  std::uint32_t fence = 0;  // for the log
};

struct Fault {
  std::uint64_t va = 0;
  std::uint32_t level = 0;
  bool write = false;
  bool command = false;  // the command makes no sense
};

class Mmu {
 public:
  Mmu(PhysicalMemory& memory, Log& log) : memory_(memory), log_(log) {}

  /// Page by page; false at the first that may not be accessed, of which `fault` then tells.
  bool read(const Space& space, std::uint64_t va, void* bytes, std::uint64_t count, Fault& fault);
  bool write(const Space& space, std::uint64_t va, const void* bytes, std::uint64_t count,
             Fault& fault);
  /// Of space 0: of all.
  void flush(std::uint32_t space, std::uint64_t first, std::uint64_t last);

 private:
  struct Translation {
    std::uint32_t space = 0;  // 0: none
    std::uint64_t page = 0;
    std::uint64_t entry = 0;  // as it lies in memory, at `level`
    std::uint32_t level = 0;
  };
  struct Block {
    std::uint32_t space = 0;
    std::uint64_t number = 0;  // of its first page, without the low bits
    std::uint64_t entry = 0;   // of all its pages, but for the low bits of the frame number
    std::uint32_t pages = 0;   // bit n: page n has it
  };
  struct LeafTable {
    std::uint32_t space = 0;
    std::uint64_t region = 0;
    std::uint64_t entry = 0;  // of level 1, valid
  };

  [[nodiscard]] Translation look_up(const Space& space, std::uint64_t page, bool write);
  [[nodiscard]] Translation walk(const Space& space, std::uint64_t page, bool write);
  [[nodiscard]] Block& block_of(const Space& space, std::uint64_t page);
  void keep_block(const Space& space, const Translation& found, std::uint64_t at, bool system);
  [[nodiscard]] bool allowed(const Space& space, const Translation& found, std::uint64_t va,
                             bool write, Fault& fault);

  PhysicalMemory& memory_;
  Log& log_;
  Translation translations_[16];
  Block blocks_[4];
  LeafTable leaves_[4];
};

}  // namespace tern
