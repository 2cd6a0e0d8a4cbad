// PATCH-003: patching can be repeated.

#include <cstring>
#include <vector>

#include "conformance/host/interposer.h"
#include "conformance/rules/preempt/moved_while_stopped.h"
#include "conformance/rules/rule.h"

namespace wddm::patch_003 {
namespace {

void check(const Trace& trace, const Platform&, Judgement& judgement) {
  for (const std::uint32_t index : trace.of<ev::RepatchCompared>()) {
    const auto compared = trace.at<ev::RepatchCompared>(index);
    judgement.reached(index);
    if (compared.different == 0) continue;
    judgement.fail(index, "patching again gives the bytes that a fresh copy patched once has",
                   std::to_string(compared.different) + " bytes differ, the first at " +
                       std::to_string(compared.first));
  }
}

// A driver that ORs addresses into the fields, and so relies on what Render left in them.
class Accumulates final : public Interposer {
 public:
  NTSTATUS Patch(HANDLE adapter, const DXGKARG_PATCH* patch) override {
    auto* const bytes = static_cast<UCHAR*>(patch->pDmaBuffer);
    const std::vector<UCHAR> before(bytes, bytes + patch->DmaBufferSize);
    if (patch->SubmissionFenceId != fence_) {
      fence_ = patch->SubmissionFenceId;
      fresh_ = before;
    }
    const NTSTATUS status = Interposer::Patch(adapter, patch);
    if (patch->Flags.Paging || before == fresh_) return status;
    for (UINT i = patch->DmaBufferSubmissionStartOffset; i < patch->DmaBufferSubmissionEndOffset;
         ++i) {
      bytes[i] |= before[i];
    }
    return status;
  }

 private:
  UINT fence_ = 0;
  std::vector<UCHAR> fresh_;
};

const Rule kRule{
    .id = "PATCH-003",
    .aliases = "SUBMIT-012",
    .title = "Patching can be repeated",
    .rule =
        "Patch may be called several times on one portion. The bytes then depend on the last "
        "call's allocation list only, and equal those of a fresh copy that is patched once.",
    .sources =
        "nc-d3dkmddi-dxgkddi_patch.md # Remarks (patched multiple times)\n"
        "nc-d3dkmddi-dxgkddi_render.md # Remarks (repatch)",
    .note =
        "All calls are for one submission, with its fence and its buffer; private data are as "
        "before for the fresh copy. A driver that counts calls in what it writes differs. "
        "That Patch stays in the range of its portion is PATCH-002, that it succeeds PATCH-004.",
    .applies = patching,
    .check = check,
    .scenario = R"(
about: two calls with other addresses before the right one, one of them in another segment where there is a choice
ops:
- create_allocation: {allocation: 0, place: local}
- create_allocation: {allocation: 1}
- create_context: {context: 0}
- prepatch: {mode: never_prepatch}
- repatch: {times: 2}
- render: {context: 0}
- bind: {slot: 0, allocation: 0}
- bind: {slot: 1, allocation: 1}
- copy: {slot: 1, source: 0}
- idle
)",
    .control = R"(
about: each packet is patched once; then one each time that it is submitted
ops:
- create_allocation: {allocation: 0, place: local}
- create_context: {context: 0}
- prepatch: {mode: never_prepatch}
- render: {context: 0}
- bind: {slot: 0, allocation: 0}
- fill: {slot: 0}
- render: {context: 0}
- bind: {slot: 0, allocation: 0}
- fill: {slot: 0, value: 0x11111111}
- idle
# A packet behind another is stopped twice before it begins, and its allocation has moved each time:
# it is patched for one place, for another, and for the first again.
- create_context: {context: 1}
- create_allocation: {allocation: 1, place: local}
- create_allocation: {allocation: 2, place: local}
- make_resident: {allocation: 2}
- make_resident: {allocation: 1}
- queue_depth: {packets: 2}
- render: {context: 0}
- bind: {slot: 0, allocation: 1}
- add: {slot: 0, offset: 0, value: 1}
- spin: {units: 4000}
- add: {slot: 0, offset: 4, value: 1}
- render: {context: 1}
- bind: {slot: 0, allocation: 2}
- add: {slot: 0, offset: 0, value: 1}
- advance: {units: 10}
- advance: {units: 100}
)" WDDM_MOVES_WHILE_STOPPED(2) "- advance: {units: 100}\n" WDDM_MOVES_WHILE_STOPPED(2) "- idle\n",
    .fault = {.about = "a later call ORs its addresses to those of the calls before",
              .interposer = [] { return std::unique_ptr<Interposer>(new Accumulates); }}};

WDDM_RULE(kRule);

}  // namespace
}  // namespace wddm::patch_003
