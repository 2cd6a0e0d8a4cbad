// MCDM-031: a device that only computes is no display: it gets no mode, and is asked for no
// primary.

#include "conformance/rules/mcdm/compute_only.h"
#include "reference/trace/op.h"

namespace wddm::mcdm_031 {
namespace {

void check(const Trace& trace, const Platform&, Judgement& judgement) {
  // It goes with all questions that such a device is asked, and may be none.
  for (const std::uint32_t index : trace.of<ev::OpStarted>()) {
    const auto op = trace.at<ev::OpStarted>(index);
    if (static_cast<OpKind>(op.kind) == OpKind::Requery) judgement.reached(index);
  }
  for (const std::uint32_t index : trace.of<ev::StandardDataAnswered>()) {
    judgement.reached(index);
    const auto answered = trace.at<ev::StandardDataAnswered>(index);
    if (answered.type != D3DKMDT_STANDARDALLOCATION_SHAREDPRIMARYSURFACE) continue;
    judgement.fail(index, "no shared primary on a device without displays",
                   "GetStandardAllocationDriverData is asked for one");
  }
  for (const std::uint32_t index : trace.of<ev::CallbackCalled>()) {
    const auto called = trace.at<ev::CallbackCalled>(index);
    if (static_cast<CallbackId>(called.callback) != CallbackId::AcquirePostDisplayOwnership) {
      continue;
    }
    judgement.reached(index);
    if (!NT_SUCCESS(static_cast<NTSTATUS>(called.result))) continue;
    judgement.fail(index, "DxgkCbAcquirePostDisplayOwnership fails on a device without displays",
                   status_name(called.result));
  }
}

const Rule kRule{
    .id = "MCDM-031",
    .title = "The OS gives no display role to the adapter",
    .binds = Binds::Os,
    .rule =
        "A device that only computes is asked for no shared primary, and "
        "DxgkCbAcquirePostDisplayOwnership gives it nothing.",
    .sources =
        "wddm-in-windows-8.md # Introduction (driver types)\n"
        "nc-dispmprt-dxgkcb_acquire_post_display_ownership.md # Remarks",
    .note =
        "That such a device is no primary graphics device is stated for render-only drivers; what "
        "follows for calls is derived. The callback could also succeed with a width of 0: this "
        "host "
        "refuses it.",
    .applies = compute::only,
    .check = check,
    .played_in = compute::kPlayedIn,
    .scenario = R"(
about: every standard allocation that such a device is asked for
ops:
- requery
)",
    .control = R"(
about: surfaces of the system's own come and go
ops:
- requery: {allocations: 2, standard: 3}
)",
    .fault = {.about = "the device is asked for a shared primary",
              .seat = FaultSeat::Oracle,
              .oracle = OracleFault::AskForPrimary}};

WDDM_RULE(kRule);

}  // namespace
}  // namespace wddm::mcdm_031
