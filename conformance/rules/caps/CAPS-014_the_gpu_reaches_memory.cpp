// CAPS-014: the highest address that the GPU accepts is one.

#include "conformance/rules/caps/answered_caps.h"

namespace wddm::caps_014 {
namespace {

constexpr std::uint64_t kPage = 4096;

void check(const Trace& trace, const Platform&, Judgement& judgement) {
  for (const std::uint32_t index : trace.of<ev::CapsReported>()) {
    const auto reported = trace.at<ev::CapsReported>(index);
    if (reported.status != 0) continue;
    judgement.reached(index);
    if (reported.highest_address >= kPage) continue;
    judgement.fail(index, "HighestAcceptableAddress: the last byte of memory that the GPU reaches",
                   std::to_string(reported.highest_address) + ", which leaves no page of memory");
  }
}

void alter(DXGK_DRIVERCAPS& caps) {
  caps.HighestAcceptableAddress.QuadPart = 0;
}

const Rule kRule{
    .id = "CAPS-014",
    .title = "HighestAcceptableAddress leaves memory to use",
    .rule =
        "HighestAcceptableAddress is the highest physical address that the GPU reaches: DMA and "
        "paging buffers and what is paged out lie below it, so that it is not within the first "
        "page.",
    .sources = "ns-d3dkmddi-_dxgk_drivercaps.md # HighestAcceptableAddress",
    .note = "How much memory it must leave no page says, but for devices that only compute.",
    .applies = needs_caps,
    .check = check,
    .played_in = kBothAddressings,
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
    .fault = {.about = "HighestAcceptableAddress is 0", .interposer = answers::alters_caps<alter>}};

WDDM_RULE(kRule);

}  // namespace
}  // namespace wddm::caps_014
