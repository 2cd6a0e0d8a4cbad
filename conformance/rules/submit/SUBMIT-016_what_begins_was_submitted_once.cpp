// SUBMIT-016: what an engine begins was submitted to it, and runs once.

#include <utility>

#include "conformance/host/interposer.h"
#include "conformance/rules/rule.h"
#include "conformance/rules/scratch.h"
#include "conformance/rules/submit/in_order_of_calls.h"
#include "conformance/sdk/device.h"

namespace wddm::submit_016 {
namespace {

using Key = std::pair<EngineId, std::uint32_t>;  // engine and fence

// A packet that was stopped goes on where the driver lets it: PREEMPT-009 says where it may not.
void check(const Trace& trace, const Platform&, Judgement& judgement) {
  ScratchMap<Key, std::uint32_t> submitted;  // the latest Submitted of a fence
  ScratchMap<Key, std::uint32_t> ended;      // PACKET_END since
  in_order_of_calls<ev::DeviceLogged, ev::DdiReturned>(trace, [&](std::uint32_t index) {
    const EventKind kind = trace.events()[index].kind;
    if (kind == EventKind::DdiReturned) {
      const auto returned = trace.at<ev::DdiReturned>(index);
      if (returned.ddi != static_cast<std::uint32_t>(DdiId::StopDevice)) return;
      submitted.clear();
      ended.clear();
      return;
    }
    if (kind == EventKind::Submitted) {
      const auto packet = trace.at<ev::Submitted>(index);
      const Key key{engine_of(packet), packet.fence};
      submitted[key] = index;
      ended.erase(key);
      return;
    }
    const auto record = trace.at<ev::DeviceLogged>(index);
    const Key key{engine_of(record), record.tag};
    if (record.kind == WDDM_DEVICE_PACKET_END) {
      ended[key] = index;
    } else if (record.kind == WDDM_DEVICE_PACKET_BEGIN) {
      const auto known = submitted.find(key);
      if (known == submitted.end() && record.tag == 0) return;  // the driver's own work
      judgement.reached(index);
      const auto end = ended.find(key);
      if (known == submitted.end()) {
        judgement.fail(index, "an engine begins what was submitted to it",
                       "it begins a packet with SubmissionFenceId " + std::to_string(record.tag) +
                           ", which was not");
      } else if (end != ended.end()) {
        judgement.fail(
            index, "a packet that has ended is not begun again",
            "the engine begins SubmissionFenceId " + std::to_string(record.tag) + " once more",
            {known->second, end->second});
      }
    }
  });
}

// A driver that hands each packet to its hardware twice.
class SubmitsTwice final : public Interposer {
 public:
  NTSTATUS SubmitCommand(HANDLE adapter, const DXGKARG_SUBMITCOMMAND* submit) override {
    const NTSTATUS status = Interposer::SubmitCommand(adapter, submit);
    if (!submit->Flags.Paging) static_cast<void>(Interposer::SubmitCommand(adapter, submit));
    return status;
  }
};

NotApplicable with_log(const Platform& platform) {
  if (const NotApplicable reason = submitting(platform)) return reason;
  return platform.has_device_log ? nullptr : "no device log";
}

const Rule kRule{
    .id = "SUBMIT-016",
    .title = "What an engine begins was submitted to it, and runs once",
    .evidence = Evidence::DeviceLog,
    .rule =
        "Each packet that an engine begins has been submitted for that engine, and one that has "
        "run "
        "to its end is not begun again unless it is submitted again.",
    .sources =
        "nc-d3dkmddi-dxgkddi_submitcommand.md # Remarks\n"
        "ns-d3dkmddi-_dxgkarg_submitcommand.md # SubmissionFenceId, NodeOrdinal",
    .note =
        "Packets are known by the SubmissionFenceId that the driver has given the device; work of "
        "its "
        "own has 0.",
    .applies = with_log,
    .check = check,
    .played_in = kBothAddressings | ConfigurationSet{Configured::IoMmuAlone},
    .scenario = R"(
about: two packets of a context; then more than a node may hold, and all of them preempted once
ops:
- announce_queue: {packets: 16}
- create_allocation: {allocation: 0, place: local}
- make_resident: {allocation: 0}
- create_context: {context: 0}
- create_context: {context: 1}
- render: {context: 0}
- spin: {units: 5}
- idle
- render: {context: 0}
- spin: {units: 5}
- idle
# As many as were announced, round a ring of twice as many.
- queue_depth: {packets: 64}
- render: {context: 0}
- spin: {units: 60}
- render: {context: 0}
- bind: {slot: 0, allocation: 0}
- add: {slot: 0, offset: 0, value: 1}
- render: {context: 1}
- bind: {slot: 0, allocation: 0}
- add: {slot: 0, offset: 4, value: 1}
- render: {context: 0}
- bind: {slot: 0, allocation: 0}
- add: {slot: 0, offset: 8, value: 1}
- render: {context: 1}
- bind: {slot: 0, allocation: 0}
- add: {slot: 0, offset: 12, value: 1}
- render: {context: 0}
- bind: {slot: 0, allocation: 0}
- add: {slot: 0, offset: 16, value: 1}
- render: {context: 1}
- bind: {slot: 0, allocation: 0}
- add: {slot: 0, offset: 20, value: 1}
- render: {context: 0}
- bind: {slot: 0, allocation: 0}
- add: {slot: 0, offset: 24, value: 1}
- render: {context: 1}
- bind: {slot: 0, allocation: 0}
- add: {slot: 0, offset: 28, value: 1}
- render: {context: 0}
- bind: {slot: 0, allocation: 0}
- add: {slot: 0, offset: 32, value: 1}
- render: {context: 1}
- bind: {slot: 0, allocation: 0}
- add: {slot: 0, offset: 36, value: 1}
- render: {context: 0}
- bind: {slot: 0, allocation: 0}
- add: {slot: 0, offset: 40, value: 1}
- render: {context: 1}
- bind: {slot: 0, allocation: 0}
- add: {slot: 0, offset: 44, value: 1}
- render: {context: 0}
- bind: {slot: 0, allocation: 0}
- add: {slot: 0, offset: 48, value: 1}
- render: {context: 1}
- bind: {slot: 0, allocation: 0}
- add: {slot: 0, offset: 52, value: 1}
- render: {context: 0}
- bind: {slot: 0, allocation: 0}
- add: {slot: 0, offset: 56, value: 1}
- render: {context: 1}
- bind: {slot: 0, allocation: 0}
- add: {slot: 0, offset: 60, value: 1}
- render: {context: 0}
- bind: {slot: 0, allocation: 0}
- add: {slot: 0, offset: 64, value: 1}
- render: {context: 1}
- bind: {slot: 0, allocation: 0}
- add: {slot: 0, offset: 68, value: 1}
- advance: {units: 10}
- advance: {units: 10}
- advance: {units: 30}
- preempt: {node: 0}
- idle
- render: {context: 0}
- spin: {units: 60}
- render: {context: 0}
- bind: {slot: 0, allocation: 0}
- add: {slot: 0, offset: 128, value: 1}
- render: {context: 1}
- bind: {slot: 0, allocation: 0}
- add: {slot: 0, offset: 132, value: 1}
- render: {context: 0}
- bind: {slot: 0, allocation: 0}
- add: {slot: 0, offset: 136, value: 1}
- render: {context: 1}
- bind: {slot: 0, allocation: 0}
- add: {slot: 0, offset: 140, value: 1}
- render: {context: 0}
- bind: {slot: 0, allocation: 0}
- add: {slot: 0, offset: 144, value: 1}
- render: {context: 1}
- bind: {slot: 0, allocation: 0}
- add: {slot: 0, offset: 148, value: 1}
- render: {context: 0}
- bind: {slot: 0, allocation: 0}
- add: {slot: 0, offset: 152, value: 1}
- render: {context: 1}
- bind: {slot: 0, allocation: 0}
- add: {slot: 0, offset: 156, value: 1}
- render: {context: 0}
- bind: {slot: 0, allocation: 0}
- add: {slot: 0, offset: 160, value: 1}
- render: {context: 1}
- bind: {slot: 0, allocation: 0}
- add: {slot: 0, offset: 164, value: 1}
- render: {context: 0}
- bind: {slot: 0, allocation: 0}
- add: {slot: 0, offset: 168, value: 1}
- render: {context: 1}
- bind: {slot: 0, allocation: 0}
- add: {slot: 0, offset: 172, value: 1}
- render: {context: 0}
- bind: {slot: 0, allocation: 0}
- add: {slot: 0, offset: 176, value: 1}
- render: {context: 1}
- bind: {slot: 0, allocation: 0}
- add: {slot: 0, offset: 180, value: 1}
- render: {context: 0}
- bind: {slot: 0, allocation: 0}
- add: {slot: 0, offset: 184, value: 1}
- render: {context: 1}
- bind: {slot: 0, allocation: 0}
- add: {slot: 0, offset: 188, value: 1}
- render: {context: 0}
- bind: {slot: 0, allocation: 0}
- add: {slot: 0, offset: 192, value: 1}
- advance: {units: 10}
- advance: {units: 10}
- advance: {units: 30}
- idle
)",
    .control = R"(
about: a packet that is stopped goes on when it is submitted again
ops:
- create_context: {context: 0}
- render: {context: 0}
- spin: {units: 200}
- advance: {units: 5}
- preempt: {node: 0}
- idle
)",
    .fault = {.about = "each packet of a context is put into the ring twice",
              .interposer = [] { return std::unique_ptr<Interposer>(new SubmitsTwice); },
              .also_fires = "FENCE-001 FENCE-002 NT-DmaOutsideMemory SUBMIT-017"}};

WDDM_RULE(kRule);

}  // namespace
}  // namespace wddm::submit_016
