// RENDER-010: input patch locations are range-checked.

#include <algorithm>
#include <string>
#include <utility>

#include "conformance/host/interposer.h"
#include "conformance/rules/render/render_status.h"
#include "conformance/rules/rule.h"
#include "reference/is_any_of.h"
#include "reference/trace/op.h"

namespace wddm::render_010 {
namespace {

constexpr std::uint64_t kNarrowestField = 4;

// What is out of range in an element, or null.
const char* wrong_in(const PatchRecord& element, std::span<const AllocationRecord> entries,
                     std::int32_t dma_used, bool patched) {
  if (element.allocation_index >= entries.size()) return "AllocationIndex";
  const AllocationRecord& entry = entries[element.allocation_index];
  if (entry.allocation == kNone) return nullptr;  // a release has no field
  const auto end = static_cast<std::uint64_t>(std::max(dma_used, 0));
  if (patched && element.patch_offset + kNarrowestField > end) return "PatchOffset";
  // A limit register holds the first byte behind.
  return element.allocation_offset > entry.size ? "AllocationOffset" : nullptr;
}

// A call that does not return, and has met nothing new but elements of its list: calls with input
// as it should be have returned, or there is no entry that an index could name.
class BrokenOff {
 public:
  explicit BrokenOff(const Trace& trace) : trace_(trace) {}

  void started(OpKind kind) {
    if (kind == OpKind::Render) other_input_ = false;
    other_input_ |=
        is_any_of(kind, OpKind::TamperCommand, OpKind::TamperPrivate, OpKind::PrivateData,
                  OpKind::Revoke, OpKind::Race, OpKind::Privileged);
  }
  void called(std::uint32_t index, bool tampered) {
    const auto call = trace_.at<ev::RenderCalled>(index);
    const bool is_news = plain_returned_ || call.allocations == 0;
    plain_ = call.hostile == 0;
    called_ = tampered && !other_input_ && call.patches_in != 0 && is_news ? index : kNone;
  }
  void returned() {
    plain_returned_ |= plain_;
    called_ = kNone;
  }
  void hung() { called_ = kNone; }  // waiting is no fault
  void judge(Judgement& judgement) const {
    // A crash ends the process, and the trace with it.
    if (called_ == kNone || trace_.truncated()) return;
    judgement.reached(called_);
    judgement.fail(called_, "Render fails, or makes the element from the commands",
                   "it did not return");
  }

 private:
  const Trace& trace_;
  std::uint32_t called_ = kNone;
  bool plain_ = false;           // the latest call
  bool plain_returned_ = false;  // some did
  bool other_input_ = false;     // of the latest op
};

void check(const Trace& trace, const Platform& platform, Judgement& judgement) {
  BrokenOff broken_off(trace);
  const bool patched = !platform.scheduling.no_dma_patching();
  std::uint32_t called = kNone, listed = kNone;
  bool tampered = false;  // with elements of the list, and not with commands alone
  for (const std::uint32_t index :
       trace.of_any<ev::OpStarted, ev::RenderCalled, ev::ListAltered, ev::Rendered, ev::Hung>()) {
    const Event& event = trace.events()[index];
    if (event.kind == EventKind::OpStarted) {
      const auto kind = static_cast<OpKind>(Trace::as<ev::OpStarted>(event).kind);
      tampered = kind != OpKind::Render && (tampered || kind == OpKind::TamperPatch);
      broken_off.started(kind);
      continue;
    }
    if (event.kind == EventKind::Hung) {
      broken_off.hung();
      continue;
    }
    if (event.kind == EventKind::RenderCalled) {
      called = index;
      broken_off.called(index, tampered);
    }
    if (event.kind == EventKind::Rendered) broken_off.returned();
    if (event.kind != EventKind::Rendered) listed = index;
    if (event.kind != EventKind::Rendered || called == kNone) continue;
    const auto input = trace.at<ev::RenderCalled>(called);
    const auto call = Trace::as<ev::Rendered>(event);
    if (input.patches_in == 0 || input.hostile == 0) continue;
    if (tampered) judgement.reached(index);
    if (!render::made_output(call.status)) continue;
    const auto entries = trace.blob<AllocationRecord>(trace.events()[listed]);
    const auto elements = trace.blob<PatchRecord>(event);
    for (std::size_t i = 0; i < elements.size(); ++i) {
      const char* const member = wrong_in(elements[i], entries, call.dma_used, patched);
      if (member == nullptr) continue;
      judgement.fail(index, "Render fails, or each element of its list lies inside what it names",
                     std::string(member) + " of element " + std::to_string(i) +
                         " is out of range in a call that succeeded",
                     {called});
      break;
    }
  }
  broken_off.judge(judgement);
}

// A driver that passes the last input element on without a look at it.
class PassesOn final : public Interposer {
 public:
  NTSTATUS Render(HANDLE context, DXGKARG_RENDER* render) override {
    const UINT count = render->PatchLocationListInSize;
    D3DDDI_PATCHLOCATIONLIST* const first = render->pPatchLocationListOut;
    render->PatchLocationListInSize = 0;
    const NTSTATUS status = Interposer::Render(context, render);
    render->PatchLocationListInSize = count;
    const auto used = static_cast<UINT>(render->pPatchLocationListOut - first);
    if (count == 0 || used == 0 || used == render->PatchLocationListOutSize) return status;
    const D3DDDI_PATCHLOCATIONLIST last = render->pPatchLocationListIn[count - 1];
    if (last.PatchOffset < render->CommandLength) return status;
    *render->pPatchLocationListOut = *(render->pPatchLocationListOut - 1);
    render->pPatchLocationListOut->AllocationIndex = named_entry(*render);
    render->pPatchLocationListOut->PatchOffset = last.PatchOffset;
    ++render->pPatchLocationListOut;
    return status;
  }

