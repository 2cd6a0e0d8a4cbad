// MCDM-020: a device that only computes and cannot reach all memory does not start.

#include "conformance/rules/mcdm/compute_only.h"

namespace wddm::mcdm_020 {
namespace {

// The highest address of this machine stands in StartRefused alone: what starts is judged by the
// least that any machine has here.
constexpr std::uint64_t kLeastMemory = 1ull << 32;

void check(const Trace& trace, const Platform&, Judgement& judgement) {
  std::uint32_t reported = kNone;
  std::uint64_t reach = 0;
  for (const std::uint32_t index :
       trace.of_any<ev::CapsReported, ev::StartRefused, ev::Running>()) {
    const Event& event = trace.events()[index];
    if (event.kind == EventKind::CapsReported) {
      const auto caps = trace.at<ev::CapsReported>(index);
      if (caps.status != 0) continue;
      reported = index;
      reach = caps.highest_address;
    } else if (reported == kNone) {
      continue;
    } else if (event.kind == EventKind::StartRefused) {
      const auto refused = trace.at<ev::StartRefused>(index);
      judgement.reached(index);
      if (reach < refused.highest) continue;
      judgement.fail(index, "a start of a device that reaches all memory", "it is refused",
                     {reported});
    } else {
      judgement.reached(index);
      if (reach < kLeastMemory) {
        judgement.fail(index, "no start of a device that cannot reach all memory", "it runs",
                       {reported});
      }
      reported = kNone;
    }
  }
}

NotApplicable without_remapping(const Platform& platform) {
  if (const NotApplicable reason = compute::only(platform)) return reason;
  return platform.interface_version < DXGKDDI_INTERFACE_VERSION_WDDM3_0
             ? nullptr
             : "WDDM 3.0: its DMA may be remapped";
}

const Rule kRule{
    .id = "MCDM-020",
    .title = "A device that cannot reach all memory does not start",
    .binds = Binds::Os,
    .rule =
        "If HighestAcceptableAddress of a device that only computes is below the highest address "
        "of "
        "system memory, the start fails; else it does not fail for this.",
    .sources =
        "mcdm-implementation-guidelines.md # Driver capability requirements\n"
        "iommu-dma-remapping.md # Overview\n"
        "ns-d3dkmddi-_dxgk_drivercaps.md # HighestAcceptableAddress",
    .note =
        "From WDDM 3.0 on a driver may have its DMA remapped, and is exempt. -1 is no limit: the "
        "comparison is unsigned. iommu-dma-remapping.md would have a start fail at equality too; "
        "the guidelines are followed.",
    .applies = without_remapping,
    .check = check,
    .played_in = compute::kPlayedIn,
    .scenario = R"(
about: a device of 30 address bits; on a driver that takes no such setting it starts
ops:
- configure: {setting: AddressableBits, value: 30}
- start
)",
    .control = R"(
about: a device of 40 address bits
ops:
- configure: {setting: AddressableBits, value: 40}
- start
)",
    .fault = {.about = "such devices start all the same",
              .seat = FaultSeat::Oracle,
              .oracle = OracleFault::StartOutOfReach}};

WDDM_RULE(kRule);

}  // namespace
}  // namespace wddm::mcdm_020
