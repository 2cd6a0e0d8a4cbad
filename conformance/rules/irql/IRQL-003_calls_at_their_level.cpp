// IRQL-003: Dxgkrnl calls each DDI at the IRQL of its page, and those of the upper threading levels
// alone.

#include <bugcodes.h>

#include <string>

#include "conformance/rules/irql/running_calls.h"
#include "conformance/rules/preempt/low_irql.h"
#include "conformance/rules/rule.h"
#include "conformance/rules/scratch.h"
#include "reference/is_any_of.h"

namespace wddm::irql_003 {
namespace {

constexpr std::uint32_t kHardwareAccess = 1;  // of D3DDDI_ESCAPEFLAGS

std::string text_of(Irql irql) {
  return "IRQL " + std::to_string(static_cast<unsigned>(irql));
}

// CollectDbgInfo has one for what timeouts ask of it.
Irql level_of(const Trace& trace, std::uint32_t index, DdiId ddi) {
  if (ddi != DdiId::CollectDbgInfo) return ddi_info(ddi).irql;
  const auto collect = trace.blob<ddi_arguments::CollectDbgInfo>(trace.events()[index]);
  const bool of_timeout =
      !collect.empty() &&
      is_any_of(collect.front().reason, VIDEO_TDR_TIMEOUT_DETECTED, VIDEO_ENGINE_TIMEOUT_DETECTED);
  return of_timeout ? Irql::Passive : Irql::Any;
}

void judge_level(const Trace& trace, std::uint32_t index, DdiId ddi, const Platform& platform,
                 Judgement& judgement) {
  const Irql wanted = level_of(trace, index, ddi);
  if (wanted == Irql::Any) return;
  const std::uint8_t irql = trace.events()[index].irql;
  judgement.reached(index);
  if (ddi == DdiId::PreemptCommand && preempt::wants_low_irql(platform)) {
    if (irql < static_cast<std::uint8_t>(Irql::Dispatch)) return;
    judgement.fail(index, "PreemptCommand below DISPATCH_LEVEL, as LowIrqlPreemptCommand",
                   "IRQL " + std::to_string(irql));
  } else if (irql != static_cast<std::uint8_t>(wanted)) {
    judgement.fail(index, std::string(ddi_info(ddi).name) + " at " + text_of(wanted),
                   "IRQL " + std::to_string(irql));
  }
}

// An Escape is of the second level by what it asks for.
bool is_exclusive(const Trace& trace, std::uint32_t index, DdiId ddi) {
  const ThreadingLevel level = ddi_info(ddi).level;
  if (level != ThreadingLevel::Two && level != ThreadingLevel::Three) return false;
  if (ddi != DdiId::Escape) return true;
  const auto escape = trace.blob<ddi_arguments::Escape>(trace.events()[index]);
  return !escape.empty() && (escape.front().flags & kHardwareAccess) != 0;
}

// Packets are in flight from the call that submits them on. Lives within one check.
class Calls {
 public:
  Calls(const Trace& trace, Judgement& judgement) : trace_(trace), judgement_(judgement) {}

  void enter(std::uint32_t index, const ev::DdiEntered& entered) {
    const auto ddi = static_cast<DdiId>(entered.ddi);
    const std::uint16_t thread = trace_.events()[index].thread;
    const bool alone = is_exclusive(trace_, index, ddi);
    for (const Call& other : running_) {
      if (other.thread == thread || !(alone || other.alone)) continue;
      judgement_.fail(index,
                      std::string(ddi_name(entered.ddi)) + " and " + ddi_info(other.ddi).name +
                          " never at once",
                      "two threads are in the driver", {other.entered});
    }
    // What resets the adapter comes since packets do not end.
    const bool idle = alone && !is_any_of(ddi, DdiId::ResetFromTimeout, DdiId::RestartFromTimeout);
    if (idle && !in_flight_.empty()) {
      const auto [packet, submitted] = *in_flight_.begin();
      judgement_.fail(index, std::string(ddi_name(entered.ddi)) + " with no packet in flight",
                      "packet " + std::to_string(packet) + " has not ended", {submitted});
    }
    if (is_any_of(ddi, DdiId::SubmitCommand, DdiId::SubmitCommandVirtual)) {
      in_flight_[entered.object] = index;
    }
    running_.enter({index, thread, ddi, alone});
  }
  void leave(std::uint32_t index, const ev::DdiReturned& returned) {
    const auto ddi = static_cast<DdiId>(returned.ddi);
    running_.leave(trace_.events()[index].thread, ddi);
    const bool submits = is_any_of(ddi, DdiId::SubmitCommand, DdiId::SubmitCommandVirtual);
    if (submits && returned.status != 0) in_flight_.erase(returned.object);
  }
  void end(std::uint32_t packet) { in_flight_.erase(packet); }
  void give_up() { in_flight_.clear(); }

