// VA-004: Reserve counts in 64 KB, and gives addresses that nobody has.

#include "conformance/rules/rule.h"
#include "conformance/rules/va/requested_ranges.h"

namespace wddm::va_004 {
namespace {

constexpr std::uint64_t kUnit = 65536;

// Null, or what the answer had to be.
const char* wrong(const ev::AddressAnswered& one, const va::ObtainedRanges& ranges,
                  std::uint32_t* because) {
  const auto whole = [](std::uint64_t value) { return value % kUnit == 0; };
  const bool limits = one.base != 0 || (whole(one.minimum) && whole(one.maximum));
  if (!whole(one.base) || !whole(one.size) || !limits) {
    return "STATUS_INVALID_PARAMETER: all is counted in 64 KB";
  }
  const auto [where, range] = ranges.find(one.process, one.address, one.size);
  *because = range.event;
  if (where != va::ObtainedRanges::Where::Free) return "addresses that nobody has";
  if (one.base != 0) return one.address == one.base ? nullptr : "BaseAddress itself";
  const bool inside =
      one.address >= one.minimum && (one.maximum == 0 || one.address + one.size <= one.maximum);
  return inside && whole(one.address) ? nullptr : "a multiple of 64 KB within the limits";
}

void check(const Trace& trace, const Platform&, Judgement& judgement) {
  va::ObtainedRanges ranges;
  for (const std::uint32_t index : trace.of_any<ev::AddressAnswered, ev::DdiEntered>()) {
    if (trace.events()[index].kind == EventKind::DdiEntered) {
      ranges.follow(trace, index);
      continue;
    }
    const auto one = trace.at<ev::AddressAnswered>(index);
    if (va::is(one, AddressRequest::Reserve)) {
      judgement.reached(index);
      std::uint32_t because = kNone;
      if (const char* const wanted = one.refused != 0 ? nullptr : wrong(one, ranges, &because)) {
        judgement.fail(index, wanted,
                       std::to_string(one.size) + " bytes at " + std::to_string(one.address),
                       {because});
      }
    }
    ranges.follow(index, one);
  }
}

const Rule kRule{
    .id = "VA-004",
    .title = "ReserveGpuVirtualAddress",
    .binds = Binds::Os,
    .evidence = Evidence::Boundary,
    .rule =
        "BaseAddress, both limits and Size are multiples of 64 KB, or the call fails. The range is "
        "one that nobody has, BaseAddress itself or within the limits, and until something is "
        "mapped there its entries are invalid or give zeros, as ReservationType says.",
    .sources =
        "nc-d3dumddi-pfnd3dddi_reservegpuvirtualaddresscb.md\n"
        "ns-d3dukmdt-d3dddi_reservegpuvirtualaddress.md\n"
        "ne-d3dukmdt-_d3dddigpuvirtualaddress_reservation_type.md",
    .note = "The entries of the range are judged by PTE-002 and PTE-003.",
    .applies = page_tables,
    .check = check,
    .played_in = {Configured::GpuVirtual, Configured::FourLevels},
    .scenario = R"(
about: ranges at an address, between limits, over another, and of odd sizes
ops:
- reserve_address: {device: 0, zero: true, base: 0x2000000, size: 0x10000}
- reserve_address: {device: 0, base: 0x2000000, size: 0x10000}
- reserve_address: {device: 0, at: limits, base: 0x2100000, size: 0x20000}
- reserve_address: {device: 0, size: 0x10000}
- reserve_address: {device: 0, base: 0x2200000, size: 0x11000}
- reserve_address: {device: 0, base: 0x2301000, size: 0x10000}
- idle
)",
    .control = R"(
about: one range at an address
ops:
- reserve_address: {device: 0, base: 0x2000000, size: 0x10000}
- idle
)",
    .fault = {.about = "sizes are rounded up",
              .seat = FaultSeat::Oracle,
              .oracle = OracleFault::ReserveInPages}};

WDDM_RULE(kRule);

}  // namespace
}  // namespace wddm::va_004
