// ENGRST-001: ResetEngine returns when the engine is clean.

#include "conformance/host/interposer.h"
#include "conformance/rules/engrst/other_gpu.h"
#include "conformance/rules/engrst/resets.h"
#include "conformance/rules/scratch.h"
#include "conformance/rules/submit/in_order_of_calls.h"

namespace wddm::engrst_001 {
namespace {

struct Since {
  std::uint32_t reset = kNone;      // EngineReset
  ScratchSet<std::uint32_t> given;  // fences submitted since
};

// That new packets run and complete is FENCE-001, that no report comes for old ones FENCE-003.
void check(const Trace& trace, const Platform&, Judgement& judgement) {
  // Engines that were reset: what they have may be what they were given since. Who is started
  // again, or reset as a whole, may have the adapter do what it likes.
  ScratchMap<EngineId, Since> clean;
  // Fences of packets. The driver may give an engine work of its own, under any other number: that
  // of a preemption request, too.
  ScratchMap<EngineId, ScratchSet<std::uint32_t>> packets;
  bool tells = false;  // the log, of work on packets: it may leave out kinds of records
  using StopReturned = ev::MappingBalance;
  in_order_of_calls<ev::EngineReset, ev::DeviceLogged, ev::AdapterReset, StopReturned>(
      trace, [&](std::uint32_t index) {
        const Event& event = trace.events()[index];
        if (event.kind == EventKind::EngineReset) {
          const auto reset = Trace::as<ev::EngineReset>(event);
          if (!engrst::succeeded(reset.status)) return;
          clean[engine_of(reset)] = {.reset = index, .given = {}};
          if (tells) judgement.reached(index);
        } else if (event.kind == EventKind::Submitted) {
          const auto packet = trace.at<ev::Submitted>(index);
          packets[engine_of(packet)].insert(packet.fence);
          const auto since = clean.find(engine_of(packet));
          if (since != clean.end()) since->second.given.insert(packet.fence);
        } else if (event.kind == EventKind::DeviceLogged) {
          const auto record = Trace::as<ev::DeviceLogged>(event);
          const auto since = clean.find(engine_of(record));
          const bool stopped = record.kind == WDDM_DEVICE_PACKET_STOPPED;
          if (tells && since == clean.end()) return;
          if (!stopped && !engrst::is_work(record)) return;
          if (!packets[engine_of(record)].contains(record.tag)) return;
          tells = true;
          if (since == clean.end() || since->second.given.contains(record.tag)) return;
          judgement.fail(index, "an engine that was reset works on nothing from before",
                         "it still has SubmissionFenceId " + std::to_string(record.tag),
                         {since->second.reset});
          clean.erase(since);
        } else {
          clean.clear();
          if (event.kind == EventKind::MappingBalance) packets.clear();
        }
      });
}

// A driver that answers and resets nothing.
class ResetsNothing final : public Interposer {
 public:
  NTSTATUS SubmitCommand(HANDLE adapter, const DXGKARG_SUBMITCOMMAND* submit) override {
    last_[submit->NodeOrdinal & 63] = submit->SubmissionFenceId;
    return Interposer::SubmitCommand(adapter, submit);
  }
  NTSTATUS ResetEngine(HANDLE, DXGKARG_RESETENGINE* reset) override {
    reset->LastAbortedFenceId = last_[reset->NodeOrdinal & 63];
    return STATUS_SUCCESS;
  }

