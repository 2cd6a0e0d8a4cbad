// PATCH-005: paging buffers are patched without lists and without a context.

#include "conformance/host/interposer.h"
#include "conformance/rules/rule.h"
#include "reference/trace/names.h"

namespace wddm::patch_005 {
namespace {

void check_range(const Trace& trace, std::uint32_t index, Judgement& judgement) {
  const auto patched = trace.at<ev::Patched>(index);
  for (const RangeRecord& range : trace.blob<RangeRecord>(trace.events()[index])) {
    const std::uint64_t end = std::uint64_t{range.offset} + range.length;
    if (range.offset >= patched.start && end <= patched.end) continue;
    judgement.fail(
        index,
        "only bytes " + std::to_string(patched.start) + " to " + std::to_string(patched.end) +
            " of the paging buffer change",
        std::to_string(range.length) + " bytes changed at " + std::to_string(range.offset));
    return;
  }
}

void check_surroundings(const Trace& trace, Judgement& judgement) {
  for (const std::uint32_t index : trace.of<ev::GuardDamaged>()) {
    const auto damaged = trace.at<ev::GuardDamaged>(index);
    if (damaged.area != static_cast<std::uint32_t>(GuardArea::PatchedPagingBuffer)) continue;
    judgement.fail(index, "Patch writes nothing outside of the paging buffer",
                   std::to_string(damaged.bytes) + " bytes from " + std::to_string(damaged.first) +
                       " on are changed");
  }
}

void check(const Trace& trace, const Platform&, Judgement& judgement) {
  check_surroundings(trace, judgement);
  // The host records addresses right before it patches a packet that has a list.
  std::uint32_t listed = kNone, entered = kNone;
  for (const std::uint32_t index :
       trace.of_any<ev::PatchAddresses, ev::DdiEntered, ev::Hung, ev::Patched>()) {
    const Event& event = trace.events()[index];
    if (event.kind == EventKind::PatchAddresses) {
      listed = Trace::as<ev::PatchAddresses>(event).packet;
    } else if (event.kind == EventKind::DdiEntered) {
      const auto call = Trace::as<ev::DdiEntered>(event);
      if (call.ddi != static_cast<std::uint32_t>(DdiId::Patch)) continue;
      entered = call.object != listed ? index : kNone;
      listed = kNone;
    } else {
      entered = kNone;  // a Patch that waits is no fault
      if (event.kind == EventKind::Hung || Trace::as<ev::Patched>(event).paging == 0) continue;
      judgement.reached(index);
      check_range(trace, index, judgement);
    }
  }
  // A crash ends the process, and the trace with it.
  if (entered == kNone || trace.truncated()) return;
  judgement.reached(entered);
  judgement.fail(entered, "Patch copes with hContext and both lists being NULL",
                 "it did not return");
}

// A driver that ends each paging buffer with a command more, behind what was submitted.
class AppendsCommand final : public Interposer {
 public:
  NTSTATUS Patch(HANDLE adapter, const DXGKARG_PATCH* patch) override {
    const NTSTATUS status = Interposer::Patch(adapter, patch);
    const UINT end = patch->DmaBufferSubmissionEndOffset;
    if (patch->Flags.Paging && end < patch->DmaBufferSize) {
      static_cast<UCHAR*>(patch->pDmaBuffer)[end] ^= 1;
    }
    return status;
  }
};

NotApplicable paging_patched(const Platform& platform) {
  if (const NotApplicable reason = paging(platform)) return reason;
  if (platform.virtual_addressing) return "virtual addressing: paging buffers are not patched";
  return needs(platform, DdiId::Patch);
}

const Rule kRule{
    .id = "PATCH-005",
    .title = "Paging buffers are patched without lists and without a context",
    .rule =
        "For a paging buffer pAllocationList and pPatchLocationList are NULL and all list sizes "
        "and "
        "ranges are 0; hContext may be NULL. Patch copes with that, may make last changes, and "
        "keeps to the submitted bytes.",
    .sources =
        "ns-d3dkmddi-_dxgkarg_patch.md # hContext, pAllocationList, pPatchLocationList\n"
        "nc-d3dkmddi-dxgkddi_buildpagingbuffer.md # Remarks (Patch)\n"
        "nc-d3dkmddi-dxgkddi_submitcommand.md # Remarks",
    .note =
        "That the size stays as it is means here that no byte behind the submitted range "
        "changes; Patch has no argument to report another size with. That Patch may be left out is "
        "no part of this clause: pages disagree, and a driver may write its fence in Patch "
        "(supplying-fence-identifiers.md).",
    .applies = paging_patched,
    .check = check,
    .scenario = R"(
about: a page-in and an eviction, both patched
ops:
- create_allocation: {allocation: 0, place: local}
- make_resident: {allocation: 0}
- fill_memory: {allocation: 0}
- evict: {allocation: 0}
- idle
)",
    .control = R"(
about: a page-in and an eviction in several buffers, each patched
ops:
- transfer_chunk: {pages: 1}
- create_allocation: {allocation: 0, pages: 2, place: local}
- make_resident: {allocation: 0}
- fill_memory: {allocation: 0}
- evict: {allocation: 0}
- idle
)",
    .fault = {.about = "the byte behind the submitted range changes",
              .interposer = [] { return std::unique_ptr<Interposer>(new AppendsCommand); }}};

WDDM_RULE(kRule);

}  // namespace
}  // namespace wddm::patch_005
