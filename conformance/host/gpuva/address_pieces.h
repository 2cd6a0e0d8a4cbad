// What the addresses of a process lead to, piece by piece.
#pragma once

#include <cstdint>
#include <vector>

#include "reference/gpuva/va_map.h"

namespace wddm::host {

/// Those that lead to pages of the allocation, lowest first.
[[nodiscard]] std::vector<gpuva::Piece> pieces_of(const gpuva::VaMap& map, AllocationId allocation,
                                                  std::uint64_t first_page, std::uint64_t pages);
/// Whose pages these addresses lead to, piece by piece.
[[nodiscard]] std::vector<AllocationId> allocations_in(const gpuva::VaMap& map,
                                                       std::uint64_t first_page,
                                                       std::uint64_t pages);
/// Whether they lead to the allocation from the first to the last.
[[nodiscard]] bool leads_to_no_other(const gpuva::VaMap& map, AllocationId allocation,
                                     std::uint64_t first_page, std::uint64_t pages);

}  // namespace wddm::host
