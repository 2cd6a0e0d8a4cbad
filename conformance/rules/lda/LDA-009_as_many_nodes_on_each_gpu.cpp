// LDA-009: the GPUs of a link have the same number of nodes.

#include "conformance/host/interposer.h"
#include "conformance/rules/lda/link.h"

namespace wddm::lda_009 {
namespace {

void check(const Trace& trace, const Platform& platform, Judgement& judgement) {
  std::uint32_t lead = kNone;  // PhysicalAdapterReported of GPU 0
  ev::PhysicalAdapterReported said_of_lead{};
  for (const std::uint32_t index : trace.of<ev::PhysicalAdapterReported>()) {
    const auto said = trace.at<ev::PhysicalAdapterReported>(index);
    if (said.physical_adapter >= platform.linked_adapters) continue;
    const bool answered = lda::succeeded(said.status);
    if (said.physical_adapter == 0) {
      lead = answered ? index : kNone;
      said_of_lead = said;
    } else if (answered && lead != kNone && said.round == said_of_lead.round) {
      judgement.reached(index);
      if (said.nodes == said_of_lead.nodes) continue;
      judgement.fail(index,
                     "NumExecutionNodes " + std::to_string(said_of_lead.nodes) + ", as of GPU 0",
                     std::to_string(said.nodes) + " of GPU " +
                         std::to_string(said.physical_adapter),
                     {lead});
    }
  }
}

// A link of a GPU and its smaller sister.
class LacksANode final : public Interposer {
 public:
  NTSTATUS QueryAdapterInfo(HANDLE adapter, const DXGKARG_QUERYADAPTERINFO* query) override {
    const NTSTATUS status = Interposer::QueryAdapterInfo(adapter, query);
    if (query->Type != DXGKQAITYPE_PHYSICALADAPTERCAPS || !NT_SUCCESS(status)) return status;
    const auto& in = *static_cast<const DXGK_QUERYPHYSICALADAPTERCAPSIN*>(query->pInputData);
    auto& caps = *static_cast<DXGK_PHYSICALADAPTERCAPS*>(query->pOutputData);
    if (in.PhysicalAdapterIndex != 0) --caps.NumExecutionNodes;
    return status;
  }
};

const Rule kRule{
    .id = "LDA-009",
    .title = "Linked adapters are symmetric",
    .rule = "All physical adapters of a link have the same number of nodes.",
    .sources =
        "tdr-changes-in-windows-8.md # Engines\n"
        "ns-d3dkmddi-_dxgk_physicaladaptercaps.md # NumExecutionNodes",
    .note =
        "What the catalogue asks of vertical retraces beside it (PhysicalAdapterMask and its flag) "
        "is not judged: nothing is displayed here.",
    .applies = lda::linked,
    .check = check,
    .played_in = {Configured::Linked, Configured::LinkedUnlike, Configured::LinkedIoMmu},
    .scenario = R"(
about: each GPU of a link says how many nodes it has
ops:
- start
)",
    .control = R"(
about: they are asked again
ops:
- requery
)",
    .fault = {.about = "the second GPU has a node less",
              .interposer = [] { return std::unique_ptr<Interposer>(new LacksANode); }}};

WDDM_RULE(kRule);

}  // namespace
}  // namespace wddm::lda_009
