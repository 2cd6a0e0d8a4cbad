// SPLIT-005: each portion re-establishes the GPU state that a paging buffer may have changed.

#include "conformance/rules/differing_memory.h"
#include "conformance/rules/page/mapped_in_passes.h"
#include "conformance/rules/preempt/first_preemption.h"
#include "conformance/rules/rule.h"
#include "conformance/rules/split/split_memory.h"

namespace wddm {
namespace {

// What a packet has done that went on although it was stopped is no work of portions, nor is what
// lies behind a map that is not whole.
void check(const Trace& trace, const Platform&, Judgement& judgement) {
  const std::uint32_t preempted = preempt::first_preemption(trace);
  const auto mapped = page::mapped_in_passes(trace);
  split::for_each_split_result(
      trace, [&](std::uint32_t index, const split::Submission& buffer, std::uint32_t differs) {
        if (buffer.interleaved) return;  // SPLIT-018
        if (index > preempted) return;
        judgement.reached(index);
        if (differs == kNone) return;
        const auto difference = trace.at<ev::MemoryDiffers>(differs);
        if (page::lies_in(difference, mapped)) return;
        judgement.fail(differs, "the bytes of a run in one piece",
                       difference_text(difference) + ", after a run in " +
                           std::to_string(buffer.portions) + " portions",
                       {buffer.last_event});
      });
}

const Rule kRule{
    .id = "SPLIT-005",
    .aliases = "SUBMIT-014",
    .title = "Each portion re-establishes the GPU state a paging buffer may have changed",
    .evidence = Evidence::Memory,
    .rule =
        "A DMA buffer that runs as consecutive portions, cut at any of its SplitOffsets and with "
        "any paging between them, leaves every allocation with the bytes of a run in one piece: "
        "commands behind a split point program all state they depend on that paging can change.",
    .sources = "splitting-a-dma-buffer.md # Note (second part)",
    .note =
        "The documents say 'should'; judged as a duty, because any other outcome is corrupted "
        "rendering. Paging between portions and scrambled registers are what the scenario "
        "adds; buffers with another context between their portions are judged by SPLIT-018.",
    .applies = patch_lists,
    .check = check,
    .scenario = R"(
about: a target stays bound while the texture beside it is replaced, and registers are scrambled
ops:
- create_allocation: {allocation: 0, place: local}
- create_allocation: {allocation: 1, place: local}
- create_allocation: {allocation: 2, place: local}
- make_resident: {allocation: 1}
- make_resident: {allocation: 2}
- fill_memory: {allocation: 1, pattern: 0x11111111}
- fill_memory: {allocation: 2, pattern: 0x22222222}
- create_context: {context: 0}
- split_points: {take: all}
- scramble: {}
- render: {context: 0}
- bind: {slot: 0, allocation: 0}
- bind: {slot: 1, allocation: 1}
- copy: {slot: 0, source: 1, size: 2048}
- bind: {slot: 1, allocation: 2}
- copy: {slot: 0, source: 1, offset: 2048, size: 2048}
- idle
)",
    .control = R"(
about: the same buffer in one piece
ops:
- create_allocation: {allocation: 0, place: local}
- create_allocation: {allocation: 1, place: local}
- create_allocation: {allocation: 2, place: local}
- create_context: {context: 0}
- render: {context: 0}
- bind: {slot: 0, allocation: 0}
- bind: {slot: 1, allocation: 1}
- copy: {slot: 0, source: 1, size: 2048}
- bind: {slot: 1, allocation: 2}
- copy: {slot: 0, source: 1, offset: 2048, size: 2048}
- idle
)",
    .fault = {.about = "slots that stay bound are not programmed again at split points",
              .seat = FaultSeat::Variant,
              .variant = 1,
              .also_fires = "SUBMIT-017"}};

WDDM_RULE(kRule);

}  // namespace
}  // namespace wddm
