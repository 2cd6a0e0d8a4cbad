// Copies of entries from one page table to another (CopyPageTableEntries): which entries a copy may
// take, and what has come of it.
//
// A copy reads its source when it is executed. A paging companion maps pages so: the privileged
// space of its process has entries that lead there, and follow when the pages move ("Tile
// resources"). Or it copies what other addresses of the process have, also within one table: such a
// table is shown once, as one that is mapped for good is. One call has several ranges where there
// are several leaf tables; behind the last one stands another in memory, which no driver may carry
// out.
#pragma once

#include <cstdint>
#include <optional>
#include <span>
#include <vector>

#include "conformance/host/gpuva/tables/page_table_operations.h"
#include "conformance/host/gpuva/tables/space_in_memory.h"

namespace wddm::host {

/// Entries of a table, and what address the first one stands for.
struct EntriesAt {
  const SpaceInMemory* space = nullptr;
  gpummu::TableId table{};
  std::uint32_t first = 0;
  gpummu::GpuVirtualAddress va{};
};

/// One of pRanges.
struct CopiedRange {
  EntriesAt from;
  EntriesAt to;
  std::uint32_t count = 0;
  std::uint32_t late = 0;  ///< entries of the source that an update is still to write
};

/// Ranges of the leaf tables from `va` on whose entries say what an update wants to write to `to`;
/// none if the space has no such entries, or they cannot be copied: those of 64 KB pages are not,
/// as the operation has no word for how large pages are. Invalid ones say something in the space of
/// `to` alone: to another they would be those of no page.
[[nodiscard]] std::vector<CopiedRange> copyable(const SpaceInMemory& space,
                                                gpummu::GpuVirtualAddress va, const EntriesAt& to,
                                                const gpummu::UpdateEntries& update,
                                                std::span<const gpummu::Written> elements);
/// What one call copies: ranges of tables that the paging process, or a companion, is shown.
class CopyCall {
 public:
  /// False, and nothing of it is taken, where the windows have no room for the tables.
  [[nodiscard]] bool take(std::span<const CopiedRange> ranges);
  /// Nothing more comes: one range becomes two, if it has more than one entry.
  void complete();
  [[nodiscard]] bool empty() const { return ranges_.empty(); }
  /// An update is still to write this entry of the source.
  void set_late(std::uint32_t entry);

  struct Shown {
    const SpaceInMemory* space = nullptr;
    gpummu::TableId table{};
    gpummu::GpuVirtualAddress at{};
  };
  /// Where each table is to be shown: at multiples of 64 KB.
  [[nodiscard]] std::span<const Shown> sources() const { return sources_; }
  [[nodiscard]] std::span<const Shown> destinations() const { return destinations_; }
  [[nodiscard]] PagingOperationPtr operation() const;
  /// It has been executed: compares, and tells. `adapter`: whose tables they are.
  void tell(gpummu::PhysicalAdapterIndex adapter, const WalkJudge& walks) const;

 private:
  [[nodiscard]] EntriesCopy in_windows(const CopiedRange& range) const;
  [[nodiscard]] bool names(const EntriesAt& table, std::uint32_t index) const;
  /// What stands behind the last range: an entry of its source for one of its destination that none
  /// of the ranges names, nor reads. Nothing if each is named.
  [[nodiscard]] std::optional<CopiedRange> decoy() const;

  std::vector<CopiedRange> ranges_;
  std::vector<Shown> sources_, destinations_;
};

}  // namespace wddm::host
