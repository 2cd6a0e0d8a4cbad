// TDR-001: ResetFromTimeout succeeds and silences the GPU.

#include "conformance/host/interposer.h"
#include "conformance/rules/engrst/other_gpu.h"
#include "conformance/rules/engrst/resets.h"
#include "conformance/rules/scratch.h"
#include "conformance/rules/submit/in_order_of_calls.h"

namespace wddm::tdr_001 {
namespace {

void check(const Trace& trace, const Platform&, Judgement& judgement) {
  constexpr auto kStuck = 2u;  // cause: a driver that is in no state to judge
  std::uint32_t reset = kNone;
  // Packets, by engine and fence; and those since. The driver may give engines work of its own,
  // under any other number: that of a preemption request, too.
  ScratchSet<std::pair<EngineId, std::uint32_t>> packets, given;
  using StopReturned = ev::MappingBalance;
  in_order_of_calls<ev::AdapterReset, ev::DeviceLogged, StopReturned>(
      trace, [&](std::uint32_t index) {
        const Event& event = trace.events()[index];
        if (event.kind == EventKind::AdapterReset) {
          const auto call = Trace::as<ev::AdapterReset>(event);
          if (call.stage != 0) return;
          judgement.reached(index);
          if (call.status != 0) {
            judgement.fail(index, "STATUS_SUCCESS of ResetFromTimeout", status_name(call.status));
          }
          reset = call.cause == kStuck ? kNone : index;
          given.clear();
        } else if (event.kind == EventKind::Submitted) {
          const auto packet = trace.at<ev::Submitted>(index);
          packets.insert({engine_of(packet), packet.fence});
          if (reset != kNone) given.insert({engine_of(packet), packet.fence});
        } else if (event.kind == EventKind::DeviceLogged) {
          const auto record = Trace::as<ev::DeviceLogged>(event);
          if (reset == kNone || !engrst::is_work(record)) return;
          if (!packets.contains({engine_of(record), record.tag})) return;
          if (given.contains({engine_of(record), record.tag})) return;
          judgement.fail(index, "after ResetFromTimeout no engine works on what it had before",
                         "node " + std::to_string(record.node) +
                             " goes on with SubmissionFenceId " + std::to_string(record.tag),
                         {reset});
          reset = kNone;
        } else {
          reset = kNone;
          packets.clear();
        }
      });
}

// A driver that resets nothing.
class ResetsNothing final : public Interposer {
 public:
  NTSTATUS ResetFromTimeout(HANDLE) override { return STATUS_SUCCESS; }
};

const Rule kRule{
    .id = "TDR-001",
    .title = "ResetFromTimeout succeeds and silences the GPU",
    .evidence = Evidence::DeviceLog,
    .rule =
        "ResetFromTimeout returns STATUS_SUCCESS, and from then on no engine works on what it was "
        "given before.",
    .sources = "nc-d3dkmddi-dxgkddi_resetfromtimeout.md # description, return value",
    .note = "Without a log of the device only the status is judged.",
    .unreached = "the adapter was not reset",
    .applies = engrst::adapter_resets,
    .check = check,
    .played_in = kBothAddressings | ConfigurationSet{Configured::Linked},
    .scenario = R"(
about: two busy nodes, of which one times out
ops:
- create_allocation: {allocation: 0, place: local}
- make_resident: {allocation: 0}
- create_context: {context: 0, node: 0}
- create_context: {context: 1, node: 1}
- render: {context: 0}
- idle
- render: {context: 0}
- bind: {slot: 0, allocation: 0}
- spin: {units: 200}
- fill: {slot: 0, offset: 0, size: 64}
- spin: {units: 200}
- render: {context: 1}
- spin: {units: 50}
- fill: {slot: 0, offset: 64, size: 64}
- spin: {units: 50}
- advance: {units: 10}
- advance: {units: 10}
- advance: {units: 10}
- advance: {units: 10}
- advance: {units: 10}
- advance: {units: 10}
- advance: {units: 40}
- time_out: {node: 0, adapter: true}
- advance: {units: 400}
- idle
)" WDDM_RESETS_ADAPTER_FOR_OTHER_GPU,
    .control = R"(
about: new work after the reset
ops:
- create_context: {context: 0, node: 0}
- render: {context: 0}
- idle
- render: {context: 0}
- spin: {units: 200}
- advance: {units: 10}
- advance: {units: 10}
- advance: {units: 10}
- advance: {units: 10}
- advance: {units: 10}
- advance: {units: 10}
- advance: {units: 40}
- time_out: {node: 0, adapter: true}
- create_context: {context: 0, node: 0}
- render: {context: 0}
- spin: {units: 20}
- idle
)",
    .fault = {.about = "ResetFromTimeout does nothing",
              .interposer = [] { return std::unique_ptr<Interposer>(new ResetsNothing); },
              .also_fires = "FENCE-003 PREEMPT-005 TDR-002"}};

WDDM_RULE(kRule);

}  // namespace
}  // namespace wddm::tdr_001