 private:
  struct Call {
    std::uint32_t entered;  ///< event
    std::uint16_t thread;
    DdiId ddi;
    bool alone;
  };
  const Trace& trace_;
  Judgement& judgement_;
  RunningCalls<Call> running_;
  ScratchMap<std::uint32_t, std::uint32_t> in_flight_;  // DdiEntered, by packet
};

void check(const Trace& trace, const Platform& platform, Judgement& judgement) {
  Calls calls(trace, judgement);
  for (const std::uint32_t index :
       trace.of_any<ev::DdiEntered, ev::DdiReturned, ev::IsrEntered, ev::DpcEntered,
                    ev::PacketEnded, ev::Stuck, ev::AdapterReset, ev::SurpriseRemoved>()) {
    const Event& event = trace.events()[index];
    if (event.kind == EventKind::DdiEntered) {
      const auto entered = Trace::as<ev::DdiEntered>(event);
      if (entered.ddi >= kDdis) continue;
      judge_level(trace, index, static_cast<DdiId>(entered.ddi), platform, judgement);
      calls.enter(index, entered);
    } else if (event.kind == EventKind::DdiReturned) {
      calls.leave(index, Trace::as<ev::DdiReturned>(event));
    } else if (event.kind == EventKind::IsrEntered) {
      judge_level(trace, index, DdiId::InterruptRoutine, platform, judgement);
    } else if (event.kind == EventKind::DpcEntered) {
      judge_level(trace, index, DdiId::DpcRoutine, platform, judgement);
    } else if (event.kind == EventKind::PacketEnded) {
      calls.end(Trace::as<ev::PacketEnded>(event).packet);
    } else {
      calls.give_up();
    }
  }
}

const Rule kRule{
    .id = "IRQL-003",
    .title = "The OS calls each DDI at its documented IRQL and level",
    .binds = Binds::Os,
    .rule =
        "SubmitCommand, PreemptCommand and the DPC are called at DISPATCH_LEVEL, the interrupt "
        "routine at the device's IRQL, all else at PASSIVE_LEVEL: Patch, BuildPagingBuffer, "
        "CancelCommand, resets, what makes and ends objects, the adapter's life. DDIs of the "
        "second and third threading level are called while no other thread is in the driver and "
        "no packet is in flight.",
    .sources =
        "nc-*-dxgkddi_*.md # req.irql of each DDI\n"
        "threading-and-synchronization-second-level.md\n"
        "threading-and-synchronization-third-level.md\n"
        "mcdm-implementation-guidelines.md # SchedulingCaps requirements",
    .note =
        "Levels are those of the table of entry points (ddis.md), which says what it takes the "
        "pages for where they are silent. ResetDevice may come at any, and CollectDbgInfo for what "
        "is no timeout. ResetFromTimeout and "
        "RestartFromTimeout are of the third level and come when packets do not end. Interrupts "
        "and DPCs are no threads. An Escape without HardwareAccess is not of the second level. "
        "PreemptCommand with LowIrqlPreemptCommand is MCDM-014 too.",
    .applies = always,
    .check = check,
    .played_in = kBothAddressings | ConfigurationSet{Configured::Managed},
    .scenario = R"(
about: work, a preemption, a timeout, paging, and questions in between
ops:
- create_context: {context: 0}
- create_allocation: {allocation: 0, pages: 2, place: local}
- render: {context: 0}
- bind: {slot: 0, allocation: 0}
- fill: {slot: 0}
- render: {context: 0}
- spin: {units: 100}
- advance: {units: 10}
- preempt: {node: 0}
- idle
- requery
- evict: {allocation: 0}
- render: {context: 0}
- spin: {units: 100000}
- advance: {units: 20}
- time_out: {node: 0}
- idle
- power_cycle
- cycle: {count: 1}
)",
    .control = R"(
about: the adapter starts and stops
ops:
- start
- stop
)",
    .fault = {.about = "PreemptCommand comes at PASSIVE_LEVEL unasked",
              .seat = FaultSeat::Oracle,
              .oracle = OracleFault::PreemptAtPassive}};

WDDM_RULE(kRule);

}  // namespace
}  // namespace wddm::irql_003
