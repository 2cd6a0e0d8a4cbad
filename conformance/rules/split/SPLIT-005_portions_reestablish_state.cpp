// SPLIT-005: each portion re-establishes the GPU state that a paging buffer may have changed.

#include "conformance/rules/differing_memory.h"
#include "conformance/rules/page/mapped_in_passes.h"
#include "conformance/rules/preempt/first_preemption.h"
#include "conformance/rules/rule.h"
#include "conformance/rules/split/split_memory.h"

namespace wddm::split_005 {
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
about: the same buffer in one piece; then one whose first allocation comes back in it to another place, and slots that name what others do
ops:
# Allocations that no driver has to round up.
- limit_memory: {local: 48, aperture: 8}
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
- destroy_allocation: {allocation: 0}
- destroy_allocation: {allocation: 1}
- destroy_allocation: {allocation: 2}
# The third takes the places of the first two, so that the first comes back behind it.
- create_allocation: {allocation: 3, pages: 16, place: local}
- create_allocation: {allocation: 4, pages: 16, place: local}
- create_allocation: {allocation: 5, pages: 32, place: local}
- render: {context: 0}
- bind: {slot: 0, allocation: 3}
- add: {slot: 0, offset: 0}
- unbind: {slot: 0}
- bind: {slot: 1, allocation: 4}
- add: {slot: 1, offset: 4}
- unbind: {slot: 1}
- bind: {slot: 0, allocation: 5}
- add: {slot: 0, offset: 8}
- unbind: {slot: 0}
- bind: {slot: 1, allocation: 3}
- add: {slot: 1, offset: 0}
- add: {slot: 1, offset: 12}
- unbind: {slot: 1}
- idle
# Two slots change what they name, one of two that name the same is released, one is bound and never
# used, and one is bound again as it was.
- create_allocation: {allocation: 6, place: local}
- create_allocation: {allocation: 7, place: local}
- split_points: {take: all}
- render: {context: 0}
- bind: {slot: 0, allocation: 6}
- bind: {slot: 1, allocation: 7}
- fill: {slot: 0, offset: 0, size: 64, value: 0x11111111}
- copy: {slot: 1, source: 0, offset: 128, size: 64}
- bind: {slot: 0, allocation: 7}
- bind: {slot: 1, allocation: 6}
- add: {slot: 0, offset: 128}
- copy: {slot: 1, source: 0, offset: 256, source_offset: 128, size: 64}
- unbind: {slot: 0}
- bind: {slot: 2, allocation: 6}
- fill: {slot: 2, offset: 512, size: 64, value: 0x22222222}
- unbind: {slot: 1}
- add: {slot: 2, offset: 512}
- bind: {slot: 3, allocation: 7}
- bind: {slot: 3, allocation: 6}
- add: {slot: 3, offset: 516}
- bind: {slot: 2, allocation: 6}
- add: {slot: 2, offset: 520}
- idle
)",
    .fault = {.about = "slots that stay bound are not programmed again at split points",
              .seat = FaultSeat::Variant,
              .variant = 1,
              .also_fires = "SUBMIT-017"}};

WDDM_RULE(kRule);

}  // namespace
}  // namespace wddm::split_005
