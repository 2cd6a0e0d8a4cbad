// ALLOC-020: a resource is what it was when allocations could not be added to it.

#include "conformance/host/interposer.h"
#include "conformance/rules/fails_on_purpose.h"
#include "conformance/rules/rule.h"

namespace wddm::alloc_020 {
namespace {

bool succeeded(std::uint32_t status) {
  return NT_SUCCESS(static_cast<NTSTATUS>(status));
}

void judge(std::uint32_t index, const ev::AllocationGroup& group, Judgement& judgement) {
  judgement.reached(index);
  if (!succeeded(group.status)) {
    judgement.fail(index, "what there was no memory for is added once there is",
                   "CreateAllocation with the resource's handle returned " +
                       std::string(status_name(group.status)) + " then");
  } else if (!succeeded(group.destroy_status)) {
    judgement.fail(index, "the resource goes with its last allocations",
                   "DestroyAllocation returned " + std::string(status_name(group.destroy_status)));
  }
}

// Of a scenario in which calls fail for other reasons nothing is judged from there on.
void check(const Trace& trace, const Platform&, Judgement& judgement) {
  for (const std::uint32_t index : trace.of_any<ev::OpStarted, ev::AllocationGroup>()) {
    const Event& event = trace.events()[index];
    if (event.kind == EventKind::OpStarted) {
      if (fails_on_purpose(Trace::as<ev::OpStarted>(event).kind)) return;
    } else if (const auto group = trace.at<ev::AllocationGroup>(index); group.pool_failed != 0) {
      judge(index, group, judgement);
    }
  }
}

NotApplicable creating(const Platform& platform) {
  if (const NotApplicable reason = paging(platform)) return reason;
  if (const NotApplicable reason = needs(platform, DdiId::CreateAllocation)) return reason;
  return needs(platform, DdiId::DestroyAllocation);
}

// A driver whose way back takes more than it has made: the resource goes too.
class LosesTheResource final : public Interposer {
 public:
  NTSTATUS CreateAllocation(HANDLE adapter, DXGKARG_CREATEALLOCATION* create) override {
    const HANDLE resource = create->hResource;
    if (resource != nullptr && resource == lost_) return STATUS_INVALID_PARAMETER;
    const NTSTATUS status = Interposer::CreateAllocation(adapter, create);
    if (!NT_SUCCESS(status)) lost_ = resource;
    return status;
  }

 private:
  HANDLE lost_ = nullptr;
};

const Rule kRule{
    .id = "ALLOC-020",
    .title = "What cannot be added to a resource changes nothing of it",
    .rule =
        "Where CreateAllocation fails for want of memory that was to add allocations to an "
        "existing resource, the resource and what it has stay: the same call succeeds once there "
        "is memory, and DestroyAllocation with DestroyResource ends all of it.",
    .sources =
        "nc-d3dkmddi-dxgkddi_createallocation.md # Remarks (hResource)\n"
        "ns-d3dkmddi-_dxgkarg_createallocation.md # hResource\n"
        "ns-d3dkmddi-_dxgk_destroyallocationflags.md # DestroyResource",
    .note =
        "No page says what a call that fails leaves behind; that a resource ends by "
        "DestroyResource, and by nothing else, one does. The same numbers and sizes of allocations "
        "have come in the same calls before, so that there is room for them.",
    .unreached = "CreateAllocation needs no pool to add to a resource",
    .applies = creating,
    .check = check,
    .played_in = kBothAddressings,
    .scenario = R"(
about: of four allocations of a resource the last two find no memory at first, or the last
ops:
- requery: {allocations: 4}
)",
    .control = R"(
about: of two, the resource of which nothing is added to without memory
ops:
- requery: {allocations: 2}
)",
    .fault = {.about = "a call that fails takes the resource with it",
              .interposer = [] { return std::unique_ptr<Interposer>(new LosesTheResource); }}};

WDDM_RULE(kRule);

}  // namespace
}  // namespace wddm::alloc_020
