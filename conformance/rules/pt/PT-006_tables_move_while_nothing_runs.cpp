// PT-006: page tables move and leave memory only while nothing of their process runs.

#include "conformance/rules/rule.h"
#include "conformance/rules/va/running_work.h"

namespace wddm::pt_006 {
namespace {

void check(const Trace& trace, const Platform&, Judgement& judgement) {
  RunningWork work;
  for (const std::uint32_t index :
       trace.of_any<ev::RootSet, ev::Submitted, ev::PacketEnded, ev::TableMoved>()) {
    const Event& event = trace.events()[index];
    if (event.kind == EventKind::RootSet) {
      work.follow(trace.at<ev::RootSet>(index));
    } else if (event.kind == EventKind::Submitted) {
      work.follow(index, trace.at<ev::Submitted>(index));
    } else if (event.kind == EventKind::PacketEnded) {
      work.follow(trace.at<ev::PacketEnded>(index));
    } else {
      const auto moved = trace.at<ev::TableMoved>(index);
      judgement.reached(index);
      const RunningWork::Running* const running = work.of_process(moved.process);
      if (running == nullptr) continue;
      judgement.fail(index, "no packet of the process is on the GPU",
                     "a level-" + std::to_string(moved.level) + " table of process " +
                         std::to_string(moved.process) + " moves while context " +
                         std::to_string(running->context) + " runs",
                     {running->submitted});
    }
  }
}

const Rule kRule{
    .id = "PT-006",
    .title = "Page tables move or are evicted only while their process is idle or suspended",
    .binds = Binds::Os,
    .evidence = Evidence::Boundary,
    .rule =
        "What relocates a page table or takes its memory happens between the end of the last "
        "packet of the contexts that use it and their next submission: no running context can walk "
        "the table meanwhile.",
    .sources = "gpu-virtual-address.md # Moving a page table",
    .applies = virtual_rendering,
    .check = check,
    .played_in = kGpuVirtualConfigurations | ConfigurationSet{Configured::GpuVirtualUpdates},
    .scenario = R"(
about: a leaf table and a root move, and all tables leave, while there is work on the other engine
ops:
# What a packet needs is paged in by the first advance, and it runs in the second.
- create_context: {context: 1, node: 1}
- create_allocation: {allocation: 1, pages: 4, place: local}
- render: {context: 1}
- bind: {slot: 1, allocation: 1}
- fill: {slot: 1, offset: 0, size: 16384, value: 0x11111111}
- idle
- render: {context: 1}
- bind: {slot: 1, allocation: 1}
- spin: {units: 2000}
- advance: {units: 1}
- advance: {units: 1}
- move_table: {allocation: 1, level: 0}
- render: {context: 1}
- bind: {slot: 1, allocation: 1}
- spin: {units: 2000}
- advance: {units: 1}
- advance: {units: 1}
- move_table: {allocation: 1, level: 5}
- render: {context: 1}
- bind: {slot: 1, allocation: 1}
- spin: {units: 2000}
- advance: {units: 1}
- advance: {units: 1}
- evict_tables: {device: 0}
- idle
)",
    .control = R"(
about: the process is idle when its table moves
ops:
- create_context: {context: 1, node: 1}
- create_allocation: {allocation: 1, pages: 4, place: local}
- render: {context: 1}
- bind: {slot: 1, allocation: 1}
- fill: {slot: 1, offset: 0, size: 16384, value: 0x11111111}
- idle
- move_table: {allocation: 1, level: 0}
- idle
)",
    .fault = {.about = "nothing waits for the packets of the process",
              .seat = FaultSeat::Oracle,
              .oracle = OracleFault::TablesMoveWhileInUse}};

WDDM_RULE(kRule);

}  // namespace
}  // namespace wddm::pt_006
