// PATCH-001: every element of the submission range is patched with address plus offset.

#include "conformance/host/interposer.h"
#include "conformance/rules/patch/patch_lists.h"
#include "conformance/rules/rule.h"
#include "conformance/rules/scratch.h"

namespace wddm::patch_001 {
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

bool changes(const Trace& trace, std::uint32_t patched, std::uint32_t offset, std::uint32_t width) {
  for (const RangeRecord& range : trace.blob<RangeRecord>(trace.events()[patched])) {
    if (range.offset < offset + width && offset < range.offset + range.length) return true;
  }
  return false;
}

// An address may be patched in parts, each with an element of its own, of which a move changes
// some. What the decoder finds to lead elsewhere is no part of it, but the next address.
bool changes_in_part(const Trace& trace, std::uint32_t patched, std::span<const PatchRecord> list,
                     const PatchRecord& element, std::span<const WddmDecoded> commands,
                     std::uint32_t start) {
  constexpr std::uint32_t kAddress = 8;  // bytes
  const patch::Field field = patch::field_at(commands, element.patch_offset - start);
  for (const PatchRecord& part : list) {
    if (part.allocation_index != element.allocation_index || part.patch_offset < start) continue;
    if (part.patch_offset + kAddress <= element.patch_offset ||
        element.patch_offset + kAddress <= part.patch_offset) {
      continue;
    }
    const patch::Field beside = patch::field_at(commands, part.patch_offset - start);
    if (beside.width != 0 && beside.address != field.address) continue;
    if (changes(trace, patched, part.patch_offset, field.width)) return true;
  }
  return false;
}

// A packet that was preempted is patched again like any other: a field whose address is another one
// than at the call before changes, whether its command is to run once more or not.
void check_next_call(const Trace& trace, std::uint32_t index, const Call& before, const Call& call,
                     Judgement& judgement) {
  const auto decoded = trace.at<ev::Decoded>(index);
  const auto patched = trace.at<ev::Patched>(call.patched);
  if (patched.status != 0 || trace.at<ev::Patched>(before.patched).status != 0) return;
  const std::uint32_t rendered =
      patch::find_call<ev::Rendered>(trace, patched.render, patched.pass);
  if (rendered == kNone || trace.at<ev::Rendered>(rendered).hostile != 0) return;
  const auto commands = trace.blob<WddmDecoded>(trace.events()[index]);
  const auto was = trace.blob<AllocationRecord>(trace.events()[before.addresses]);
  const auto is = trace.blob<AllocationRecord>(trace.events()[call.addresses]);
  const auto list = patch::submitted(trace.blob<PatchRecord>(trace.events()[rendered]), patched);
  for (const PatchRecord& element : list) {
    const std::uint32_t entry = element.allocation_index;
    if (entry >= was.size() || entry >= is.size() || element.patch_offset < decoded.start) continue;
    // In another segment a field may be the same, and what names the segment another one.
    if (is[entry].allocation == kNone || is[entry].segment == 0) continue;
    if (was[entry].segment != is[entry].segment) continue;
    if (was[entry].address == is[entry].address) continue;
    const patch::Field field = patch::field_at(commands, element.patch_offset - decoded.start);
    if (field.width == 0) continue;
    judgement.reached(call.patched);
    if (changes(trace, call.patched, element.patch_offset, field.width) ||
        changes_in_part(trace, call.patched, list, element, commands, decoded.start)) {
      continue;
    }
    judgement.fail(call.patched,
                   "the field at PatchOffset " + patch::number(element.patch_offset) +
                       " changes with its address, though the packet was submitted before",
                   "it stays as the call before has left it", {before.patched});
  }
}

// The calls of Patch for one submission. The last of several is for a fresh copy.
class Calls {
 public:
  void addresses(std::uint32_t index, std::uint32_t round) {
    if (round == 0) calls_.clear();
    calls_.push_back({kNone, index});
  }
  void patched(std::uint32_t index) {
    if (!calls_.empty()) calls_.back().patched = index;
  }
  [[nodiscard]] Call last() const { return calls_.empty() ? Call{} : calls_.back(); }
  void check_each(const Trace& trace, std::uint32_t decoded, Judgement& judgement) const {
    for (std::size_t i = 1; i + 1 < calls_.size(); ++i) {
      if (calls_[i - 1].patched == kNone || calls_[i].patched == kNone) continue;
      check_next_call(trace, decoded, calls_[i - 1], calls_[i], judgement);
    }
  }

