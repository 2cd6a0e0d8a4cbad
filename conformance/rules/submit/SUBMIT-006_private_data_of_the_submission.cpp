// SUBMIT-006: SubmitCommand takes its private data from the range of the submission.

#include "conformance/host/interposer.h"
#include "conformance/rules/rule.h"

namespace wddm::submit_006 {
namespace {

void check(const Trace& trace, const Platform&, Judgement& judgement) {
  for (const std::uint32_t index : trace.of<ev::PrivateDataKept>()) {
    const auto kept = trace.at<ev::PrivateDataKept>(index);
    judgement.reached(index);
    if (kept.outside == 0) continue;
    judgement.fail(index,
                   "SubmitCommand writes private data from " + std::to_string(kept.start) + " to " +
                       std::to_string(kept.end) + " alone",
                   std::to_string(kept.outside) + " bytes beside them are changed, the first at " +
                       std::to_string(static_cast<std::int32_t>(kept.first)));
  }
}

// A driver that notes the fence behind what Render has left for it.
class NotesTheFence final : public Interposer {
 public:
  NTSTATUS SubmitCommand(HANDLE adapter, const DXGKARG_SUBMITCOMMAND* submit) override {
    const UINT at = submit->DmaBufferPrivateDataSubmissionEndOffset;
    const UINT size = submit->DmaBufferPrivateDataSize;
    if (!submit->Flags.Paging && (size == 0 || size >= at + sizeof(UINT))) {
      auto* const bytes = static_cast<UCHAR*>(submit->pDmaBufferPrivateData) + at;
      const UINT fence = ~submit->SubmissionFenceId;
      for (UINT i = 0; i < sizeof fence; ++i) bytes[i] = static_cast<UCHAR>(fence >> 8 * i);
    }
    return Interposer::SubmitCommand(adapter, submit);
  }
};

NotApplicable submitting_by_patch_lists(const Platform& platform) {
  if (platform.has_virtual_addresses()) {
    return "GPU virtual addresses: the private data of a submission stand alone (PROC-009)";
  }
  return submitting(platform);
}

const Rule kRule{
    .id = "SUBMIT-006",
    .title = "Private data is used only within its submitted range",
    .rule =
        "The private data of a submission are the bytes from "
        "DmaBufferPrivateDataSubmissionStartOffset to ...EndOffset of pDmaBufferPrivateData. "
        "SubmitCommand writes nothing beside them, of their buffer or next to it, and takes "
        "nothing from there.",
    .sources = "ns-d3dkmddi-_dxgkarg_submitcommand.md # DmaBufferPrivateData*",
    .note =
        "Judged is what is written. Nobody alters what lies beside the range, since Windows never "
        "touches private data: a driver that reads the data of another operation there breaks the "
        "clauses that say what packets do. Who has asked for none is given none, and writes "
        "nowhere; the scenario's prefill has that told. Of a paging buffer the rest behind the "
        "range is left out: the next operation may be in the making there.",
    .applies = submitting_by_patch_lists,
    .check = check,
    .scenario = R"(
about: paging operations that share a buffer, and a client's buffer
ops:
- prefill
- create_context: {context: 0}
- create_allocation: {allocation: 0, pages: 4, place: local}
- make_resident: {allocation: 0}
- fill_memory: {allocation: 0}
- render: {context: 0}
- bind: {slot: 0, allocation: 0}
- fill: {slot: 0}
- idle
- evict: {allocation: 0}
- idle
)",
    .control = R"(
about: nothing is altered
ops:
- create_context: {context: 0}
- render: {context: 0}
- idle
)",
    .fault = {.about = "SubmitCommand writes the fence behind the private data",
              .interposer = [] { return std::unique_ptr<Interposer>(new NotesTheFence); }}};

WDDM_RULE(kRule);

}  // namespace
}  // namespace wddm::submit_006