 private:
  // A release has no field.
  static UINT named_entry(const DXGKARG_RENDER& render) {
    UINT i = 0;
    while (i + 1 < render.AllocationListSize &&
           render.pAllocationList[i].hDeviceSpecificAllocation == nullptr) {
      ++i;
    }
    return i;
  }
};

// Then words change when the first of two passes has read them, to what no index, slot or offset
// may be: the second one finds them so.
const std::string& tampered_and_raced() {
  static const std::string text = [] {
    std::string ops = R"(
about: the last input element names bytes behind the DMA buffer, after a call with input as it is; then words of the list are others in the second pass of Render
ops:
- create_allocation: {allocation: 0}
- create_allocation: {allocation: 1}
- create_context: {context: 0}
- render: {context: 0}
- bind: {slot: 0, allocation: 0}
- fill: {slot: 0}
- render: {context: 0}
- bind: {slot: 0, allocation: 0}
- fill: {slot: 0}
# Where a client makes one element for a fill this one is appended. The value lies behind the
# largest DMA buffer that is offered, a megabyte.
- tamper_patch: {element: 1, member: PatchOffset, value: 0x00100010}
- idle
)";
    // One D3DDDI_PATCHLOCATIONLIST has six words.
    for (int word = 0; word < 36; ++word) {
      ops += "- render: {context: 0, dma_measure: needed_minus, dma_bytes: 96}\n";
      for (int draw = 0; draw < 6; ++draw) {
        ops += "- bind: {slot: 0, allocation: " + std::to_string(draw % 2) +
               "}\n- fill: {slot: 0, offset: " + std::to_string(4 * draw) + ", size: 4}\n";
      }
      ops += "- race: {input: patch_list, offset: " + std::to_string(4 * word) +
             ", value: 0xfffffff0}\n- idle\n";
    }
    return ops;
  }();
  return text;
}

// Just behind what there is, whatever its size is on this driver, and far from it; the end of an
// allocation may be named. An element that the client has not made is appended.
const std::string& altered_a_little() {
  static const std::string text = [] {
    constexpr std::pair<const char*, const char*> kAltered[] = {
        {"AllocationIndex", "0x00000001"},  {"AllocationIndex", "0x00000002"},
        {"AllocationIndex", "0x00000003"},  {"AllocationIndex", "0x00000004"},
        {"AllocationIndex", "0x00000008"},  {"AllocationIndex", "0x80000000"},
        {"AllocationIndex", "0xffffffff"},  {"AllocationOffset", "0x00001000"},
        {"AllocationOffset", "0x00001001"}, {"AllocationOffset", "0x00002000"},
        {"AllocationOffset", "0x80000000"}, {"AllocationOffset", "0xfffffffc"}};
    const std::string call =
        "- render: {context: 0}\n- bind: {slot: 0, allocation: 0}\n- fill: {slot: 0}\n";
    std::string ops =
        "about: an altered DriverId means nothing to Windows; then an index and a place in the "
        "allocation are a little or far too large\nops:\n"
        "- create_allocation: {allocation: 0}\n- create_context: {context: 0}\n" +
        call + "- tamper_patch: {element: 1, member: DriverId, value: 0x00100010}\n- idle\n";
    for (const char* const element : {"0", "1"}) {
      for (const auto& [member, value] : kAltered) {
        ops += call + "- tamper_patch: {element: " + element + ", member: " + member +
               ", value: " + value + "}\n- idle\n";
      }
    }
    return ops + call + "- idle\n";
  }();
  return text;
}

const Rule kRule{
    .id = "RENDER-010",
    .title = "Input patch locations are range-checked",
    .grade = Grade::Robustness,
    .rule =
        "Before an input element has any influence, AllocationIndex is checked against the "
        "allocation list, PatchOffset plus the width of the field against the DMA bytes made, "
        "and AllocationOffset against the allocation, whose end it may name. Render fails "
        "otherwise, or makes the element from the commands.",
    .sources =
        "nc-d3dkmddi-dxgkddi_render.md # Remarks (must validate the content)\n"
        "ns-d3dukmdt-_d3dddi_patchlocationlist.md # AllocationIndex, PatchOffset, "
        "AllocationOffset",
    .note =
        "Judged by the output list of calls with altered input, and by whether such a call returns "
        "where others did; a field is taken to be at least 4 bytes wide. With NoDmaPatching "
        "PatchOffset means nothing. SlotId and SplitOffset are judged by SPLIT-001 to SPLIT-004, "
        "whoever they come from.",
    .applies = patch_lists,
    .check = check,
    .scenario = tampered_and_raced().c_str(),
    .control = altered_a_little().c_str(),
    .fault = {.about = "PatchOffset of the last input element is passed on unchecked",
              .interposer = [] { return std::unique_ptr<Interposer>(new PassesOn); }}};

WDDM_RULE(kRule);

}  // namespace
}  // namespace wddm::render_010
