// MCDM-032: allocations of a device that only computes have no property of displays or of protected
// video.

#include "conformance/rules/alloc/altered_allocations.h"
#include "conformance/rules/mcdm/compute_only.h"

namespace wddm::mcdm_032 {
namespace {

// DXGK_ALLOCATIONINFOFLAGS_WDDM2_0.
constexpr std::uint32_t kOverlay = 1u << 8, kCapture = 1u << 9, kCreateInVpr = 1u << 10;

void check(const Trace& trace, const Platform&, Judgement& judgement) {
  for (const std::uint32_t index : trace.of<ev::AllocationCreated>()) {
    const auto created = trace.at<ev::AllocationCreated>(index);
    judgement.reached(index);
    compute::Listed listed;
    listed.add((created.flags & kOverlay) != 0, "Overlay");
    listed.add((created.flags & kCapture) != 0, "Capture");
    listed.add((created.flags & kCreateInVpr) != 0, "CreateInVpr");
    if (listed.empty()) continue;
    judgement.fail(index, "FlagsWddm2 without Overlay, Capture and CreateInVpr", listed.names());
  }
}

// A driver that keeps its allocations where they are by calling them overlays.
void call_it_overlay(DXGK_ALLOCATIONINFO& info) {
  info.FlagsWddm2.Overlay = 1;
}

NotApplicable computing(const Platform& platform) {
  if (const NotApplicable reason = compute::only(platform)) return reason;
  return paging(platform);
}

const Rule kRule{
    .id = "MCDM-032",
    .title = "Allocations use no display or protected-video property",
    .level = Level::Should,
    .rule =
        "Overlay, Capture and CreateInVpr are 0 in FlagsWddm2 of every allocation of a device that "
        "only computes: it has no function that gives them a meaning.",
    .sources =
        "mcdm-implementation-guidelines.md # Prohibited functions\n"
        "ns-d3dkmddi-_dxgk_allocationinfoflags_wddm2_0.md # Overlay, Capture, CreateInVpr",
    .note =
        "Derived: the functions of overlays, capture and video protection are prohibited. What "
        "GetStandardAllocationDriverData says to types of displays is not judged.",
    .applies = computing,
    .check = check,
    .played_in = compute::kPlayedIn,
    .scenario = R"(
about: allocations that would like to live in each place
ops:
- create_allocation: {allocation: 0, place: local}
- create_allocation: {allocation: 1, place: aperture, cpu_visible: true}
- create_allocation: {allocation: 2}
)",
    .control = R"(
about: the smallest allocation
ops:
- create_allocation: {allocation: 0}
)",
    .fault = {.about = "every allocation is an overlay",
              .interposer = alters_allocations<call_it_overlay>}};

WDDM_RULE(kRule);

}  // namespace
}  // namespace wddm::mcdm_032
