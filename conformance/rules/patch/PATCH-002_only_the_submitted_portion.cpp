// PATCH-002: Patch touches only the submitted portion.

#include "conformance/host/interposer.h"
#include "conformance/rules/patch/patch_lists.h"
#include "conformance/rules/rule.h"
#include "reference/trace/names.h"

namespace wddm::patch_002 {
namespace {

void check(const Trace& trace, const Platform&, Judgement& judgement) {
  bool in_patch = false;
  for (const std::uint32_t index : trace.of_any<ev::DdiReturned, ev::GuardDamaged, ev::Patched>()) {
    const Event& event = trace.events()[index];
    if (event.kind == EventKind::DdiReturned) {
      in_patch = Trace::as<ev::DdiReturned>(event).ddi == static_cast<std::uint32_t>(DdiId::Patch);
    } else if (event.kind == EventKind::GuardDamaged && in_patch) {
      const auto damage = Trace::as<ev::GuardDamaged>(event);
      const auto area = static_cast<GuardArea>(damage.area);
      if (area != GuardArea::DmaBuffer && area != GuardArea::DmaPrivateData) continue;
      judgement.fail(index,
                     area == GuardArea::DmaBuffer
                         ? "no byte beside the DMA buffer changes"
                         : "no byte beside the private data of the DMA buffer changes",
                     std::to_string(damage.bytes) + " bytes changed from offset " +
                         std::to_string(damage.first) + " on");
    } else if (event.kind == EventKind::Patched) {
      const auto patched = Trace::as<ev::Patched>(event);
      if (patched.paging != 0) continue;
      judgement.reached(index);
      for (const RangeRecord& range : trace.blob<RangeRecord>(event)) {
        const std::uint64_t end = std::uint64_t{range.offset} + range.length;
        if (range.offset >= patched.start && end <= patched.end) continue;
        judgement.fail(
            index,
            "only bytes " + std::to_string(patched.start) + " to " + std::to_string(patched.end) +
                " of the buffer change",
            std::to_string(range.length) + " bytes changed at " + std::to_string(range.offset));
        break;
      }
    }
  }
}

// A driver that patches the complete list each time.
class PatchesAll final : public Interposer {
 public:
  NTSTATUS Patch(HANDLE adapter, const DXGKARG_PATCH* patch) override {
    DXGKARG_PATCH altered = *patch;
    if (!altered.Flags.Paging) {
      altered.DmaBufferSubmissionStartOffset = 0;
      altered.DmaBufferSubmissionEndOffset = altered.DmaBufferSize;
      altered.PatchLocationListSubmissionStart = 0;
      altered.PatchLocationListSubmissionLength = altered.PatchLocationListSize;
    }
    return Interposer::Patch(adapter, &altered);
  }
};

// Each begins to use another allocation in slot 0, beside those that stay in their slots.
#define TWO_DRAWS(offset)              \
  "- bind: {slot: 0, allocation: 0}\n" \
  "- add: {slot: 0, offset: " #offset  \
  "}\n"                                \
  "- bind: {slot: 0, allocation: 1}\n" \
  "- add: {slot: 0, offset: " #offset "}\n"
// clang-format off
#define FORTY_DRAWS \
  TWO_DRAWS(0) TWO_DRAWS(4) TWO_DRAWS(8) TWO_DRAWS(12) TWO_DRAWS(16) TWO_DRAWS(20) TWO_DRAWS(24) \
  TWO_DRAWS(28) TWO_DRAWS(32) TWO_DRAWS(36) TWO_DRAWS(40) TWO_DRAWS(44) TWO_DRAWS(48) \
  TWO_DRAWS(52) TWO_DRAWS(56) TWO_DRAWS(60) TWO_DRAWS(64) TWO_DRAWS(68) TWO_DRAWS(72) TWO_DRAWS(76)
// clang-format on

const Rule kRule{
    .id = "PATCH-002",
    .title = "Patch touches only the submitted portion",
    .rule =
        "Patch writes only between DmaBufferSubmissionStartOffset and "
        "DmaBufferSubmissionEndOffset, and uses only the elements of the submission range, "
        "though buffer and list may begin before and go on behind them. Beside the buffer's "
        "private "
        "data it writes nothing.",
    .sources =
        "ns-d3dkmddi-_dxgkarg_patch.md # pPatchLocationList, PatchLocationListSize, "
        "DmaBufferSize, DmaBufferPrivateDataSize\n"
        "nc-d3dkmddi-dxgkddi_patch.md # Remarks",
    .note = "PATCH-005 holds paging buffers, which have no list, to their range.",
    .applies = patching,
    .check = check,
    .scenario = R"(
about: a buffer in parts, with no address known when it is rendered
ops:
- create_allocation: {allocation: 0, place: local}
- create_allocation: {allocation: 1, place: local}
- create_context: {context: 0}
- prepatch: {mode: never_prepatch}
- split_points: {take: all}
- render: {context: 0}
- bind: {slot: 0, allocation: 0}
- fill: {slot: 0}
- bind: {slot: 0, allocation: 1}
- fill: {slot: 0}
- idle
)",
    .control = R"(
about: in one part the whole list is the submission range; then a long list
ops:
- create_allocation: {allocation: 0, place: local}
- create_allocation: {allocation: 1, place: local}
- create_context: {context: 0}
- prepatch: {mode: never_prepatch}
- render: {context: 0}
- bind: {slot: 0, allocation: 0}
- fill: {slot: 0}
- bind: {slot: 0, allocation: 1}
- fill: {slot: 0}
- idle
# The last portion begins behind more elements than a byte counts, where a driver names at each split
# point what stays in its slots.
- create_allocation: {allocation: 2, place: local}
- create_allocation: {allocation: 3, place: local}
- create_allocation: {allocation: 4, place: local}
- create_allocation: {allocation: 5, place: local}
- create_allocation: {allocation: 6, place: local}
- create_allocation: {allocation: 7, place: local}
- create_allocation: {allocation: 8, place: local}
- create_allocation: {allocation: 9, place: local}
- create_allocation: {allocation: 10, place: local}
- split_points: {take: mask, mask: 0x80000000}
- render: {context: 0}
- bind: {slot: 1, allocation: 2}
- bind: {slot: 2, allocation: 3}
- bind: {slot: 3, allocation: 4}
- bind: {slot: 4, allocation: 5}
- bind: {slot: 5, allocation: 6}
- bind: {slot: 6, allocation: 7}
- bind: {slot: 7, allocation: 8}
- bind: {slot: 8, allocation: 9}
- bind: {slot: 9, allocation: 10}
)" FORTY_DRAWS "- idle\n",
    .fault = {.about = "each call patches the complete list",
              .interposer = [] { return std::unique_ptr<Interposer>(new PatchesAll); }}};

#undef TWO_DRAWS
#undef FORTY_DRAWS

WDDM_RULE(kRule);

}  // namespace
}  // namespace wddm::patch_002
