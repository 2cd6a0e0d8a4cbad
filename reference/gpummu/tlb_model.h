// What a TLB may still remember: entries that were replaced in memory, until a flush covers them.
//
// Sources: DXGK_BUILDPAGINGBUFFER_FLUSHTLB, DXGK_GPUMMUCAPS.InvalidTlbEntriesNotCached; clauses
// MMU-002, VPAGE-004, VPAGE-006, PT-016. A GPU may have cached any entry of any level that it could
// read, at any time, and may drop it at any time. So at each level the walk may take the entry that
// is in memory, or one that was there since the last flush of the address. One object for each
// address space and GPU: translations of one are never used for another (VA-001, LDA-005).
// Leaves out sizes and ways of caches, and a root that was replaced: the flush that follows it
// names the new one (ROOT-010).
#pragma once

#include <algorithm>
#include <cstdint>
#include <vector>

#include "reference/gpummu/geometry.h"
#include "reference/gpummu/pte.h"
#include "reference/gpummu/walk.h"

namespace wddm::gpummu {

class Tlb {
 public:
  /// Which entries are remembered: InvalidTlbEntriesNotCached of the GPU.
  enum class Invalid : std::uint8_t { Cached, NotCached };
  explicit Tlb(Invalid invalid) : invalid_(invalid) {}

  /// Which entry of a level it was; the 64 KB pointer of dual PTEs stands beside the other.
  enum class Slot : std::uint8_t { Entry4K, Entry64K };

  /// `before` was in memory, and is now replaced by `now`. `range` is what the entry covers; in a
  /// leaf, `slot` is the leaf's page size, at level 1 with dual PTEs it is which pointer.
  void replace(const VaRange& range, std::uint32_t level, Slot slot, const Entry& before,
               const Entry& now);
  /// Nothing older is used for these addresses any more.
  void flush(const VaRange& range);
  void flush_all() { stale_.clear(); }

  /// Every walk gives what memory says.
  [[nodiscard]] bool is_coherent() const { return stale_.empty(); }

  /// Everything that an access may give, without repetition; the walk of memory comes first. Costs
  /// by the number of replaced entries that no flush has reached yet.
  template <Tables T>
  [[nodiscard]] std::vector<Translation> allowed(const Geometry& geometry, const T& tables,
                                                 GpuVirtualAddress va, Access access) const {
    std::vector<Translation> results{walk(geometry, tables, va, access)};
    const std::uint32_t root = geometry.root_level();
    if (stale_.empty() || !geometry.contains(va)) return results;
    if (geometry.index(root, va) >= tables.root_entries()) return results;
    Search<T>{*this, geometry, tables, va, access}.below(tables.root(), root, results);
    return results;
  }

 private:
  struct Stale {
    VaRange range;
    std::uint32_t level = 0;
    Slot slot{};
    Entry entry;
  };
  using Results = std::vector<Translation>;

  static void add(Results& results, const Translation& result) {
    if (std::find(results.begin(), results.end(), result) == results.end()) {
      results.push_back(result);
    }
  }

  /// The walk of walk.h, but with every entry that may be met at each step.
  template <Tables T>
  struct Search {
    const Tlb& tlb;
    const Geometry& geometry;
    const T& tables;
    GpuVirtualAddress va;
    Access access;

    /// `memory` and what it may have replaced.
    [[nodiscard]] std::vector<Entry> met(std::uint32_t level, Slot slot,
                                         const Entry* memory) const {
      std::vector<Entry> entries;
      if (memory != nullptr) entries.push_back(*memory);
      for (const Stale& each : tlb.stale_) {
        if (each.level == level && each.slot == slot && each.range.contains(va)) {
          entries.push_back(each.entry);
        }
      }
      return entries;
    }

    void below(typename T::Table table, std::uint32_t level, Results& results) const {
      const std::uint32_t index = geometry.index(level, va);
      const Entry* memory = tables.read(table, level, PageTablePageSize::Page4K, index);
      if (memory == nullptr) add(results, walking::unspecified(level));
      if (level == 1 && geometry.dual_pte()) return dual(table, index, memory, results);
      for (const Entry& entry : met(level, Slot::Entry4K, memory)) {
        if (!is_pointer(entry, level)) {
          add(results, walking::end(entry, level, geometry.entry_bytes(level), va, access));
        } else if (level == 1) {
          leaf(tables.below(entry), entry.page_table_page_size, results);
        } else {
          below(tables.below(entry), level - 1, results);
        }
      }
    }

    void leaf(typename T::Table table, PageTablePageSize page_size, Results& results) const {
      const bool is_64kb = page_size == PageTablePageSize::Page64K;
      const std::uint32_t index = is_64kb ? geometry.index_64kb(va) : geometry.index(0, va);
      const Entry* memory = tables.read(table, 0, page_size, index);
      if (memory == nullptr) add(results, walking::unspecified(0));
      const Slot slot = is_64kb ? Slot::Entry64K : Slot::Entry4K;
      for (const Entry& entry : met(0, slot, memory)) {
        add(results, walking::end(entry, 0, is_64kb ? kPageSize64K : kPageSize, va, access));
      }
    }

    /// Either leaf, by either pointer; a fault only if both may fail.
    void dual(typename T::Table table, std::uint32_t index, const Entry* memory,
              Results& results) const {
      Results small, large;
      for (const Entry& entry : met(1, Slot::Entry4K, memory)) {
        if (is_pointer(entry, 1)) {
          leaf(tables.below(entry), PageTablePageSize::Page4K, small);
        } else {
          add(small, walking::end(entry, 1, geometry.entry_bytes(1), va, access));
        }
      }
      for (const Entry& entry : met(1, Slot::Entry64K, tables.read_64kb_pointer(table, index))) {
        if (entry.valid) {
          leaf(tables.below(entry), PageTablePageSize::Page64K, large);
        } else {
          add(large, walking::fault(FaultReason::InvalidEntry, 1));
        }
      }
      const auto misses = [](const Translation& each) {
        return each.fault == FaultReason::InvalidEntry;
      };
      const bool faults = std::any_of(small.begin(), small.end(), misses) &&
                          std::any_of(large.begin(), large.end(), misses);
      for (const Results* each : {&small, &large}) {
        for (const Translation& result : *each) {
          if (faults || !misses(result)) add(results, result);
        }
      }
    }
  };

  Invalid invalid_;
  std::vector<Stale> stale_;
};

}  // namespace wddm::gpummu
