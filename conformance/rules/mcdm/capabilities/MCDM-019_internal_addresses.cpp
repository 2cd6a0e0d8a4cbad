// MCDM-019: what the OS has of its own in a process lies in the range that the driver names for it.

#include "conformance/rules/caps/answered_caps.h"
#include "conformance/rules/rule.h"
#include "conformance/rules/va/requested_ranges.h"
#include "reference/gpuva/internal_range.h"
#include "reference/types.h"

namespace wddm::mcdm_019 {
namespace {

// Allocations from here on are of no scenario: what the host itself maps in every process.
constexpr std::uint32_t kFirstOfHost = 256;

// What the driver names. Whether the end belongs to it is not said.
struct Range {
  std::uint64_t start = 0, end = 0;
  friend bool operator==(const Range&, const Range&) = default;
  [[nodiscard]] bool may_hold(std::uint64_t first, std::uint64_t bytes) const {
    return first >= start && (first + bytes - 1) / kPageSize <= end / kPageSize;
  }
  [[nodiscard]] std::string text() const {
    return std::to_string(start) + " to " + std::to_string(end);
  }
};

class Ranges {
 public:
  explicit Ranges(const Trace& trace) {
    std::uint64_t space = 0;
    for (const std::uint32_t index : trace.of<ev::GpuMmuReported>()) {
      const auto report = trace.at<ev::GpuMmuReported>(index);
      if (space == 0 && report.status == 0 && report.physical_adapter == 0) {
        space = std::uint64_t{1} << (report.address_bits & 63);
      }
    }
    bool one = false;
    for (const std::uint32_t index : trace.of<ev::CapsAnswered>()) {
      DXGK_DRIVERCAPS caps;
      if (!answers::over_zeros(trace, index) || !answers::caps_of(trace, index, caps)) continue;
      const Range said{caps.InternalGpuVirtualAddressRangeStart,
                       caps.InternalGpuVirtualAddressRangeEnd};
      unlike_ |= one && said != range_;
      range_ = said;
      one = true;
    }
    usable_ = gpuva::internal_range(range_.start, range_.end, space).has_value();
  }
  /// Null: there is none, it has no room, or the driver says it now so and now otherwise.
  [[nodiscard]] const Range* only() const { return usable_ && !unlike_ ? &range_ : nullptr; }

 private:
  Range range_;
  bool usable_ = false, unlike_ = false;
};

void judge(std::uint32_t index, const Range& range, const char* what, std::uint64_t first,
           std::uint64_t bytes, Judgement& judgement) {
  judgement.reached(index);
  if (range.may_hold(first, bytes)) return;
  judgement.fail(index, std::string(what) + " in the driver's internal range, " + range.text(),
                 std::to_string(bytes) + " bytes at " + std::to_string(first));
}

// The paging process and privileged spaces, which no user mode knows, count from the number of the
// paging process on.
void check(const Trace& trace, const Platform&, Judgement& judgement) {
  const Ranges ranges(trace);
  const Range* const range = ranges.only();
  if (range == nullptr) return;
  for (const std::uint32_t index : trace.of<ev::AddressAnswered>()) {
    const auto answered = trace.at<ev::AddressAnswered>(index);
    const bool mapped = va::is(answered, AddressRequest::Map) && answered.refused == 0;
    if (!mapped || answered.allocation == kNone || answered.allocation < kFirstOfHost) continue;
    if (answered.process >= kSystemProcessNumber) continue;
    judge(index, *range, "the page for marks", answered.address, answered.size, judgement);
  }
  for (const std::uint32_t index : trace.of<ev::Submitted>()) {
    const auto packet = trace.at<ev::Submitted>(index);
    if (packet.paging != 0 || packet.end <= packet.start) continue;
    judge(index, *range, "the buffer of commands", packet.address + packet.start,
          packet.end - packet.start, judgement);
  }
}

const Rule kRule{
    .id = "MCDM-019",
    .title = "OS-internal GPU addresses stay in the driver's range",
    .binds = Binds::Os,
    .rule =
        "What the OS has of its own in the address space of a process, at GPU virtual addresses "
        "that it chooses, lies between InternalGpuVirtualAddressRangeStart and "
        "InternalGpuVirtualAddressRangeEnd of DXGK_DRIVERCAPS; where both are 0, anywhere.",
    .sources =
        "mcdm-implementation-guidelines.md # Driver capability requirements\n"
        "ns-d3dkmddi-_dxgk_drivercaps.md # InternalGpuVirtualAddressRangeStart",
    .note =
        "Which resources are internal is not said. Taken as such is what user mode asks no address "
        "for: the page that commands leave their mark in, and, since here it is the host that "
        "makes them, the buffers of commands. What VidMm chooses for an allocation of a client is "
        "not internal. The paging process and the privileged space of a companion are the OS's "
        "altogether, and exempt. The page of the end may belong to the range or not. One of less "
        "than 2 MB has no room for what this host needs, and is not judged.",
    .applies = page_tables,
    .check = check,
    .played_in = {Configured::Services},
    .scenario = R"(
about: contexts of two processes, each with work, and paging in between
ops:
- create_device: {device: 1, process: 1}
- create_context: {context: 0}
- create_context: {context: 1, device: 1}
- create_allocation: {allocation: 0, pages: 2, place: local}
- render: {context: 0}
- bind: {slot: 0, allocation: 0}
- fill: {slot: 0}
- render: {context: 1}
- spin: {units: 10}
- idle
- evict: {allocation: 0}
- render: {context: 0}
- bind: {slot: 0, allocation: 0}
- fill: {slot: 0, value: 0x31323334}
- idle
)",
    .control = R"(
about: the client maps its allocation where it likes
ops:
- create_context: {context: 0}
- create_allocation: {allocation: 0, place: local}
- map_address: {allocation: 0, at: top}
- render: {context: 0}
- bind: {slot: 0, allocation: 0}
- fill: {slot: 0}
- idle
)",
    .fault = {.about = "the range is ignored",
              .seat = FaultSeat::Oracle,
              .oracle = OracleFault::InternalRangeIgnored}};

WDDM_RULE(kRule);

}  // namespace
}  // namespace wddm::mcdm_019
