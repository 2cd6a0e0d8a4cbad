// UpdateGpuVirtualAddress: rule 3 of va_ranges.h.
#include "reference/gpuva/va_ranges.h"

#include <algorithm>

namespace wddm::gpuva {
namespace {

constexpr Protection kNoMapping = kProtectZero | kProtectNoAccess;
constexpr Protection kKnown = kProtectWrite | kProtectExecute | kNoMapping;

GpuVirtualAddress destination_of(const UpdateMap& operation) {
  return operation.base;
}
GpuVirtualAddress destination_of(const UpdateUnmap& operation) {
  return operation.base;
}
GpuVirtualAddress destination_of(const UpdateCopy& operation) {
  return operation.destination;
}

/// More pieces than before, at most.
std::uint64_t growth(const UpdateMap&, std::uint64_t) {
  return 2;
}
std::uint64_t growth(const UpdateUnmap&, std::uint64_t) {
  return 2;
}
std::uint64_t growth(const UpdateCopy& operation, std::uint64_t pieces) {
  return std::min(pieces, operation.size / kPageSize) + 2;
}

}  // namespace

VaRanges::Refusal VaRanges::check(const UpdateMap& operation) const {
  if (const Refusal why = check_span(operation.base, operation.size, kPageSize)) return why;
  const bool aligned = is_multiple(operation.allocation_offset, kPageSize) &&
                       is_multiple(operation.allocation_size, kPageSize);
  if (!aligned) return VaRefusal::Unaligned;
  if ((operation.protection & ~kKnown) != 0) return VaRefusal::BadProtection;
  if ((operation.protection & kNoMapping) != 0) return VaRefusal::TakesNoAllocation;
  const std::uint64_t once =
      operation.allocation_size == 0 ? operation.size : operation.allocation_size;
  if (once > operation.size || !is_multiple(operation.size, once)) return VaRefusal::BadRepetition;
  const std::uint64_t first = operation.allocation_offset / kPageSize;
  const std::uint64_t has = operation.allocation.size_pages;
  const bool inside = first < has && once / kPageSize <= has - first;
  return inside ? Refusal{} : VaRefusal::OutsideAllocation;
}

VaRanges::Refusal VaRanges::check(const UpdateUnmap& operation) const {
  if (const Refusal why = check_span(operation.base, operation.size, kPageSize)) return why;
  const Protection what = operation.protection & kNoMapping;
  const bool one = what == kProtectZero || what == kProtectNoAccess;
  const bool known = (operation.protection & ~kKnown) == 0;
  return one && known ? Refusal{} : VaRefusal::BadProtection;
}

VaRanges::Refusal VaRanges::check(const UpdateCopy& operation) const {
  if (const Refusal why = check_span(operation.source, operation.size, kPageSize)) return why;
  return check_span(operation.destination, operation.size, kPageSize);
}

/// Whether all of it lies in `reservation`, or, for the first, in any; this then is the one.
VaRanges::Refusal VaRanges::check_reserved(GpuVirtualAddress base, std::uint64_t size,
                                           std::optional<VaRangeId>& reservation) const {
  const Where there = where(page_of(base), size / kPageSize);
  if (!there.range || ranges_[there.range->value].origin != RangeOrigin::Reserve) {
    return VaRefusal::NotReserved;
  }
  if (reservation && *reservation != *there.range) return VaRefusal::OtherReservation;
  reservation = there.range;
  return {};
}

void VaRanges::on(const UpdateGpuVirtualAddress& input) {
  std::optional<VaRangeId> destination;
  std::optional<VaRangeId> source;
  std::uint64_t pieces = map_.piece_count();
  for (std::size_t i = 0; i < input.operations.size(); ++i) {
    const UpdateOperation& any = input.operations[i];
    Refusal why = std::visit([&](const auto& operation) { return check(operation); }, any);
    if (why) return refuse(*why, i);
    // No operation changes what is reserved, so that all can be checked before the first is done.
    why = std::visit(
        [&](const auto& operation) {
          return check_reserved(destination_of(operation), operation.size, destination);
        },
        any);
    if (why) return refuse(*why, i);
    if (const auto* copy = std::get_if<UpdateCopy>(&any)) {
      why = check_reserved(copy->source, copy->size, source);
      if (why) return refuse(*why, i);
    }
    pieces += std::visit([&](const auto& operation) { return growth(operation, pieces); }, any);
    if (pieces > config_.most_pieces) return refuse(VaRefusal::TooManyPieces, i);
  }
  for (const UpdateOperation& any : input.operations) {
    std::visit([this](const auto& operation) { apply(operation); }, any);
  }
}

void VaRanges::apply(const UpdateMap& operation) {
  const std::uint64_t pages = operation.size / kPageSize;
  PageState state{.kind = PageKind::Mapped,
                  .write = (operation.protection & kProtectWrite) != 0,
                  .execute = (operation.protection & kProtectExecute) != 0,
                  .allocation = operation.allocation.id,
                  .first_page = operation.allocation_offset / kPageSize,
                  .driver_protection = operation.driver_protection};
  if (operation.allocation_size != 0 && operation.allocation_size != operation.size) {
    state.period = operation.allocation_size / kPageSize;
  }
  const std::uint64_t page = page_of(operation.base);
  set(page, pages, map_.find(page)->range, state);
}

void VaRanges::apply(const UpdateUnmap& operation) {
  const bool zero = (operation.protection & kProtectZero) != 0;
  const std::uint64_t page = page_of(operation.base);
  set(page, operation.size / kPageSize, map_.find(page)->range,
      {.kind = zero ? PageKind::Zero : PageKind::Invalid});
}

void VaRanges::apply(const UpdateCopy& operation) {
  const std::uint64_t from = page_of(operation.source);
  const std::uint64_t to = page_of(operation.destination);
  const VaRangeId range = map_.find(to)->range;
  scratch_.clear();
  map_.visit_in(from, operation.size / kPageSize, [this](const Piece& piece) {
    scratch_.push_back(piece);
    return true;
  });
  for (const Piece& piece : scratch_) set(piece.page - from + to, piece.pages, range, piece.state);
}

}  // namespace wddm::gpuva
