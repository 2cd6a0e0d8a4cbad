// VA-011: what a driver asks DxgkCbMapContextAllocation for can be mapped.

#include <d3dkmddi.h>

#include "conformance/rules/life/replaced_callbacks.h"
#include "conformance/rules/rule.h"
#include "conformance/rules/scratch.h"
#include "conformance/rules/va/requested_ranges.h"
#include "reference/types.h"

namespace wddm::va_011 {
namespace {

// D3DDDIGPUVIRTUALADDRESS_PROTECTION_TYPE: Write, Execute and SystemUseOnly.
constexpr std::uint32_t kProtections = 1 | 2 | 16;

std::string pages(std::uint64_t count, std::uint64_t first) {
  return std::to_string(count) + " pages from page " + std::to_string(first) + " on";
}

// What is wrong about a request that was refused; nothing wanted: VidMm had reasons of its own.
struct Wrong {
  const char* wanted = nullptr;
  std::string seen;
};

Wrong wrong_in(const ev::AddressAnswered& one, std::uint64_t allocation_bytes) {
  const auto inside_a_page = [](std::uint64_t address) { return address % kPageSize != 0; };
  const std::uint64_t all = pages_of(allocation_bytes);
  const std::uint64_t first = one.offset / kPageSize, count = one.size / kPageSize;
  if (count == 0) return {"SizeInPages of one page or more", "0"};
  if (first >= all || count > all - first) {
    return {"OffsetInPages and SizeInPages inside the context allocation",
            pages(count, first) + ", of " + std::to_string(all)};
  }
  if ((one.protection & ~kProtections) != 0) {
    return {"no Protection but Write, Execute and SystemUseOnly", std::to_string(one.protection)};
  }
  if (one.base != 0) {
    return {inside_a_page(one.base) ? "BaseAddress at the start of a page" : nullptr,
            std::to_string(one.base)};
  }
  const bool between =
      one.maximum == 0 || (one.minimum <= one.maximum && one.maximum - one.minimum >= one.size);
  const char* const wanted = inside_a_page(one.minimum) || inside_a_page(one.maximum)
                                 ? "MinimumAddress and MaximumAddress at the start of a page"
                             : between ? nullptr
                                       : "room for SizeInPages between the limits";
  return {wanted, std::to_string(one.minimum) + " and " + std::to_string(one.maximum)};
}

// Whether a BaseAddress is free the driver cannot know, unless it has mapped or reserved what is
// there itself; user mode's are not its business.
void check(const Trace& trace, const Platform&, Judgement& judgement) {
  ScratchMap<std::uint32_t, std::uint64_t> bytes;  // by number
  for (const std::uint32_t index : trace.of_any<ev::ContextAllocationMade, ev::AddressAnswered>()) {
    if (trace.events()[index].kind == EventKind::ContextAllocationMade) {
      const auto made = trace.at<ev::ContextAllocationMade>(index);
      if (made.number != kNone) bytes[made.number] = made.size;
      continue;
    }
    const auto one = trace.at<ev::AddressAnswered>(index);
    if (!va::is(one, AddressRequest::MapContextAllocation)) continue;
    judgement.reached(index);
    if (one.refused == 0) continue;
    const Wrong wrong = wrong_in(one, bytes[one.allocation]);
    if (wrong.wanted != nullptr) judgement.fail(index, wrong.wanted, wrong.seen);
  }
}

constexpr auto kMap = &DXGKRNL_INTERFACE::DxgkCbMapContextAllocation;

// A driver that takes SizeInPages for bytes.
D3DGPU_VIRTUAL_ADDRESS APIENTRY bytes_for_pages(HANDLE adapter,
                                                const DXGKARGCB_MAPCONTEXTALLOCATION* args) {
  DXGKARGCB_MAPCONTEXTALLOCATION altered = *args;
  altered.SizeInPages *= kPageSize;
  return callbacks::given<kMap>(adapter, &altered);
}

const Rule kRule{
    .id = "VA-011",
    .title = "Context allocations are mapped as large as they are",
    .rule =
        "DxgkCbMapContextAllocation is asked for pages of 4 KB that the context allocation has, at "
        "an address or between limits at the start of a page, and for Write, Execute and "
        "SystemUseOnly alone. 0 is its answer to anything else, and none that a GPU can use.",
    .sources =
        "ns-d3dkmddi-_dxgkargcb_mapcontextallocation.md\n"
        "nc-d3dkmddi-dxgkcb_mapcontextallocation.md # return value, remarks\n"
        "ns-d3dukmdt-_d3dddigpuvirtualaddress_protection_type.md",
    .note =
        "A handle of no context allocation is CTX-006. That the addresses are free is judged of "
        "VidMm alone (VA-003): what user mode has there no driver is told. Zero and NoAccess map "
        "no allocation, and this call always names one.",
    .applies = page_tables,
    .check = check,
    .played_in = {Configured::ContextAllocations},
    .scenario = R"(
about: two contexts of a process, and one of another, have their memory in the GPU's addresses
ops:
- create_device: {device: 1, process: 1}
- create_context: {context: 0}
- create_context: {context: 1}
- create_context: {context: 2, device: 1}
- create_allocation: {allocation: 1, place: local}
- render: {context: 1}
- bind: {slot: 1, allocation: 1}
- fill: {slot: 1, offset: 0, size: 4096, value: 0x11111111}
- idle
- move_context: {context: 1}
- render: {context: 1}
- bind: {slot: 1, allocation: 1}
- add: {slot: 1, offset: 0, value: 1}
- idle
- destroy_context: {context: 1}
- create_context: {context: 1}
- render: {context: 1}
- bind: {slot: 1, allocation: 1}
- add: {slot: 1, offset: 4, value: 1}
- idle
)",
    .control = R"(
about: one context, whose addresses are refused to its driver
ops:
- fail_callback: {callback: MapContextAllocation, every: true}
- create_context: {context: 1}
- create_allocation: {allocation: 1, place: local}
- render: {context: 1}
- bind: {slot: 1, allocation: 1}
- fill: {slot: 1, offset: 0, size: 4096, value: 0x11111111}
- idle
- create_context: {context: 2}
)",
    .fault = {.about = "SizeInPages is the size in bytes",
              .interposer = callbacks::replaces<kMap, &bytes_for_pages>}};

WDDM_RULE(kRule);

}  // namespace
}  // namespace wddm::va_011
