// The entries that one engine keeps of the page tables that it walked.
//
// Models hw.h, "Page tables". Entries of all levels share one ring of HW_TLB_ENTRIES places; a new
// one takes the place of the oldest. Nothing but flush() makes an entry go that memory no longer
// has: that is what it is for.
#pragma once

#include <array>
#include <cstdint>

#include "conformance/drivers/reference/device/hw.h"

namespace wddm::reference_device {

/// An entry as it was read; the second half only at level 1 with HW_MMU_DUAL.
using TableEntry = std::array<std::uint64_t, 2>;

/// Which entry: of these tables, of this level, for the addresses with this prefix.
struct TlbKey {
  std::uint64_t root = 0;
  std::uint32_t space = 0;
  std::uint32_t level = 0;
  std::uint32_t shift =
      0;  // bits of the address below the prefix: tells 4 KB and 64 KB leaves apart
  std::uint64_t prefix = 0;
  friend bool operator==(const TlbKey&, const TlbKey&) = default;
};

class Tlb {
 public:
  /// Null if there is none.
  [[nodiscard]] const TableEntry* find(const TlbKey& key) const {
    for (const Kept& kept : kept_) {
      if (kept.used && kept.key == key) return &kept.entry;
    }
    return nullptr;
  }
  void keep(const TlbKey& key, const TableEntry& entry) {
    kept_[next_] = {true, key, entry};
    next_ = (next_ + 1) % kept_.size();
  }
  /// Forgets what serves some address of [first, last] in `space`; 0 = in all.
  void flush(std::uint32_t space, std::uint64_t first, std::uint64_t last) {
    for (Kept& kept : kept_) {
      if (space != 0 && kept.key.space != space) continue;
      const std::uint64_t start = kept.key.prefix << kept.key.shift;
      const std::uint64_t end = start + ((std::uint64_t{1} << kept.key.shift) - 1);
      if (start <= last && end >= first) kept.used = false;
    }
  }

 private:
  struct Kept {
    bool used = false;
    TlbKey key;
    TableEntry entry{};
  };
  std::array<Kept, HW_TLB_ENTRIES> kept_{};
  std::size_t next_ = 0;
};

}  // namespace wddm::reference_device
