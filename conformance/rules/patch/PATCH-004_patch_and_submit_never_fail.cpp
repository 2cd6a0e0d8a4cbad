// PATCH-004: Patch and SubmitCommand never fail.

#include "conformance/host/interposer.h"
#include "conformance/rules/rule.h"
#include "reference/trace/names.h"

namespace wddm::patch_004 {
namespace {

void judge(std::uint32_t index, std::uint32_t status, const char* ddi, Judgement& judgement) {
  judgement.reached(index);
  if (status == 0) return;
  judgement.fail(index, std::string(ddi) + " returns STATUS_SUCCESS",
                 "it returned " + status_name(status));
}

void check(const Trace& trace, const Platform&, Judgement& judgement) {
  for (const std::uint32_t index : trace.of<ev::Patched>()) {
    judge(index, trace.at<ev::Patched>(index).status, "Patch", judgement);
  }
  for (const std::uint32_t index : trace.of<ev::Submitted>()) {
    judge(index, trace.at<ev::Submitted>(index).status, "SubmitCommand", judgement);
  }
}

// A driver that takes a portion without patch locations for a mistake of its caller.
class RefusesEmptyRange final : public Interposer {
 public:
  NTSTATUS Patch(HANDLE adapter, const DXGKARG_PATCH* patch) override {
    const NTSTATUS status = Interposer::Patch(adapter, patch);
    const bool empty = !patch->Flags.Paging && patch->PatchLocationListSubmissionLength == 0;
    return empty ? STATUS_INVALID_PARAMETER : status;
  }
};

NotApplicable submitting_by_patch_lists(const Platform& platform) {
  if (platform.has_virtual_addresses())
    return "GPU virtual addresses: SubmitCommandVirtual may refuse";
  return submitting(platform);
}

const Rule kRule{
    .id = "PATCH-004",
    .aliases = "SUBMIT-001",
    .title = "Patch and SubmitCommand never fail",
    .rule =
        "Patch and SubmitCommand return STATUS_SUCCESS for every well-formed request; anything "
        "else stops Windows (bug check 0x119). What can be bad is refused in Render.",
    .sources =
        "nc-d3dkmddi-dxgkddi_patch.md # returns, Remarks\n"
        "nc-d3dkmddi-dxgkddi_submitcommand.md # returns, Remarks\n"
        "bug-check-0x119---video-scheduler-internal-error.md # 0x2, 0x3",
    .applies = submitting_by_patch_lists,
    .check = check,
    .scenario = R"(
about: the part before the first split point has no patch location
ops:
- create_allocation: {allocation: 0}
- create_context: {context: 0}
- split_points: {take: all}
- render: {context: 0}
- spin: {units: 1}
- bind: {slot: 0, allocation: 0}
- fill: {slot: 0}
- idle
)",
    .control = R"(
about: each part has patch locations; then a buffer without any between two that have some
ops:
- create_allocation: {allocation: 0}
- create_context: {context: 0}
- render: {context: 0}
- bind: {slot: 0, allocation: 0}
- fill: {slot: 0}
- idle
# On another device, which has nothing that a buffer of the host's ends with: empty lists between
# others.
- create_device: {device: 1}
- create_context: {context: 1, device: 1}
- create_allocation: {allocation: 1, device: 1}
- render: {context: 1}
- bind: {slot: 0, allocation: 1}
- fill: {slot: 0}
- render: {context: 1}
- spin: {units: 1}
- render: {context: 1}
- bind: {slot: 0, allocation: 1}
- add: {slot: 0}
- idle
)",
    .fault = {.about = "Patch fails when its range of patch locations is empty",
              .interposer = [] { return std::unique_ptr<Interposer>(new RefusesEmptyRange); }}};

WDDM_RULE(kRule);

}  // namespace
}  // namespace wddm::patch_004
