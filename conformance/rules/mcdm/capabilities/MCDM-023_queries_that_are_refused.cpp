// MCDM-023: queries of displays and older models are refused where a device only computes.

#include <algorithm>
#include <iterator>

#include "conformance/rules/caps/query_names.h"
#include "conformance/rules/mcdm/compute_only.h"

namespace wddm::mcdm_023 {
namespace {

constexpr std::uint32_t kRefused[] = {DXGKQAITYPE_QUERYSEGMENT,
                                      DXGKQAITYPE_QUERYSEGMENT2,
                                      DXGKQAITYPE_QUERYSEGMENT3,
                                      DXGKQAITYPE_PREFERREDGPUNODE,
                                      DXGKQAITYPE_POWERCOMPONENTPSTATEINFO,
                                      DXGKQAITYPE_DISPLAY_DRIVERCAPS_EXTENSION,
                                      DXGKQAITYPE_INTEGRATED_DISPLAY_DESCRIPTOR,
                                      DXGKQAITYPE_UEFIFRAMEBUFFERRANGES,
                                      DXGKQAITYPE_QUERYCOLORIMETRYOVERRIDES,
                                      DXGKQAITYPE_DISPLAYID_DESCRIPTOR,
                                      DXGKQAITYPE_INTEGRATED_DISPLAY_DESCRIPTOR2,
                                      DXGKQAITYPE_DEVICE_TYPE_CAPS};

void check(const Trace& trace, const Platform&, Judgement& judgement) {
  for (const std::uint32_t index : trace.of<ev::InfoAnswered>()) {
    const auto answer = trace.at<ev::InfoAnswered>(index);
    if (static_cast<InfoQuestion>(answer.how) != InfoQuestion::Plain) continue;
    const bool listed =
        std::find(std::begin(kRefused), std::end(kRefused), answer.type) != std::end(kRefused);
    if (!listed) continue;
    judgement.reached(index);
    if (!NT_SUCCESS(static_cast<NTSTATUS>(answer.status))) continue;
    judgement.fail(index, "a failure", caps::query_name(answer.type) + ": it succeeds");
  }
}

// A driver that answers older systems too.
class AnswersOlder final : public Interposer {
 public:
  NTSTATUS QueryAdapterInfo(HANDLE adapter, const DXGKARG_QUERYADAPTERINFO* query) override {
    if (query->Type != DXGKQAITYPE_QUERYSEGMENT3) {
      return Interposer::QueryAdapterInfo(adapter, query);
    }
    static_cast<DXGK_QUERYSEGMENTOUT3*>(query->pOutputData)->NbSegment = 1;
    return STATUS_SUCCESS;
  }
};

const Rule kRule{
    .id = "MCDM-023",
    .title = "Queries that must not be supported are refused",
    .rule =
        "A driver of a device that only computes fails QueryAdapterInfo for older forms of the "
        "segment query, for the preferred node, P-states, and for all types of displays.",
    .sources =
        "mcdm-implementation-guidelines.md # Query adapter info requirements (must not be "
        "supported)\n"
        "ne-d3dkmddi-_dxgk_queryadapterinfotype.md # enumerators",
    .note =
        "Which failure it is no page says, nor that an output must stay as it is where a query "
        "fails: nobody reads it then.",
    .applies = compute::only,
    .check = check,
    .played_in = compute::kPlayedIn,
    .scenario = R"(
about: each type
ops:
- requery
)",
    .control = R"(
about: each type, twice
ops:
- requery
- requery
)",
    .fault = {.about = "QUERYSEGMENT3 is answered",
              .interposer = [] { return std::unique_ptr<Interposer>(new AnswersOlder); }}};

WDDM_RULE(kRule);

}  // namespace
}  // namespace wddm::mcdm_023
