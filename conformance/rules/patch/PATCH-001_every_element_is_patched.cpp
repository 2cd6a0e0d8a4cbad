// PATCH-001: every element of the submission range is patched with address plus offset.

#include "conformance/host/interposer.h"
#include "conformance/rules/patch/patch_lists.h"
#include "conformance/rules/rule.h"

namespace wddm {
namespace {

struct Call {
  std::uint32_t patched = kNone;
  std::uint32_t addresses = kNone;
};

void check_packet(const Trace& trace, std::uint32_t index, const Call& call, Judgement& judgement) {
  const auto decoded = trace.at<ev::Decoded>(index);
  const auto patched = trace.at<ev::Patched>(call.patched);
  const std::uint32_t rendered =
      patch::find_call<ev::Rendered>(trace, patched.render, patched.pass);
  if (rendered == kNone) return;
  // What the driver makes of altered commands may have another form, which no decoder tells.
  if (trace.at<ev::Rendered>(rendered).hostile != 0) return;
  const auto commands = trace.blob<WddmDecoded>(trace.events()[index]);
  const auto entries = trace.blob<AllocationRecord>(trace.events()[call.addresses]);
  const auto list = trace.blob<PatchRecord>(trace.events()[rendered]);
  for (const PatchRecord& element : patch::submitted(list, patched)) {
    if (element.allocation_index >= entries.size() || element.patch_offset < decoded.start)
      continue;
    const AllocationRecord& entry = entries[element.allocation_index];
    // A NULL handle releases a slot; without a segment there is no address.
    if (entry.allocation == kNone || entry.segment == 0) continue;
    const patch::Field field = patch::field_at(commands, element.patch_offset - decoded.start);
    if (field.width == 0) continue;
    judgement.reached(index);
    const std::uint64_t wanted = patch::target_of(element, entry);
    if (field.address == wanted) continue;
    judgement.fail(index,
                   "the field at PatchOffset " + patch::number(element.patch_offset) +
                       " holds PhysicalAddress plus AllocationOffset, " + patch::number(wanted),
                   "it holds " + patch::number(field.address), {rendered, call.patched});
  }
}

void check(const Trace& trace, const Platform&, Judgement& judgement) {
  Call call;
  for (const std::uint32_t index : trace.of_any<ev::PatchAddresses, ev::Patched, ev::Decoded>()) {
    const EventKind kind = trace.events()[index].kind;
    if (kind == EventKind::PatchAddresses) {
      call = {kNone, index};
    } else if (kind == EventKind::Patched) {
      call.patched = index;
    } else {
      const auto decoded = trace.at<ev::Decoded>(index);
      if (decoded.stage != static_cast<std::uint32_t>(DmaStage::AfterPatch)) continue;
      if (call.patched == kNone || call.addresses == kNone) continue;
      const auto patched = trace.at<ev::Patched>(call.patched);
      if (patched.packet != decoded.packet || patched.status != 0 ||
          trace.at<ev::PatchAddresses>(call.addresses).packet != decoded.packet) {
        continue;
      }
      check_packet(trace, index, call, judgement);
    }
  }
}

// A driver whose loop over the range begins one element late.
class BeginsLate final : public Interposer {
 public:
  NTSTATUS Patch(HANDLE adapter, const DXGKARG_PATCH* patch) override {
    DXGKARG_PATCH altered = *patch;
    if (altered.PatchLocationListSubmissionLength != 0) {
      ++altered.PatchLocationListSubmissionStart;
      --altered.PatchLocationListSubmissionLength;
    }
    return Interposer::Patch(adapter, &altered);
  }
};

NotApplicable patched_and_decoded(const Platform& platform) {
  if (const NotApplicable reason = patch_lists_and_decoder(platform)) return reason;
  if (platform.scheduling.no_dma_patching()) return patch::kNoDmaPatching;
  return needs(platform, DdiId::Patch);
}

const Rule kRule{
    .id = "PATCH-001",
    .title = "Every element of the submission range is patched with address plus offset",
    .rule =
        "For each element of the submission range that names an allocation, the field at "
        "PatchOffset holds PhysicalAddress of its allocation-list entry plus AllocationOffset, "
        "written in place, in whatever segment the allocation is.",
    .sources =
        "nc-d3dkmddi-dxgkddi_patch.md # Remarks\n"
        "ns-d3dkmddi-_dxgkarg_patch.md # PatchLocationListSubmissionStart, Length\n"
        "patching-a-dma-buffer.md\n"
        "ns-d3dukmdt-_d3dddi_patchlocationlist.md # AllocationOffset, PatchOffset",
    .note =
        "Needs the client's decoder to read the fields. Without one, wrong addresses show in "
        "memory. Of buffers that hostile user mode has altered the decoder cannot know the form.",
    .applies = patched_and_decoded,
    .check = check,
    .scenario = R"(
about: the allocation moves between Render and Patch
ops:
- create_allocation: {allocation: 0, place: local}
- make_resident: {allocation: 0}
- create_context: {context: 0}
- prepatch: {mode: always_repatch}
- render: {context: 0}
- bind: {slot: 0, allocation: 0}
- fill: {slot: 0, offset: 1024, size: 2048}
- idle
)",
    .control = R"(
about: elements that release a slot name no allocation and are not patched; then the last words of large allocations
ops:
- create_allocation: {allocation: 0, place: local}
- create_allocation: {allocation: 1, place: local}
- create_context: {context: 0}
- split_points: {take: all}
- render: {context: 0}
- bind: {slot: 0, allocation: 0}
- bind: {slot: 1, allocation: 1}
- copy: {slot: 0, source: 1}
- unbind: {slot: 1}
- fill: {slot: 0}
- idle
# The last words of as much as there is. What is larger than the driver's memory is not made.
- create_allocation: {allocation: 2, pages: 160, place: local}
- create_allocation: {allocation: 3, pages: 4096, place: local}
- render: {context: 0}
- bind: {slot: 0, allocation: 2}
- fill: {slot: 0, offset: 65532, size: 8, value: 0x11111111}
- fill: {slot: 0, offset: 655356, size: 4, value: 0x22222222}
- bind: {slot: 1, allocation: 3}
- fill: {slot: 1, offset: 1048572, size: 8, value: 0x33333333}
- fill: {slot: 1, offset: 16777212, size: 4, value: 0x44444444}
- idle
)",
    .fault = {.about = "the first element of the range is left out",
              .interposer = [] { return std::unique_ptr<Interposer>(new BeginsLate); },
              .also_fires = "SUBMIT-015"}};

WDDM_RULE(kRule);

}  // namespace
}  // namespace wddm
