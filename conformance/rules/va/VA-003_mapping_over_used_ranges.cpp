// VA-003: Map takes addresses that are free or of one range; Zero and NoAccess take no allocation.

#include "conformance/rules/rule.h"
#include "conformance/rules/va/requested_ranges.h"

namespace wddm::va_003 {
namespace {

// D3DDDIGPUVIRTUALADDRESS_PROTECTION_TYPE.
constexpr std::uint32_t kZero = 4, kNoAccess = 8;

// Null, or why the request is to fail.
const char* must_fail(const ev::AddressAnswered& one, const va::ObtainedRanges& ranges,
                      std::uint32_t* because) {
  const bool no_pages = (one.protection & (kZero | kNoAccess)) != 0;
  if (no_pages && one.allocation != kNone) {
    return "STATUS_INVALID_PARAMETER: Zero and NoAccess take no allocation";
  }
  if (one.base == 0) return nullptr;
  const auto [where, range] = ranges.find(one.process, one.base, one.size);
  *because = range.event;
  if (va::is(one, AddressRequest::MapContextAllocation)) {
    return where == va::ObtainedRanges::Where::Free ? nullptr : "0: the addresses are not free";
  }
  switch (where) {
    case va::ObtainedRanges::Where::Free:
      return nullptr;
    case va::ObtainedRanges::Where::Across:
      return "STATUS_INVALID_PARAMETER: the addresses are neither free nor of one range";
    case va::ObtainedRanges::Where::Inside:
      break;
  }
  return no_pages && !range.reserved
             ? "STATUS_INVALID_PARAMETER: what Map obtained takes neither Zero nor NoAccess"
             : nullptr;
}

void check(const Trace& trace, const Platform&, Judgement& judgement) {
  va::ObtainedRanges ranges;
  for (const std::uint32_t index : trace.of_any<ev::AddressAnswered, ev::DdiEntered>()) {
    if (trace.events()[index].kind == EventKind::DdiEntered) {
      ranges.follow(trace, index);
      continue;
    }
    const auto one = trace.at<ev::AddressAnswered>(index);
    const bool of_driver = va::is(one, AddressRequest::MapContextAllocation);
    if (of_driver || va::is(one, AddressRequest::Map)) {
      std::uint32_t because = kNone;
      const char* const wanted = must_fail(one, ranges, &because);
      const bool special = (one.protection & (kZero | kNoAccess)) != 0 || because != kNone;
      if (special || wanted != nullptr) judgement.reached(index);
      if (wanted != nullptr && one.refused == 0) {
        judgement.fail(index, wanted, "the addresses from " + std::to_string(one.address) + " on");
      }
    }
    ranges.follow(index, one);
  }
}

const Rule kRule{
    .id = "VA-003",
    .title = "Map over used ranges, Zero and NoAccess",
    .binds = Binds::Os,
    .evidence = Evidence::Boundary,
    .rule =
        "MapGpuVirtualAddress with BaseAddress takes addresses that are free, or that all lie in "
        "one range obtained before by Map or Reserve. Zero and NoAccess take no allocation, and no "
        "range of Map's. DxgkCbMapContextAllocation takes free addresses alone.",
    .sources =
        "nc-d3dumddi-pfnd3dddi_mapgpuvirtualaddresscb.md # remarks\n"
        "nf-d3dkmthk-d3dkmtmapgpuvirtualaddress.md # remarks\n"
        "ns-d3dukmdt-_d3dddigpuvirtualaddress_protection_type.md\n"
        "ns-d3dkmddi-_dxgkargcb_mapcontextallocation.md # BaseAddress",
    .note =
        "Two neighbouring ranges are not one. That entries are as Protection says, PTE-002 and "
        "PTE-003 judge.",
    .applies = page_tables,
    .check = check,
    .played_in = {Configured::GpuVirtual, Configured::FourLevels},
    .scenario = R"(
about: mappings inside a reserved range, over a mapping, and half outside
ops:
- create_allocation: {allocation: 1, pages: 8, place: local}
- make_resident: {allocation: 1}
- reserve_address: {device: 0, base: 0x2000000, size: 0x10000}
- map_range: {allocation: 1, protection: no_access, at: base_without_allocation, base: 0x2000000, pages: 2}
- map_range: {allocation: 1, protection: zero, at: base_without_allocation, base: 0x2002000, pages: 2}
- map_range: {allocation: 1, at: base, base: 0x2004000, pages: 4}
- map_range: {allocation: 1, protection: no_access, at: base, base: 0x2008000, pages: 2}
- map_range: {allocation: 1, at: base, base: 0x200f000, pages: 2}
- map_range: {allocation: 1, at: base, base: 0x2100000, pages: 4}
- map_range: {allocation: 1, protection: no_access, at: base_without_allocation, base: 0x2100000, pages: 4}
- map_range: {allocation: 1, at: base, base: 0x2100000, pages: 2, page: 4}
- idle
)",
    .control = R"(
about: free addresses alone
ops:
- create_allocation: {allocation: 1, pages: 8, place: local}
- make_resident: {allocation: 1}
- map_range: {allocation: 1, at: base, base: 0x2100000, pages: 4}
- idle
)",
    .fault = {.about = "NoAccess with an allocation maps it",
              .seat = FaultSeat::Oracle,
              .oracle = OracleFault::MapWithoutAccess}};

WDDM_RULE(kRule);

}  // namespace
}  // namespace wddm::va_003
