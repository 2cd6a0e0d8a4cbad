// MCDM-046: where a driver names addresses for what the OS has of its own, there is room for it.

#include <algorithm>
#include <utility>

#include "conformance/rules/caps/answered_caps.h"
#include "reference/types.h"

namespace wddm::mcdm_046 {
namespace {

// The last address of the largest space that any GPU has; all there are, where none said.
std::uint64_t last_address(const Trace& trace) {
  std::uint32_t bits = 0;
  for (const std::uint32_t index : trace.of<ev::GpuMmuReported>()) {
    const auto report = trace.at<ev::GpuMmuReported>(index);
    if (report.status == 0) bits = std::max(bits, report.address_bits);
  }
  return bits == 0 || bits >= 64 ? ~std::uint64_t{0} : (std::uint64_t{1} << bits) - 1;
}

// Null: a whole page lies there. Whether the end belongs to the range is not said: it may.
const char* wrong(std::uint64_t start, std::uint64_t end, std::uint64_t last) {
  if (start >= end) return "its end does not lie behind its start";
  if (start > last) return "no GPU has addresses as high";
  const std::uint64_t top = std::min(end, last);
  const std::uint64_t page = start == 0 ? 0 : ((start - 1) / kPageSize + 1) * kPageSize;
  const bool none = page < start || page > top || top - page < kPageSize - 1;
  return none ? "no whole page lies in it" : nullptr;
}

void check(const Trace& trace, const Platform&, Judgement& judgement) {
  const std::uint64_t last = last_address(trace);
  for (const std::uint32_t index : trace.of<ev::CapsAnswered>()) {
    DXGK_DRIVERCAPS caps;
    if (!answers::over_zeros(trace, index) || !answers::caps_of(trace, index, caps)) continue;
    const std::uint64_t start = caps.InternalGpuVirtualAddressRangeStart,
                        end = caps.InternalGpuVirtualAddressRangeEnd;
    if (start == 0 && end == 0) continue;
    judgement.reached(index);
    const char* const what = wrong(start, end, last);
    if (what == nullptr) continue;
    judgement.fail(index, "an internal range that the OS can use, or 0 for both of its limits",
                   "from " + std::to_string(start) + " to " + std::to_string(end) + ": " + what);
  }
}

void exchange_limits(DXGK_DRIVERCAPS& caps) {
  std::swap(caps.InternalGpuVirtualAddressRangeStart, caps.InternalGpuVirtualAddressRangeEnd);
}

const Rule kRule{
    .id = "MCDM-046",
    .title = "A range for OS-internal GPU addresses has room",
    .rule =
        "Where InternalGpuVirtualAddressRangeStart and InternalGpuVirtualAddressRangeEnd are not "
        "both 0, the OS has to put what is its own between them: the end lies behind the start, "
        "the start within the address space, and between them at least one page.",
    .sources =
        "mcdm-implementation-guidelines.md # Driver capability requirements\n"
        "ns-d3dkmddi-_dxgk_drivercaps.md # InternalGpuVirtualAddressRangeStart, "
        "InternalGpuVirtualAddressRangeEnd\n"
        "ns-d3dkmddi-_dxgk_gpummucaps.md # VirtualAddressBitCount",
    .note =
        "Derived: no page says it in words, but in a range without room nothing can lie. Not "
        "judged: limits that are no multiples of a page, of which the OS takes the pages in "
        "between; an end behind all addresses, by which a driver names all from some on; a start "
        "at 0. How much room the OS needs is not said.",
    .unreached = "the driver names no range for addresses of the OS's own",
    .applies = page_tables,
    .check = check,
    .played_in = {Configured::Services},
    .scenario = R"(
about: the adapter starts
ops:
- start
)",
    .control = R"(
about: asked again
ops:
- requery
)",
    .fault = {.about = "the limits of the range are exchanged",
              .interposer = answers::alters_caps<exchange_limits>}};

WDDM_RULE(kRule);

}  // namespace
}  // namespace wddm::mcdm_046
