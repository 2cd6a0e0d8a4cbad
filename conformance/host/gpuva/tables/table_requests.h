// What becomes of page tables beside their entries: roots that grow and shrink, tables that move,
// and tables whose memory is taken and given back.
//
// Runs on the VidMm worker. What is to be done is the oracle's decision (address_space.h); this
// asks for it, once there is memory for it: a step cannot be taken back. Nothing of the process
// runs meanwhile, since its contexts are suspended first.
#pragma once

#include <cstdint>
#include <optional>

#include "conformance/host/gpuva/tables/address_spaces.h"

namespace wddm::host {

class TableRequests {
 public:
  explicit TableRequests(AddressSpaces& spaces) : spaces_(spaces) {}

  // Each is null, or says why it was not done. The process has a space.

  /// A root of two levels grows until it covers the range.
  const char* cover(ProcessId process, const gpummu::VaRange& range);
  /// ... and shrinks when nothing is mapped in its upper part any more.
  void fit_root(ProcessId process);
  /// Makes the tables that lead to those of the driver's own. A root of two levels that cannot be
  /// that large leaves addresses behind it to nobody.
  const char* keep_for_driver(ProcessId process);
  /// Moves the table of a level on the way to an address; the root, if there is no such level.
  const char* move(ProcessId process, std::uint32_t level, gpummu::GpuVirtualAddress va);
  /// Takes the memory of all tables of the process, from the leaves up.
  const char* evict(ProcessId process);
  /// ... and of all that have tables.
  void evict_all();
  /// Gives evicted tables memory again, from the root down, and writes them.
  const char* bring_back(ProcessId process);
  /// Whether they will find it, if nobody else asks for memory meanwhile: where all tables are
  /// alike any of them has room where any other was.
  [[nodiscard]] bool are_sure_to_return(ProcessId process) const;

 private:
  [[nodiscard]] std::optional<gpummu::TableId> table_at(ProcessId process, std::uint32_t level,
                                                        gpummu::GpuVirtualAddress va) const;

  AddressSpaces& spaces_;
};

}  // namespace wddm::host
