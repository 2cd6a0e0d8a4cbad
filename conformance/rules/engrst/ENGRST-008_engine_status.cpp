// ENGRST-008: QueryEngineStatus tells the truth about progress.

#include <algorithm>
#include <utility>

#include "conformance/host/interposer.h"
#include "conformance/rules/engrst/resets.h"
#include "conformance/rules/scratch.h"
#include "conformance/rules/submit/in_order_of_calls.h"
#include "reference/trace/op.h"

namespace wddm::engrst_008 {
namespace {

constexpr std::uint32_t kResponsive = 1;

// The packet that an engine was given last.
struct Last {
  std::uint32_t fence = 0;
  // What the device's log says, which the driver need not have reported yet.
  bool ended = false;    // or it has left the engine
  bool faulted = false;  // and stands
  bool asked = false;    // about the engine, since it did something last
};

// That an engine makes no progress the device says: packets are on it, and it has nothing to do.
void check(const Trace& trace, const Platform& platform, Judgement& judgement) {
  ScratchMap<EngineId, Last> engines;
  bool stands_still = false;
  bool waits = false;    // packets may be for a semaphore, on engines that respond to all else
  bool emptied = false;  // the driver has said so since the timeout, and nobody listened
  bool held = false;     // its interrupts wait: it may have emptied them, and nobody was told
  // DPCs may wait, and a driver hands over the next packet in one: what stands still before
  // time_out lets them go may go on then.
  bool dpcs_wait = false;
  std::uint32_t handed_over = 0;  // the latest Submitted: inside of its call nothing needs to go on
  in_order_of_calls<ev::OpStarted, ev::IsrEntered, ev::GpuAdvanced, ev::DeviceLogged,
                    ev::ReportIgnored, ev::EngineAsked>(trace, [&](std::uint32_t index) {
    const Event& event = trace.events()[index];
    if (event.kind == EventKind::OpStarted) {
      const auto op = static_cast<OpKind>(Trace::as<ev::OpStarted>(event).kind);
      // The question may come behind this op: a driver waits in the calls before it.
      if (op == OpKind::TimeOut) {
        emptied = false;
        if (std::exchange(dpcs_wait, false)) stands_still = false;
      }
      if (op == OpKind::Idle) waits = held = dpcs_wait = false;  // all of them end
      waits |= op == OpKind::Wait;
      held |= op == OpKind::HoldInterrupts;
      dpcs_wait |= op == OpKind::HoldDpcs;
    } else if (event.kind == EventKind::IsrEntered) {
      held = false;
    } else if (event.kind == EventKind::ReportIgnored) {
      emptied = true;
    } else if (event.kind == EventKind::GpuAdvanced) {
      const auto advanced = Trace::as<ev::GpuAdvanced>(event);
      if (index < handed_over) return;
      // Where the driver's own threads are the GPU, nobody counts its units.
      stands_still = platform.has_device_log && advanced.units != 0 && advanced.used == 0 && !waits;
      if (advanced.used != 0) {
        for (auto& [engine, last] : engines) last.asked = false;
      }
    } else if (event.kind == EventKind::Submitted) {
      stands_still = false;
      handed_over = std::max(handed_over, index);
      const auto packet = trace.at<ev::Submitted>(index);
      // A refused one need not come to the device at all.
      if (packet.status == 0) engines[engine_of(packet)] = {.fence = packet.fence};
    } else if (event.kind == EventKind::DeviceLogged) {
      const auto record = Trace::as<ev::DeviceLogged>(event);
      Last& last = engines[engine_of(record)];
      if (record.tag != last.fence) return;
      last.ended |=
          record.kind == WDDM_DEVICE_PACKET_END || record.kind == WDDM_DEVICE_PACKET_STOPPED;
      last.faulted |= record.kind == WDDM_DEVICE_PAGE_FAULT;
    } else {
      const auto asked = Trace::as<ev::EngineAsked>(event);
      Last& last = engines[engine_of(asked)];
      // Who compares it with what it was at the question before tells at the second.
      const bool again = std::exchange(last.asked, true);
      const bool may_be_empty = emptied || last.ended || (held && !last.faulted);
      const bool hangs = again && stands_still && asked.outstanding != 0 && !may_be_empty;
      // That engines which go on are called responsive shows nothing: some driver says nothing
      // else.
      if (hangs) judgement.reached(index);
      if (!engrst::succeeded(asked.status)) {
        judgement.fail(index, "QueryEngineStatus succeeds", status_name(asked.status));
      } else if ((asked.value & ~kResponsive) != 0) {
        judgement.fail(index, "0 in the reserved bits of EngineStatus",
                       "EngineStatus " + std::to_string(asked.value));
      } else if (hangs && asked.value == kResponsive) {
        judgement.fail(index, "Responsive 0 of an engine with packets that does nothing",
                       "Responsive 1");
      }
    }
  });
}

// A driver that takes every engine for a live one.
class AlwaysResponsive final : public Interposer {
 public:
  NTSTATUS QueryEngineStatus(HANDLE adapter, DXGKARG_QUERYENGINESTATUS* query) override {
    const NTSTATUS status = Interposer::QueryEngineStatus(adapter, query);
    query->EngineStatus.Value = 1;
    return status;
  }
};

NotApplicable asked_for_status(const Platform& platform) {
  if (const NotApplicable reason = engrst::engine_resets(platform)) return reason;
  return needs(platform, DdiId::QueryEngineStatus);
}

// The paging that a packet waits for has its turn, and then the packet.
#define ADVANCES             \
  "- advance: {units: 10}\n" \
  "- advance: {units: 10}\n" \
  "- advance: {units: 10}\n" \
  "- advance: {units: 10}\n" \
  "- advance: {units: 10}\n" \
  "- advance: {units: 10}\n" \
  "- advance: {units: 40}\n"

// Hardware that checks where commands lead to stands at one that its driver has let through. Each
// on a device of its own: those of before are in error.
#define TOO_FAR(object, offset)                                         \
  "- create_device: {device: " #object ", process: " #object            \
  "}\n"                                                                 \
  "- create_allocation: {allocation: " #object ", device: " #object     \
  ", place: local}\n"                                                   \
  "- create_context: {context: " #object ", device: " #object           \
  "}\n"                                                                 \
  "- render: {context: " #object                                        \
  "}\n"                                                                 \
  "- idle\n"                                                            \
  "- render: {context: " #object                                        \
  "}\n"                                                                 \
  "- bind: {slot: 0, allocation: " #object                              \
  "}\n"                                                                 \
  "- fill: {slot: 0}\n"                                                 \
  "- tamper_command: {offset: " #offset ", value: 0x100000}\n" ADVANCES \
  "- time_out: {node: 0, units: 20}\n"                                  \
  "- idle\n"

// Whatever a driver lets through: an address where nothing is stops the engine, and the driver is
// asked before it has been told.
#define FAULTS                                                            \
  "- create_device: {device: 6, process: 6}\n"                            \
  "- create_context: {context: 6, device: 6}\n"                           \
  "- create_allocation: {allocation: 6, device: 6, place: local}\n"       \
  "- make_resident: {allocation: 6}\n"                                    \
  "- free_address: {allocation: 6}\n"                                     \
  "- idle\n"                                                              \
  "- render: {context: 6}\n"                                              \
  "- spin: {units: 400}\n"                                                \
  "- bind: {slot: 1, allocation: 6}\n"                                    \
  "- fill: {slot: 1, offset: 64, size: 64, value: 0x55667788}\n" ADVANCES \
  "- hold_interrupts\n"                                                   \
  "- advance: {units: 2000}\n"                                            \
  "- time_out: {node: 0, units: 20}\n"                                    \
  "- hold_interrupts: {on: false}\n"                                      \
  "- idle\n"

const Rule kRule{
    .id = "ENGRST-008",
    .title = "QueryEngineStatus tells the truth about progress",
    .rule =
        "QueryEngineStatus succeeds; Responsive is 0 of a node that makes no progress, on the GPU "
        "of a link that EngineOrdinal names, and the reserved bits are 0.",
    .sources =
        "ns-d3dkmddi-_dxgk_enginestatus.md # Responsive\n"
        "ns-d3dkmddi-_dxgkarg_queryenginestatus.md # EngineOrdinal\n"
        "nc-d3dkmddi-dxgkddi_queryenginestatus.md # Remarks",
    .note =
        "An engine that the device does not let go on for a while is judged neither way: whether "
        "it makes progress is a question of how long one looks. Nor is one that may wait for a "
        "semaphore: it makes none, and responds; nor one whose driver may have the next packet "
        "wait for a DPC that is held up. Each question is put twice: a driver may say whether the "
        "engine has come on since the one before, so that the second answer counts. An "
        "EngineOrdinal behind the GPUs of the link is "
        "never asked about: the call always succeeds, so it has no answer. The clause is reached "
        "where an engine hangs: by commands that it can make nothing of, or by a page fault that "
        "the driver has not been told of yet. A driver that refuses whatever hangs its engines, "
        "and has no GPU virtual addresses, is never asked about such a one. The page speaks of "
        "progress in operations, and of answers to queries: of an engine that stands until it is "
        "reset the first is taken, whatever its firmware still answers.",
    .unreached =
        "no engine was seen to hang by the device's log: what user mode altered was refused or "
        "came to an end, and engines went on behind page faults",
    .applies = asked_for_status,
    .check = check,
    .played_in = {Configured::GpuVirtual, Configured::FourLevels, Configured::Linked},
    .scenario = R"(
about: user mode gives an engine what it cannot make anything of, and then the other
ops:
- create_context: {context: 0}
- render: {context: 0}
- idle
- render: {context: 0}
- spin: {units: 5}
- tamper_command: {offset: 0, value: 0xffffffff}
- advance: {units: 10}
- advance: {units: 10}
- advance: {units: 10}
- advance: {units: 10}
- advance: {units: 10}
- advance: {units: 10}
- advance: {units: 40}
- time_out: {node: 0, units: 20}
- idle
# The second engine as well, while the first has nothing to do. On a driver with one node what this
# context does is skipped.
- create_device: {device: 2, process: 2}
- create_context: {context: 2, device: 2, node: 1}
- render: {context: 2}
- idle
- render: {context: 2}
- spin: {units: 5}
- tamper_command: {offset: 0, value: 0xffffffff}
- advance: {units: 10}
- advance: {units: 10}
- advance: {units: 10}
- advance: {units: 10}
- advance: {units: 10}
- advance: {units: 10}
- advance: {units: 40}
- advance: {units: 100}
- time_out: {node: 1, units: 20}
- idle
)" TOO_FAR(3, 12) TOO_FAR(4, 20) TOO_FAR(5, 24) FAULTS R"(
# Of a link the other GPU as well, while the first has nothing to do.
- physical_adapter: {index: 1}
- create_device: {device: 1, process: 1}
- create_context: {context: 1, device: 1}
- render: {context: 1}
- idle
- render: {context: 1}
- spin: {units: 5}
- tamper_command: {offset: 0, value: 0xffffffff}
- advance: {units: 10}
- advance: {units: 10}
- advance: {units: 10}
- advance: {units: 10}
- advance: {units: 10}
- advance: {units: 10}
- advance: {units: 40}
- advance: {units: 100}
- time_out: {node: 0, units: 20}
- idle
)",
    .control = R"(
about: a long packet has had no time to be stopped
ops:
- create_context: {context: 0}
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
- time_out: {node: 0}
- idle
)",
    .fault = {.about = "Responsive is always 1",
              .interposer = [] { return std::unique_ptr<Interposer>(new AlwaysResponsive); }}};

#undef FAULTS
#undef TOO_FAR
#undef ADVANCES

WDDM_RULE(kRule);

}  // namespace
}  // namespace wddm::engrst_008
