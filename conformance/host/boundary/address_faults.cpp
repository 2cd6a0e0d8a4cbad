#include "conformance/host/boundary/address_faults.h"

#include <algorithm>
#include <utility>
#include <variant>

#include "conformance/host/boundary/fault_seats.h"

namespace wddm::host {
namespace {

// A request for addresses, altered before it is decided on.
class AltersRequests : public DecisionSeat {
  std::vector<gpuva::VaDecision> addresses(gpuva::VaRanges& ranges,
                                           const gpuva::VaInput& input) final {
    gpuva::VaInput altered = input;
    std::visit([&](auto& request) { alter(ranges, request); }, altered);
    return DecisionSeat::addresses(ranges, altered);
  }
  virtual void alter(const gpuva::VaRanges&, gpuva::MapGpuVirtualAddress&) {}
  virtual void alter(const gpuva::VaRanges&, gpuva::ReserveGpuVirtualAddress&) {}
  template <class Other>
  void alter(const gpuva::VaRanges&, Other&) {}
};

// VA-002: sizes count pages of 64 KB.
class CountsLargeUnits final : public AltersRequests {
  void alter(const gpuva::VaRanges&, gpuva::MapGpuVirtualAddress& request) override {
    if (!request.allocation) return;
    const std::uint64_t most = request.allocation->size_pages;
    if (request.offset_pages >= most) return;
    request.size_pages =
        std::min(request.size_pages * gpummu::kPagesPer64K, most - request.offset_pages);
  }
};

// VA-003: an allocation makes NoAccess a mapping.
class MapsWithoutAccess final : public AltersRequests {
  void alter(const gpuva::VaRanges&, gpuva::MapGpuVirtualAddress& request) override {
    if (request.allocation) request.protection &= ~gpuva::kProtectNoAccess;
  }
};

// VA-004: sizes are rounded up.
class ReservesInPages final : public AltersRequests {
  void alter(const gpuva::VaRanges&, gpuva::ReserveGpuVirtualAddress& request) override {
    request.size =
        (request.size + gpummu::kPageSize64K - 1) / gpummu::kPageSize64K * gpummu::kPageSize64K;
  }
};

// VA-005: what a copy has written it reads again.
class CopiesEntryByEntry final : public DecisionSeat {
  std::vector<gpuva::VaDecision> addresses(gpuva::VaRanges& ranges,
                                           const gpuva::VaInput& input) override {
    const auto* const update = std::get_if<gpuva::UpdateGpuVirtualAddress>(&input);
    const auto* const copy = update == nullptr || update->operations.size() != 1
                                 ? nullptr
                                 : std::get_if<gpuva::UpdateCopy>(&update->operations[0]);
    if (copy == nullptr) return DecisionSeat::addresses(ranges, input);
    std::vector<gpuva::VaDecision> all;
    for (std::uint64_t at = 0; at < copy->size; at += kPageSize) {
      const gpuva::UpdateOperation one =
          gpuva::UpdateCopy{{copy->source.value + at}, kPageSize, {copy->destination.value + at}};
      const auto decided = ranges.step(gpuva::UpdateGpuVirtualAddress{{&one, 1}});
      all.insert(all.end(), decided.begin(), decided.end());
    }
    return all;
  }
};

// VA-012: what an Unmap names beyond the end of the reservation is left out.
class UpdatesAsFarAsReserved final : public DecisionSeat {
  std::vector<gpuva::VaDecision> addresses(gpuva::VaRanges& ranges,
                                           const gpuva::VaInput& input) override {
    const auto* const update = std::get_if<gpuva::UpdateGpuVirtualAddress>(&input);
    const auto* const unmap = update == nullptr || update->operations.size() != 1
                                  ? nullptr
                                  : std::get_if<gpuva::UpdateUnmap>(&update->operations[0]);
    if (unmap == nullptr) return DecisionSeat::addresses(ranges, input);
    gpuva::UpdateUnmap cut = *unmap;
    const auto is_reserved = [&ranges](std::uint64_t at) {
      return ranges.origin({at}) == gpuva::RangeOrigin::Reserve;
    };
    while (cut.size > kPageSize && !is_reserved(cut.base.value + cut.size - kPageSize)) {
      cut.size -= kPageSize;
    }
    const gpuva::UpdateOperation one = cut;
    return DecisionSeat::addresses(ranges, gpuva::UpdateGpuVirtualAddress{{&one, 1}});
  }
};

// PGSZ-006: where VidMm may choose, it gives any page.
class PutsLargePagesAnywhere final : public AltersRequests {
  void alter(const gpuva::VaRanges& ranges, gpuva::MapGpuVirtualAddress& request) override {
    if (!request.allocation || request.base.value != 0) return;
    const auto page = ranges.map().lowest_fit({.pages = request.size_pages,
                                               .alignment = gpummu::kPagesPer64K,
                                               .phase = 1,
                                               .first = request.minimum.value / kPageSize,
                                               .end = ranges.map().pages()});
    if (page) request.base = {*page * kPageSize};
  }
};

// VPAGE-010: a window of the paging process begins at 0.
class PagesAtZero final : public DecisionSeat {
  gpummu::GpuVirtualAddress window(gpummu::GpuVirtualAddress at) override {
    if (first_.value == 0 || at == first_) first_ = at;
    return at == first_ ? gpummu::GpuVirtualAddress{} : at;
  }
  gpummu::GpuVirtualAddress first_{};
};

constexpr FaultSeat kAddressSeats[] = {
    {OracleFault::MapLargeUnits, make_seat<CountsLargeUnits>},
    {OracleFault::MapWithoutAccess, make_seat<MapsWithoutAccess>},
    {OracleFault::ReserveInPages, make_seat<ReservesInPages>},
    {OracleFault::CopyEntryByEntry, make_seat<CopiesEntryByEntry>},
    {OracleFault::UpdateAsFarAsReserved, make_seat<UpdatesAsFarAsReserved>},
    {OracleFault::LargePagesAnywhere, make_seat<PutsLargePagesAnywhere>},
    {OracleFault::PagingAtZero, make_seat<PagesAtZero>},
};

}  // namespace

std::unique_ptr<DecisionSeat> address_fault(OracleFault fault) {
  return seat_among(kAddressSeats, fault);
}

}  // namespace wddm::host