 private:
  ScratchVector<Call> calls_;
};

void check(const Trace& trace, const Platform&, Judgement& judgement) {
  Calls calls;
  ScratchSet<std::uint32_t> submitted;  // packets, by now
  for (const std::uint32_t index :
       trace.of_any<ev::PatchAddresses, ev::Patched, ev::Submitted, ev::Decoded>()) {
    const EventKind kind = trace.events()[index].kind;
    if (kind == EventKind::PatchAddresses) {
      calls.addresses(index, trace.at<ev::PatchAddresses>(index).round);
    } else if (kind == EventKind::Patched) {
      calls.patched(index);
    } else if (kind == EventKind::Submitted) {
      submitted.insert(trace.at<ev::Submitted>(index).packet);
    } else {
      const Call call = calls.last();
      const auto decoded = trace.at<ev::Decoded>(index);
      if (decoded.stage != static_cast<std::uint32_t>(DmaStage::AfterPatch)) continue;
      if (call.patched == kNone || call.addresses == kNone) continue;
      const auto patched = trace.at<ev::Patched>(call.patched);
      if (patched.packet != decoded.packet || patched.status != 0 ||
          trace.at<ev::PatchAddresses>(call.addresses).packet != decoded.packet) {
        continue;
      }
      check_packet(trace, index, call, judgement);
      if (submitted.contains(decoded.packet)) calls.check_each(trace, index, judgement);
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
        "written in place, in whatever segment the allocation is. So it is where a packet that was "
        "preempted is patched again, from the start of its range, however much of it has run.",
    .sources =
        "nc-d3dkmddi-dxgkddi_patch.md # Remarks\n"
        "ns-d3dkmddi-_dxgkarg_patch.md # PatchLocationListSubmissionStart, Length\n"
        "patching-a-dma-buffer.md\n"
        "ns-d3dukmdt-_d3dddi_patchlocationlist.md # AllocationOffset, PatchOffset",
    .note =
        "Needs the client's decoder to read the fields. Without one, wrong addresses show in "
        "memory. Of buffers that hostile user mode has altered the decoder cannot know the form. "
        "How wide a field is no page says, nor that a driver writes nothing beside it: PATCH-002. "
        "An address may have several elements; those within 8 bytes count as one where they lead "
        "to the same address, or only one of them leads anywhere.",
    .applies = patched_and_decoded,
    .check = check,
    .scenario = R"(
about: the allocation moves between Render and Patch; then a packet that was stopped in its middle is patched again, at another place first
ops:
- create_allocation: {allocation: 0, place: local}
- make_resident: {allocation: 0}
- create_context: {context: 0}
- prepatch: {mode: always_repatch}
- render: {context: 0}
- bind: {slot: 0, allocation: 0}
- fill: {slot: 0, offset: 1024, size: 2048}
- idle
- prepatch: {mode: auto}
- create_allocation: {allocation: 1, place: local}
- make_resident: {allocation: 1}
- render: {context: 0}
- bind: {slot: 0, allocation: 0}
- add: {slot: 0, offset: 0, value: 1}
- bind: {slot: 1, allocation: 1}
- add: {slot: 1, offset: 0, value: 1}
- spin: {units: 400}
- add: {slot: 0, offset: 4, value: 1}
- bind: {slot: 1, allocation: 0}
- add: {slot: 1, offset: 8, value: 1}
- advance: {units: 10}
- advance: {units: 10}
- advance: {units: 100}
- repatch: {times: 1}
- keep_stopped
- preempt: {node: 0}
- advance: {units: 20}
- keep_stopped: {on: false}
- advance: {units: 100}
- idle
)",
    .control = R"(
about: elements that release a slot name no allocation and are not patched; then the last words of large allocations, and places that lie 64 KB apart
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
# Bound anew each time, so that a client may reach them by another AllocationOffset alone.
- render: {context: 0}
- bind: {slot: 0, allocation: 2}
- fill: {slot: 0, offset: 4096, size: 4, value: 0x55555555}
- bind: {slot: 0, allocation: 2}
- fill: {slot: 0, offset: 69632, size: 4, value: 0x66666666}
- bind: {slot: 0, allocation: 2}
- fill: {slot: 0, offset: 135168, size: 4, value: 0x77777777}
- idle
)",
    .fault = {.about = "the first element of the range is left out",
              .interposer = [] { return std::unique_ptr<Interposer>(new BeginsLate); },
              .also_fires = "SUBMIT-015"}};

WDDM_RULE(kRule);

}  // namespace
}  // namespace wddm::patch_001
