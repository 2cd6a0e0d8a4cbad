// APER-005: a page of the CPU host aperture is as large as those of its segment.
//
// That the pages are the right ones at all is PT-021, of segments with pages of 4 KB too.

#include "conformance/rules/aper/aperture_segments.h"

namespace wddm::aper_005 {
namespace {

constexpr std::uint32_t kSmallPage = 4096;

void check(const Trace& trace, const Platform&, Judgement& judgement) {
  for (const std::uint32_t index : trace.of<ev::HostApertureMapped>()) {
    const auto mapped = trace.at<ev::HostApertureMapped>(index);
    if (mapped.page_bytes <= kSmallPage || mapped.compared == 0) continue;
    judgement.reached(index);
    if (mapped.wrong == 0) continue;
    judgement.fail(index,
                   "aperture page i begins " + std::to_string(mapped.page_bytes) +
                       " bytes behind page i - 1, and shows all of its segment page",
                   std::to_string(mapped.wrong) + " of " + std::to_string(mapped.compared) +
                       " bytes are others, first at aperture page " +
                       std::to_string(mapped.first_wrong) + " of segment " +
                       std::to_string(mapped.segment));
  }
}

NotApplicable large_pages_behind_an_aperture(const Platform& platform) {
  return aper::segment_with(
      platform, aper::kSupportsCpuHostAperture | aper::kUse64KbPages,
      "no CPU host aperture of 64-KB pages: no segment with one has Use64KBPages");
}

const Rule kRule{
    .id = "APER-005",
    .title = "Pages of a CPU host aperture are as large as those of its segment",
    .evidence = Evidence::Memory,
    .rule =
        "In MapCpuHostAperture and UnmapCpuHostAperture a page of the aperture and one of the "
        "segment are of 64 KB where the segment has Use64KBPages, else of 4 KB. A page is mapped "
        "from its first byte to its last, also where an allocation covers only a part of it.",
    .sources =
        "ns-d3dkmddi-_dxgkarg_mapcpuhostaperture.md # PhysicalAdapterIndex\n"
        "ns-d3dkmddi-_dxgkarg_unmapcpuhostaperture.md # PhysicalAdapterIndex\n"
        "cpu-host-aperature.md",
    .note =
        "SizeInPages is said to count the CPU's pages. Where as many pages of 64 KB do not fit "
        "into what the device decodes there, as many are used as 4-KB pages would make.",
    .applies = large_pages_behind_an_aperture,
    .check = check,
    .played_in = {Configured::HostAperture64K},
    .scenario = R"(
about: the adapter starts, twice
ops:
- start
- stop
- start
)",
    .control = R"(
about: the same, with work afterwards
ops:
- create_context: {context: 1}
- create_allocation: {allocation: 1, place: local}
- render: {context: 1}
- bind: {slot: 1, allocation: 1}
- fill: {slot: 1, offset: 0, size: 4096, value: 0x11111111}
- idle
)",
    .fault = {.about = "indices count pages of 4 KB, whatever the segment says",
              .seat = FaultSeat::Variant,
              .variant = 24,
              .also_fires = "PT-021"}};

WDDM_RULE(kRule);

}  // namespace
}  // namespace wddm::aper_005
