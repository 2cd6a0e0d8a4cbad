// An update of a page table on its way, and what clauses want to know of it: which entries it is to
// write, and what the table holds when BuildPagingBuffer returns and when the GPU has executed it.
//
// Updates by the CPU are carried out when BuildPagingBuffer returns, all others with the end of
// their last packet.
#pragma once

#include <memory>
#include <vector>

#include "conformance/host/gpuva/tables/watched_table.h"

namespace wddm::host {

class TableUpdate {
 public:
  struct Named {
    ProcessId process;
    AllocationId allocation = kNoAllocation;
    gpummu::PageTableUpdateMode mode{};
    gpummu::PhysicalAddress place;  ///< of the table
    std::uint32_t walked = 0;       ///< bytes of an entry, as the GPU reads them; 0: not known
  };
  using Tables = std::vector<std::shared_ptr<WatchedTable>>;
  /// `built` counts the updates of a run; `tables` is the table as it lies on each GPU of the link.
  TableUpdate(const Tables& tables, const Named& named, const gpummu::UpdateEntries& update,
              std::vector<WantedEntry> wanted, std::uint32_t& built)
      : tables_(tables),
        table_(tables[update.adapter.value]),
        named_(named),
        update_(update),
        wanted_(std::move(wanted)),
        built_(built) {}

  /// BuildPagingBuffer is about to be called.
  void building();
  /// It has returned, and will not be called again for this update.
  void built(NTSTATUS status, bool has_buffer);
  /// The packet has ended; kNoPacket: none was needed.
  void carried_out(PacketOrdinal packet);

 private:
  /// DXGK_UPDATEPAGETABLEFLAGS.
  [[nodiscard]] std::uint32_t flags() const;
  [[nodiscard]] EntryRange entries() const { return {update_.first, update_.count}; }

  /// Of the others: sums up what each counts.
  template <class Count>
  [[nodiscard]] std::uint32_t elsewhere(Count count) const {
    std::uint32_t sum = 0;
    for (const auto& table : tables_) sum += table == table_ ? 0 : count(*table);
    return sum;
  }

  Tables tables_;
  std::shared_ptr<WatchedTable> table_;
  Named named_;
  gpummu::UpdateEntries update_;
  std::vector<WantedEntry> wanted_;
  std::uint32_t& built_;
  std::uint32_t ordinal_ = kNone;  // once it is built
  bool alone_ = true;              // no other update can write the table meanwhile
};

}  // namespace wddm::host
