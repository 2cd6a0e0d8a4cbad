#include "conformance/host/gpuva/address_pieces.h"

namespace wddm::host {
namespace {

bool leads_to(const gpuva::Piece& piece, AllocationId allocation) {
  return piece.state.kind == gpuva::PageKind::Mapped && piece.state.allocation == allocation;
}

}  // namespace

std::vector<gpuva::Piece> pieces_of(const gpuva::VaMap& map, AllocationId allocation,
                                    std::uint64_t first_page, std::uint64_t pages) {
  std::vector<gpuva::Piece> found;
  map.visit_in(first_page, pages, [&](const gpuva::Piece& piece) {
    if (leads_to(piece, allocation)) found.push_back(piece);
    return true;
  });
  return found;
}

std::vector<AllocationId> allocations_in(const gpuva::VaMap& map, std::uint64_t first_page,
                                         std::uint64_t pages) {
  std::vector<AllocationId> found;
  map.visit_in(first_page, pages, [&](const gpuva::Piece& piece) {
    if (piece.state.kind == gpuva::PageKind::Mapped) found.push_back(piece.state.allocation);
    return true;
  });
  return found;
}

bool leads_to_no_other(const gpuva::VaMap& map, AllocationId allocation, std::uint64_t first_page,
                       std::uint64_t pages) {
  bool own = true;
  map.visit_in(first_page, pages, [&](const gpuva::Piece& piece) {
    own = leads_to(piece, allocation);
    return own;
  });
  return own;
}

}  // namespace wddm::host
