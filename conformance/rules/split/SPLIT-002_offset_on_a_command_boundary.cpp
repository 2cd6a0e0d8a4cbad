// SPLIT-002: SplitOffset is a byte offset on a cuttable command boundary inside the buffer.

#include "conformance/host/interposer.h"
#include "conformance/rules/rule.h"
#include "conformance/rules/split/rendered_lists.h"

namespace wddm::split_002 {
namespace {

void check_elements(const split::RenderedList& list, Judgement& judgement) {
  if (list.elements.empty()) return;
  judgement.reached(list.rendered);
  for (std::size_t i = 0; i < list.elements.size(); ++i) {
    const PatchRecord& element = list.elements[i];
    if (element.split_offset > list.bytes) {
      judgement.fail(
          list.rendered,
          "a SplitOffset within the " + split::number(list.bytes) + " bytes that Render wrote",
          "element " + split::number(i) + " has SplitOffset " +
              split::number(element.split_offset));
      return;
    }
    if (element.value >> 24 != 0) {
      judgement.fail(list.rendered, "zero in the reserved bits 24..31 beside SlotId",
                     "element " + split::number(i) + " has " + split::number(element.value >> 24));
      return;
    }
  }
}

void check(const Trace& trace, const Platform&, Judgement& judgement) {
  split::for_each_list(trace, [&](const split::RenderedList& list) {
    check_elements(list, judgement);
    // A command that user mode has altered may be one that the client does not know.
    if (trace.at<ev::Rendered>(list.rendered).hostile != 0) return;
    for (const std::uint32_t index : list.decoded) {
      const auto decoded = trace.at<ev::Decoded>(index);
      if (decoded.stage != static_cast<std::uint32_t>(DmaStage::Rendered)) continue;
      if (decoded.render != list.render || decoded.count != kNone) continue;
      judgement.fail(index, "whole commands between one SplitOffset and the next",
                     "bytes " + split::number(decoded.start) + " to " + split::number(decoded.end) +
                         " do not decode",
                     {list.rendered});
    }
  });
}

// A driver that counts 32-bit words where bytes are wanted.
class CountsWords final : public Interposer {
 public:
  NTSTATUS Render(HANDLE context, DXGKARG_RENDER* render) override {
    D3DDDI_PATCHLOCATIONLIST* const first = render->pPatchLocationListOut;
    const NTSTATUS status = Interposer::Render(context, render);
    for (auto* at = first; at < render->pPatchLocationListOut; ++at) at->SplitOffset /= 4;
    return status;
  }
};

const Rule kRule{
    .id = "SPLIT-002",
    .title = "SplitOffset is a byte offset on a cuttable command boundary inside the buffer",
    .rule =
        "For each element, SplitOffset is at most the number of bytes that the call wrote, no "
        "hardware command straddles it, and the bits beside SlotId are zero.",
    .sources =
        "splitting-a-dma-buffer.md # To specify split points\n"
        "ns-d3dukmdt-_d3dddi_patchlocationlist.md # SplitOffset, Reserved",
    .note =
        "A SplitOffset equal to the bytes written is accepted for trailing elements that "
        "release slots; a split there makes an empty last portion. Boundaries of commands are "
        "judged with the client's decoder only, and not where user mode has altered commands, "
        "which the client need not know then. Of the reserved bits the documents say 'should'; "
        "judged as a duty: they are part of the word that VidMm takes SlotId from.",
    .applies = patch_lists,
    .check = check,
    .scenario = R"(
about: two draws with different textures
ops:
- create_allocation: {allocation: 0}
- create_allocation: {allocation: 1}
- create_allocation: {allocation: 2}
- create_context: {context: 0}
- render: {context: 0}
- bind: {slot: 0, allocation: 0}
- bind: {slot: 1, allocation: 1}
- copy: {slot: 0, source: 1}
- bind: {slot: 1, allocation: 2}
- copy: {slot: 0, source: 1}
- idle
)",
    .control = R"(
about: the last split point lies at the very end of the buffer and is taken
ops:
- create_allocation: {allocation: 0}
- create_context: {context: 0}
- split_points: {take: all}
- render: {context: 0}
- bind: {slot: 0, allocation: 0}
- fill: {slot: 0}
- unbind: {slot: 0}
- idle
)",
    .fault = {.about = "SplitOffset is stored in 32-bit words",
              .interposer = [] { return std::unique_ptr<Interposer>(new CountsWords); },
              .also_fires = "SPLIT-007 BIND-005"}};

WDDM_RULE(kRule);

}  // namespace
}  // namespace wddm::split_002
