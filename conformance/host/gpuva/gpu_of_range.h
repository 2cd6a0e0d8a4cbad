// Which GPU of a link has addresses that UpdateGpuVirtualAddress wrote: only the page tables of
// that GPU lead there.
//
// Source: D3DDDICB_UPDATEGPUVIRTUALADDRESS::hContext: it says whose page tables are modified. All
// other requests are carried out on each GPU. Reading: an address is of one such GPU at a time,
// that of the last update. Without a link nothing is remembered.
#pragma once

#include <bit>
#include <cstdint>
#include <optional>
#include <vector>

#include "reference/gpummu/address.h"
#include "reference/gpummu/table_input.h"
#include "reference/types.h"

namespace wddm::host {

class GpuOfRange {
 public:
  /// Addresses whose entries are written on these GPUs.
  struct Piece {
    gpummu::VaRange range;
    gpummu::AdapterSet adapters = gpummu::kAllAdapters;
  };

  void clear() { all_.clear(); }
  void forget(ProcessId process) {
    std::erase_if(all_, [process](const One& one) { return one.process == process; });
  }
  /// From here on they are that GPU's; nothing: each GPU's.
  void set(ProcessId process, const gpummu::VaRange& range, std::optional<std::uint32_t> gpu);
  [[nodiscard]] std::optional<std::uint32_t> of(ProcessId process,
                                                gpummu::GpuVirtualAddress address) const;
  /// All of the range, lowest first.
  [[nodiscard]] std::vector<Piece> pieces(ProcessId process, const gpummu::VaRange& range) const;

 private:
  struct One {
    ProcessId process{};
    std::uint64_t first = 0, end = 0;
    std::uint32_t gpu = 0;
  };
  std::vector<One> all_;  // disjoint
};

}  // namespace wddm::host
