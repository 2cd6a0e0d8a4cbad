// LDA-012: a query about a GPU that is not in the link is refused.

#include "conformance/host/interposer.h"
#include "conformance/rules/caps/query_names.h"
#include "conformance/rules/lda/link.h"

namespace wddm::lda_012 {
namespace {

void check(const Trace& trace, const Platform&, Judgement& judgement) {
  for (const std::uint32_t index : trace.of<ev::InfoAnswered>()) {
    const auto said = trace.at<ev::InfoAnswered>(index);
    if (static_cast<InfoQuestion>(said.how) != InfoQuestion::WrongIndex) continue;
    judgement.reached(index);
    if (!lda::succeeded(said.status)) continue;
    judgement.fail(index, "a failure for a PhysicalAdapterIndex that no GPU of the link has",
                   caps::query_name(said.type) + ": it succeeds");
  }
}

// A driver whose lead answers for whoever is not there.
class AnswersForNobody final : public Interposer {
 public:
  NTSTATUS QueryAdapterInfo(HANDLE adapter, const DXGKARG_QUERYADAPTERINFO* query) override {
    const NTSTATUS status = Interposer::QueryAdapterInfo(adapter, query);
    if (query->Type != DXGKQAITYPE_PHYSICALADAPTERCAPS || NT_SUCCESS(status)) return status;
    DXGK_QUERYPHYSICALADAPTERCAPSIN lead{};
    DXGKARG_QUERYADAPTERINFO altered = *query;
    altered.pInputData = &lead;
    return Interposer::QueryAdapterInfo(adapter, &altered);
  }
};

const Rule kRule{
    .id = "LDA-012",
    .title = "Queries about a GPU that is not in the link are refused",
    .level = Level::Should,
    .rule =
        "DxgkDdiQueryAdapterInfo fails for a PhysicalAdapterIndex that no GPU of the link has, in "
        "queries for segments, for the MMU and for a physical adapter.",
    .sources =
        "nc-d3dkmddi-dxgkddi_queryadapterinfo.md # Return value\n"
        "ns-d3dkmddi-_dxgk_querygpummucapsin.md # PhysicalAdapterIndex\n"
        "ns-d3dkmddi-_dxgk_querysegmentin4.md # PhysicalAdapterIndex",
    .note =
        "Windows asks about GPUs that it has linked, so that the worst a driver risks that answers "
        "is what nobody asks; the pages have STATUS_INVALID_PARAMETER for parameters in error, and "
        "name no index beyond the link. Hence no duty; which failure it is does not matter. What "
        "GPUs of the link answer is LDA-002, levels of others MMU-003.",
    .applies = lda::linked,
    .check = check,
    .played_in = {Configured::Linked, Configured::LinkedUnlike, Configured::LinkedIoMmuAlone},
    .scenario = R"(
about: each query that names a GPU names the first behind those of the link
ops:
- prefill
- requery
)",
    .control = R"(
about: asked twice, the link is asked as it is in between
ops:
- prefill
- requery
- cycle: {count: 1, depth: add}
- start
- requery
)",
    .fault = {.about = "the lead answers for a physical adapter that is not there",
              .interposer = [] { return std::unique_ptr<Interposer>(new AnswersForNobody); }}};

WDDM_RULE(kRule);

}  // namespace
}  // namespace wddm::lda_012
