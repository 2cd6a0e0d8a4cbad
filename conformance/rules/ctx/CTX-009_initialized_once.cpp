// CTX-009: a context allocation is initialized once, wherever it lies afterwards.
//
// That it holds what it held is PAGE-022: it is the driver who copies it.

#include <d3dkmddi.h>

#include "conformance/rules/rule.h"
#include "conformance/rules/scratch.h"

namespace wddm::ctx_009 {
namespace {

// What a driver has refused, or did in a start before, may come again.
void check(const Trace& trace, const Platform&, Judgement& judgement) {
  ScratchMap<std::uint32_t, std::uint32_t> initialized;  // ContextAllocationWritten, by number
  for (const std::uint32_t index :
       trace.of_any<ev::ContextAllocationMade, ev::ContextAllocationWritten, ev::AdapterReset>()) {
    const Event& event = trace.events()[index];
    if (event.kind == EventKind::AdapterReset) {
      initialized.clear();
    } else if (event.kind == EventKind::ContextAllocationMade) {
      initialized.erase(trace.at<ev::ContextAllocationMade>(index).number);
    } else {
      const auto written = trace.at<ev::ContextAllocationWritten>(index);
      if (written.operation != DXGK_OPERATION_INIT_CONTEXT_RESOURCE) continue;
      if (!NT_SUCCESS(static_cast<NTSTATUS>(written.status))) continue;
      judgement.reached(index);
      const auto [earlier, is_first] = initialized.try_emplace(written.number, index);
      if (is_first) continue;
      judgement.fail(index, "InitContextResource once for each context allocation",
                     "once more for context allocation " + std::to_string(written.number),
                     {earlier->second});
    }
  }
}

// clang-format off
#define THREE_IN_LESS_ROOM(bytes_less) \
  "- paging_buffer: {measure: needed_minus, bytes: " #bytes_less ", packed: true}\n" \
  "- create_context: {context: 1}\n" \
  "- create_context: {context: 2}\n" \
  "- create_context: {context: 3}\n" \
  "- idle\n" \
  "- destroy_context: {context: 1}\n" \
  "- destroy_context: {context: 2}\n" \
  "- destroy_context: {context: 3}\n"
// clang-format on

const Rule kRule{
    .id = "CTX-009",
    .title = "Context allocations are initialized once",
    .binds = Binds::Os,
    .rule =
        "What VidMm moves or evicts of a context comes back with its contents: InitContextResource "
        "is not built again for a context allocation that it was built for.",
    .sources = "gpu-preemption.md # Driver implementation steps (7)",
    .note =
        "In a reset of the adapter contents may be lost. Our host moves and evicts what the "
        "driver is told of.",
    .applies = page_tables,
    .check = check,
    .played_in = {Configured::ContextAllocations, Configured::ContextApertures},
    .scenario = R"(
about: the memory of a context moves between its packets, and is evicted
ops:
- create_context: {context: 1}
- create_allocation: {allocation: 1, place: local}
- render: {context: 1}
- bind: {slot: 1, allocation: 1}
- fill: {slot: 1, offset: 0, size: 4096, value: 0x11111111}
- idle
- move_context: {context: 1}
- idle
- move_context: {context: 1, evict: true}
- render: {context: 1}
- bind: {slot: 1, allocation: 1}
- add: {slot: 1, offset: 0, value: 1}
- idle
)",
    .control = R"(
about: contexts come and go, and are initialized behind other paging, in less room than that takes
ops:
# Who does not read this writes its commands one behind the other.
- configure: {setting: CommandPadding, value: 5}
- create_context: {context: 1}
- destroy_context: {context: 1}
- create_context: {context: 1}
- destroy_context: {context: 1}
- idle
)" THREE_IN_LESS_ROOM(4) THREE_IN_LESS_ROOM(12) THREE_IN_LESS_ROOM(24) THREE_IN_LESS_ROOM(40)
        THREE_IN_LESS_ROOM(60) R"(
- idle
# What was initialized, and written to since, in so little room is good to work with.
- create_context: {context: 1}
- create_context: {context: 2}
- create_allocation: {allocation: 1, place: local}
- render: {context: 1}
- bind: {slot: 1, allocation: 1}
- fill: {slot: 1, offset: 0, size: 4096, value: 0x12121212}
- render: {context: 2}
- bind: {slot: 1, allocation: 1}
- fill: {slot: 1, offset: 0, size: 256, value: 0x34343434}
- idle
)",
    .fault = {.about = "a context allocation that has moved is initialized again",
              .seat = FaultSeat::Oracle,
              .oracle = OracleFault::InitializeAgain,
              .also_fires = "VA-008 VPAGE-011"}};

#undef THREE_IN_LESS_ROOM

WDDM_RULE(kRule);

}  // namespace
}  // namespace wddm::ctx_009
