// TDR-004: RestartFromTimeout succeeds, and work flows again.

#include "conformance/host/interposer.h"
#include "conformance/rules/ended_by_reset.h"
#include "conformance/rules/engrst/other_gpu.h"
#include "conformance/rules/engrst/resets.h"
#include "conformance/rules/engrst/resets_before_threads.h"
#include "conformance/rules/life/every_kind_of_work.h"
#include "conformance/rules/scratch.h"
#include "conformance/rules/submit/in_order_of_calls.h"

namespace wddm::tdr_004 {
namespace {

void check(const Trace& trace, const Platform&, Judgement& judgement) {
  std::uint32_t restart = kNone;
  std::uint32_t stuck = kNone;
  ScratchSet<std::uint32_t> given;  // packets submitted since
  using StopReturned = ev::MappingBalance;
  in_order_of_calls<ev::AdapterReset, ev::PacketEnded, ev::Stuck, StopReturned>(
      trace, [&](std::uint32_t index) {
        const Event& event = trace.events()[index];
        if (event.kind == EventKind::AdapterReset) {
          const auto call = Trace::as<ev::AdapterReset>(event);
          if (call.stage != 1) return;
          judgement.reached(index);
          restart = call.status == 0 ? index : kNone;
          stuck = kNone;
          given.clear();
          if (call.status != 0) {
            judgement.fail(index, "STATUS_SUCCESS of RestartFromTimeout", status_name(call.status));
          }
        } else if (event.kind == EventKind::Submitted) {
          // What the driver refused does not run.
          const auto packet = trace.at<ev::Submitted>(index);
          if (restart != kNone && packet.status == 0) given.insert(packet.packet);
        } else if (event.kind == EventKind::Stuck) {
          stuck = Trace::as<ev::Stuck>(event).excused == 0 ? index : kNone;
        } else if (event.kind == EventKind::PacketEnded) {
          const auto packet = Trace::as<ev::PacketEnded>(event);
          if (!given.contains(packet.packet)) return;
          judgement.reached(index);
          if (stuck == kNone || !ended_by_reset(packet)) return;
          judgement.fail(stuck, "packets submitted after RestartFromTimeout complete",
                         "packet " + std::to_string(packet.packet) + " on node " +
                             std::to_string(packet.node) + " does not",
                         {restart});
          restart = kNone;
          given.clear();
        } else {
          restart = stuck = kNone;
          given.clear();
        }
      });
}

// A driver that lets nothing run again.
class StaysDown final : public Interposer {
 public:
  NTSTATUS RestartFromTimeout(HANDLE) override { return STATUS_SUCCESS; }
};

NotApplicable restarts(const Platform& platform) {
  if (const NotApplicable reason = running_commands(platform)) return reason;
  if (const NotApplicable reason = needs(platform, DdiId::PreemptCommand)) return reason;
  return needs(platform, DdiId::RestartFromTimeout);
}

const Rule kRule{
    .id = "TDR-004",
    .title = "RestartFromTimeout succeeds, and work flows again",
    .rule =
        "RestartFromTimeout returns STATUS_SUCCESS, though no memory may be had then: anything "
        "else "
        "stops Windows. Packets that are submitted after it run and complete, on every node.",
    .sources =
        "nc-d3dkmddi-dxgkddi_restartfromtimeout.md # Remarks\n"
        "tdr-changes-in-windows-8.md # Special cases",
    .unreached = "the adapter was not started again behind a reset",
    .applies = restarts,
    .check = check,
    .played_in =
        kBothAddressings | ConfigurationSet{Configured::BuffersInAperture, Configured::Linked},
    .scenario = R"(
about: packets after a reset, paging besides; then a reset in the middle of work on every node, one behind that of an engine, and one after another start, with all kinds of work behind it
ops:
- create_context: {context: 0, node: 0}
- render: {context: 0}
- idle
- render: {context: 0}
- spin: {units: 300}
- advance: {units: 10}
- advance: {units: 10}
- advance: {units: 10}
- advance: {units: 10}
- advance: {units: 10}
- advance: {units: 10}
- advance: {units: 40}
- time_out: {node: 0, adapter: true}
- create_context: {context: 0, node: 0}
- create_context: {context: 1, node: 1}
- create_allocation: {allocation: 0, place: local}
- make_resident: {allocation: 0}
- fill_memory: {allocation: 0, pattern: 0x11223344}
- render: {context: 0}
- bind: {slot: 0, allocation: 0}
- add: {slot: 0, offset: 0, value: 1}
- render: {context: 1}
- spin: {units: 5}
- idle
- each_node: {leave: true, units: 400}
- time_out: {node: 0, adapter: true}
- each_node
- each_node: {preempt: true, units: 100}
# An engine is reset in the middle of paging, whichever it runs on, and the adapter behind it.
- create_allocation: {allocation: 0, pages: 32, place: local}
- make_resident: {allocation: 0}
- advance: {units: 3}
- time_out: {node: 0}
- time_out: {node: 1}
- create_context: {context: 0, node: 0}
- create_context: {context: 1, node: 1}
- create_allocation: {allocation: 0, place: local}
- make_resident: {allocation: 0}
- render: {context: 0}
- bind: {slot: 0, allocation: 0}
- add: {slot: 0, offset: 0, value: 1}
- render: {context: 1}
- spin: {units: 5}
- idle
- query_fence: {node: 0}
- preempt: {node: 1}
- idle
# It is stopped and started, with its registers elsewhere, and reset there.
- rebalance
- each_node: {time_out: true, units: 400}
- each_node: {leave: true, units: 400}
- time_out: {node: 0, adapter: true}
- each_node: {preempt: true, units: 100}
)" WDDM_DOES_EVERY_KIND_OF_WORK WDDM_RESETS_ADAPTER_BEFORE_THREADS WDDM_RESETS_ADAPTER_FOR_OTHER_GPU
        WDDM_DOES_EVERY_KIND_OF_WORK,
    .control = R"(
about: no work after the reset; then one while no pool allocation succeeds, with work after it
ops:
- create_context: {context: 0, node: 0}
- render: {context: 0}
- idle
- render: {context: 0}
- spin: {units: 300}
- advance: {units: 10}
- advance: {units: 10}
- advance: {units: 10}
- advance: {units: 10}
- advance: {units: 10}
- advance: {units: 10}
- advance: {units: 40}
- time_out: {node: 0, adapter: true}
- idle
- create_context: {context: 0, node: 0}
- create_context: {context: 1, node: 1}
- render: {context: 0}
- render: {context: 1}
- idle
- render: {context: 0}
- spin: {units: 300}
- render: {context: 1}
- spin: {units: 300}
- advance: {units: 10}
- advance: {units: 10}
- advance: {units: 10}
- advance: {units: 10}
- advance: {units: 10}
- advance: {units: 10}
- advance: {units: 40}
- fail_pool: {kth: 1, every: true}
- time_out: {node: 0, adapter: true}
# The first device was to be made anew, and with GPU virtual addresses the paging process, while
# nothing could be had.
- create_device: {device: 1}
- create_context: {context: 2, device: 1, node: 0}
- create_context: {context: 3, device: 1, node: 1}
- render: {context: 2}
- spin: {units: 5}
- render: {context: 3}
- spin: {units: 5}
- idle
- stop
- start
- each_node
)",
    .fault = {.about = "RestartFromTimeout does nothing",
              .interposer = [] { return std::unique_ptr<Interposer>(new StaysDown); },
              .also_fires = "FENCE-001"}};

WDDM_RULE(kRule);

}  // namespace
}  // namespace wddm::tdr_004