 private:
  UINT last_[64] = {};
};

const Rule kRule{
    .id = "ENGRST-001",
    .title = "ResetEngine returns when the engine is clean",
    .evidence = Evidence::DeviceLog,
    .rule =
        "When ResetEngine returns success the reset is complete and the hardware queue of the node "
        "empty: none of the packets that were on it is worked on any more, and the node takes new "
        "ones.",
    .sources = "nc-d3dkmddi-dxgkddi_resetengine.md # Remarks",
    .note =
        "The page speaks of the queue of the physical adapter. Since other nodes are not to "
        "suffer, "
        "read: the queue of the node that is reset.",
    .unreached = "no engine was reset, or the device's log says nothing of packets that run",
    .applies = engrst::logged_engine_resets,
    .check = check,
    .played_in = kBothAddressings | ConfigurationSet{Configured::Linked},
    .scenario = R"(
about: an engine in a packet is reset with another behind it, and has time before it gets work; then beside another of which nobody was told
ops:
- create_device: {device: 1}
- create_allocation: {allocation: 0, place: local}
- create_allocation: {allocation: 1, place: local, device: 1}
# Nobody maps it again: an aperture is not of the engine.
- create_allocation: {allocation: 2, pages: 2, place: aperture, device: 1}
- make_resident: {allocation: 0}
- make_resident: {allocation: 1}
- make_resident: {allocation: 2}
- create_context: {context: 0}
- create_context: {context: 1, device: 1}
- queue_depth: {packets: 3}
- render: {context: 0}
- idle
- render: {context: 0}
- bind: {slot: 0, allocation: 0}
- fill: {slot: 0, offset: 0, size: 64}
- spin: {units: 100}
- fill: {slot: 0, offset: 64, size: 64}
- spin: {units: 100}
- advance: {units: 10}
- advance: {units: 10}
- advance: {units: 10}
- advance: {units: 10}
- advance: {units: 10}
- advance: {units: 10}
- advance: {units: 40}
- time_out: {node: 0}
- advance: {units: 300}
- render: {context: 1}
- bind: {slot: 0, allocation: 1}
- fill: {slot: 0, offset: 0, size: 64}
- idle
- render: {context: 1}
- bind: {slot: 0, allocation: 2}
- fill: {slot: 0, offset: 4096, size: 64}
- idle
- render: {context: 1}
- bind: {slot: 0, allocation: 1}
- add: {slot: 0, offset: 0, value: 1}
- spin: {units: 100}
- add: {slot: 0, offset: 4, value: 1}
- render: {context: 1}
- bind: {slot: 0, allocation: 1}
- add: {slot: 0, offset: 8, value: 1}
- advance: {units: 10}
- advance: {units: 10}
- advance: {units: 10}
- advance: {units: 10}
- advance: {units: 10}
- advance: {units: 10}
- advance: {units: 40}
- time_out: {node: 0}
- advance: {units: 300}
- idle
# The packet of another engine has ended by then, or that has answered a request, and nobody was told.
# On a driver with one node what that one does is skipped.
- create_device: {device: 3}
- create_device: {device: 4}
- create_device: {device: 5}
- create_context: {context: 3, device: 3}
- create_context: {context: 4, device: 4, node: 1}
- create_context: {context: 5, device: 5}
- render: {context: 3}
- render: {context: 4}
- render: {context: 5}
- idle
- render: {context: 3}
- spin: {units: 3000}
- render: {context: 4}
- spin: {units: 100}
- advance: {units: 20}
- advance: {units: 20}
- advance: {units: 20}
- hold_interrupts
- advance: {units: 500}
- time_out: {node: 0}
- idle
- render: {context: 5}
- spin: {units: 3000}
- render: {context: 4}
- spin: {units: 3000}
- advance: {units: 20}
- advance: {units: 20}
- advance: {units: 20}
- hold_interrupts
- preempt: {node: 1}
- advance: {units: 500}
- time_out: {node: 0}
- idle
)" WDDM_RESETS_ENGINE_OF_OTHER_GPU,
    .control = R"(
about: what was behind it comes back and runs
ops:
- create_device: {device: 1}
- create_allocation: {allocation: 1, place: local, device: 1}
- make_resident: {allocation: 1}
- create_context: {context: 0}
- create_context: {context: 1, device: 1}
- queue_depth: {packets: 3}
- render: {context: 0}
- spin: {units: 300}
- render: {context: 1}
- bind: {slot: 0, allocation: 1}
- fill: {slot: 0, offset: 0, size: 64}
- add: {slot: 0, offset: 0, value: 1}
- advance: {units: 10}
- advance: {units: 10}
- advance: {units: 10}
- advance: {units: 10}
- advance: {units: 10}
- advance: {units: 10}
- advance: {units: 40}
- time_out: {node: 0}
- idle
)",
    .fault = {.about = "ResetEngine answers and does nothing",
              .interposer = [] { return std::unique_ptr<Interposer>(new ResetsNothing); },
              .also_fires = "ENGRST-002 ENGRST-003 PREEMPT-005 PREEMPT-009"}};

WDDM_RULE(kRule);

}  // namespace
}  // namespace wddm::engrst_001
