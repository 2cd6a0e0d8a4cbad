// PRESENT-001: a Present changes the rectangles that it names, to what they are to hold, and
// nothing else.

#include "conformance/host/interposer.h"
#include "conformance/rules/differing_memory.h"
#include "conformance/rules/preempt/first_preemption.h"
#include "conformance/rules/present/presented.h"
#include "conformance/rules/split/split_memory.h"
#include "conformance/rules/submit/silent_engines.h"

namespace wddm::present_001 {
namespace {

std::string corner_text(std::uint32_t left, std::uint32_t top) {
  return '(' + std::to_string(left) + ", " + std::to_string(top) + ')';
}

// "a copy of 3 rectangles, DstRect at (4, 2), SrcRect at (2, 1)"
std::string text_of(const ev::PresentAsked& asked) {
  std::string text = present::is_blt(asked) ? "a copy" : "a ColorFill";
  if (asked.rects != 0) text += " of " + std::to_string(asked.rects) + " sub-rectangles";
  text += ", DstRect at " + corner_text(asked.left, asked.top);
  if (present::is_blt(asked)) {
    text += ", SrcRect at " + corner_text(asked.from_left, asked.from_top);
  }
  return text;
}

// Who was cut into portions, or stopped, is judged by SPLIT-005 and PREEMPT-015.
void check(const Trace& trace, const Platform&, Judgement& judgement) {
  const auto presents = present::presents_of(trace);
  if (presents.empty()) return;
  const present::Operations operations(trace);
  const auto buffers = split::submissions_of(trace);
  const std::uint32_t preempted = preempt::first_preemption(trace);
  ScratchMap<std::uint32_t, std::uint32_t> packets;  // PresentAsked, by packet
  for (const std::uint32_t index : trace.of<ev::Submitted>()) {
    const auto packet = trace.at<ev::Submitted>(index);
    const auto present = presents.find(packet.render);
    if (packet.paging != 0 || present == presents.end()) continue;
    const auto asked = trace.at<ev::PresentAsked>(present->second);
    if (!present::is_blt(asked) && !operations.carries_out(asked)) continue;
    if (!buffers.find(packet.render)->second.split) packets[packet.packet] = present->second;
  }
  const auto present_behind = [&](std::uint32_t cause, std::uint32_t packet, std::uint32_t index) {
    const bool is_render = cause == static_cast<std::uint32_t>(MemoryCause::Render);
    const auto found = packets.find(packet);
    if (!is_render || index > preempted || found == packets.end()) return kNone;
    return submit::memory_says_nothing(trace, packet, index) ? kNone : found->second;
  };
  for (const std::uint32_t index : trace.of<ev::MemoryChecked>()) {
    const auto checked = trace.at<ev::MemoryChecked>(index);
    if (present_behind(checked.cause, checked.object, index) != kNone) judgement.reached(index);
  }
  for (const std::uint32_t index : trace.of<ev::MemoryDiffers>()) {
    const auto differs = trace.at<ev::MemoryDiffers>(index);
    const std::uint32_t asked = present_behind(differs.cause, differs.cause_object, index);
    if (asked == kNone) continue;
    judgement.fail(index, "memory as " + text_of(trace.at<ev::PresentAsked>(asked)) + " leaves it",
                   difference_text(differs), {asked});
  }
}

// A driver that takes sub-rectangles for those of the source.
class ForgetsWhereItCopiesFrom final : public Interposer {
 public:
  NTSTATUS Present(HANDLE context, DXGKARG_PRESENT* present) override {
    const RECT from = present->SrcRect;
    const LONG width = from.right - from.left, height = from.bottom - from.top;
    if (present->SubRectCnt != 0) present->SrcRect = {0, 0, width, height};
    const NTSTATUS status = Interposer::Present(context, present);
    present->SrcRect = from;
    return status;
  }
};

const Rule kRule{
    .id = "PRESENT-001",
    .title = "Present copies and fills the rectangles that it names",
    .evidence = Evidence::Memory,
    .rule =
        "With Blt the destination gets the texels of the source that lie as far from the corner of "
        "SrcRect as they lie from the corner of DstRect, with ColorFill the color: inside of the "
        "destination sub-rectangles, or of DstRect where there are none, and nothing else changes, "
        "in however many DMA buffers.",
    .sources =
        "nc-d3dkmddi-dxgkddi_present.md # Remarks\n"
        "ns-d3dkmddi-_dxgkarg_present.md # SrcRect, DstRect, pDstSubRects, Remarks\n"
        "ns-d3dkmddi-_dxgk_presentflags.md # Blt, ColorFill",
    .note =
        "Source and destination rectangle are of one size, both are shadow surfaces, of texels of "
        "4 bytes, whose pitch the driver says, as it does not of a primary; and sub-rectangles lie "
        "in DstRect, as Dxgkrnl clips them. ColorFill is said to be for the primary: of a shadow "
        "surface it is judged where the driver has ever listed one as a destination. A copy that "
        "succeeds has been made. A driver may refuse what its hardware cannot do (PRESENT-004).",
    .unreached =
        "the driver presented nothing: Present refused it or lists no destination, or there is no "
        "surface for it",
    .applies = present::presenting,
    .check = check,
    .played_in = kPatchListConfigurations,
    .scenario = R"(
about: surfaces are filled, whole and in parts, and copied whole, from and to other corners, and in parts that lie apart
ops:
- create_context: {context: 0}
- create_surface: {allocation: 0}
- create_surface: {allocation: 1}
- present_fill: {context: 0, allocation: 0, value: 0xff102030}
- present_fill: {context: 0, allocation: 1, value: 0xff405060}
- idle
- present_fill: {context: 0, allocation: 1, to: 35, rects: 5, value: 0xff708090}
- idle
- present_fill: {context: 0, allocation: 1, to: 100, rects: 60, value: 0xffa0b0c0}
- idle
# By the CPU, in rows of 256, 512 and 1024 bytes: what is copied shows where nothing is filled.
- cpu_write: {allocation: 1, offset: 532, value: 0x51525354}
- cpu_write: {allocation: 1, offset: 1064, value: 0x61626364}
- cpu_write: {allocation: 1, offset: 2128, value: 0x71727374}
- present_blt: {context: 0, allocation: 0, source: 1, to: 67, from: 33}
- idle
- present_blt: {context: 0, allocation: 0, source: 1, to: 18, from: 53, rects: 7}
- idle
- present_blt: {context: 0, allocation: 0, source: 1, rects: 100}
- idle
- create_surface: {allocation: 2, rows: 5, width: 33}
- present_fill: {context: 0, allocation: 2, value: 0xff112233}
- present_blt: {context: 0, allocation: 2, source: 1, to: 17, from: 18, rects: 3}
- idle
)",
    .control = R"(
about: one surface, filled
ops:
- create_context: {context: 0}
- create_surface: {allocation: 0}
- present_fill: {context: 0, allocation: 0}
- idle
)",
    .fault = {.about = "sub-rectangles are copied from where they are to go", .interposer = [] {
                return std::unique_ptr<Interposer>(new ForgetsWhereItCopiesFrom);
              }}};

WDDM_RULE(kRule);

}  // namespace
}  // namespace wddm::present_001
