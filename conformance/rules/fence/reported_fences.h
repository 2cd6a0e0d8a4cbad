// What an engine had reported when QueryCurrentFence was called, and when it returned.
//
// Packets are counted in the order of their submission. What the interrupt routine reports right
// after a call, while the GPU has done nothing, had completed before it: the interrupt was held
// back (hold_interrupts). That the GPU works is told behind what it has interrupted for, so such a
// report counts when the next op begins. Left out: engines that were reset, or that faulted, and
// have reported nothing since.
#pragma once

#include <cstdint>
#include <optional>
#include <utility>

#include "conformance/rules/rule.h"
#include "conformance/rules/scratch.h"
#include "conformance/rules/submit/in_order_of_calls.h"
#include "reference/trace/op.h"

namespace wddm {

[[nodiscard]] inline NotApplicable fences_are_queried(const Platform& platform) {
  if (const NotApplicable reason = running_commands(platform)) return reason;
  return needs(platform, DdiId::QueryCurrentFence);
}

#define WDDM_PACKET_THAT_ENDS_AT(point) \
  "- render: {context: 0}\n"            \
  "- spin: {units: 20}\n"               \
  "- advance: {units: 4}\n"             \
  "- advance: {units: 4}\n"             \
  "- advance: {units: 4}\n"             \
  "- advance_inside: {point: " #point   \
  ", units: 80}\n"                      \
  "- query_fence: {node: 0}\n"          \
  "- advance_inside: {units: 0}\n"      \
  "- idle\n"
// The interrupt of a packet that has ended is held back. Its pages come first, of which a link has
// twice as many: the packet is far longer than they take.
#define WDDM_PACKET_HELD_BACK_IN(context_number, node_number) \
  "- render: {context: " #context_number                      \
  "}\n"                                                       \
  "- spin: {units: 3000}\n"                                   \
  "- advance: {units: 100}\n"                                 \
  "- advance: {units: 100}\n"                                 \
  "- advance: {units: 100}\n"                                 \
  "- advance: {units: 100}\n"                                 \
  "- advance: {units: 100}\n"                                 \
  "- advance: {units: 100}\n"                                 \
  "- query_fence: {node: " #node_number                       \
  "}\n"                                                       \
  "- hold_interrupts\n"                                       \
  "- advance: {units: 6000}\n"                                \
  "- query_fence: {node: " #node_number                       \
  "}\n"                                                       \
  "- hold_interrupts: {on: false}\n"                          \
  "- idle\n"
// A shorter one, for numbers that come to the end of 31 or 32 bits. Each engine has its own: of one
// that does not page the second packet or the third is there.
#define WDDM_NUMBERED_PACKET_HELD_BACK_IN(context_number, node_number) \
  "- render: {context: " #context_number                               \
  "}\n"                                                                \
  "- spin: {units: 400}\n"                                             \
  "- advance: {units: 100}\n"                                          \
  "- advance: {units: 100}\n"                                          \
  "- advance: {units: 100}\n"                                          \
  "- hold_interrupts\n"                                                \
  "- advance: {units: 600}\n"                                          \
  "- query_fence: {node: " #node_number                                \
  "}\n"                                                                \
  "- hold_interrupts: {on: false}\n"                                   \
  "- idle\n"
#define WDDM_NUMBERS_BEGIN_WITH(number)                                                   \
  "- stop\n"                                                                              \
  "- first_fence: {fence: " #number                                                       \
  "}\n"                                                                                   \
  "- start\n"                                                                             \
  "- create_context: {context: 0}\n"                                                      \
  "- create_context: {context: 2, node: 1}\n" WDDM_NUMBERED_PACKET_HELD_BACK_IN(0, 0)     \
      WDDM_NUMBERED_PACKET_HELD_BACK_IN(0, 0) WDDM_NUMBERED_PACKET_HELD_BACK_IN(0, 0)     \
          WDDM_NUMBERED_PACKET_HELD_BACK_IN(2, 1) WDDM_NUMBERED_PACKET_HELD_BACK_IN(2, 1) \
              WDDM_NUMBERED_PACKET_HELD_BACK_IN(2, 1)
/// A packet ends before the engine is asked, and at each point of the call.
inline constexpr const char* kAskedWhilePacketsEnd = R"(
about: the engine is asked while it runs a packet, and at each point at which that may end; each node, and with numbers that wrap
ops:
- create_context: {context: 0}
- render: {context: 0}
- idle
- query_fence: {node: 0}
)" WDDM_PACKET_THAT_ENDS_AT(1) WDDM_PACKET_THAT_ENDS_AT(2) WDDM_PACKET_THAT_ENDS_AT(3)
    WDDM_PACKET_THAT_ENDS_AT(4) WDDM_PACKET_THAT_ENDS_AT(5) WDDM_PACKET_THAT_ENDS_AT(6) R"(
# The interrupt of a packet that has ended is held back.
- render: {context: 0}
- spin: {units: 20}
- advance: {units: 4}
- advance: {units: 4}
- advance: {units: 4}
- hold_interrupts
- advance: {units: 80}
- query_fence: {node: 0}
- hold_interrupts: {on: false}
- idle
)" WDDM_PACKET_HELD_BACK_IN(0, 0) R"(
# On a driver with one node what this context does is skipped.
- create_context: {context: 2, node: 1}
- render: {context: 2}
- idle
)" WDDM_PACKET_HELD_BACK_IN(2, 1) R"(
# Numbers grow from below the middle of 32 bits, and begin anew.
)" WDDM_NUMBERS_BEGIN_WITH(0x7ffffffe) WDDM_NUMBERS_BEGIN_WITH(0xfffffffe) R"(
# Of a link the other GPU as well.
- physical_adapter: {index: 1}
- create_context: {context: 1}
- render: {context: 1}
- idle
- query_fence: {node: 0}
)" WDDM_PACKET_HELD_BACK_IN(1, 0);
#undef WDDM_NUMBERS_BEGIN_WITH
#undef WDDM_NUMBERED_PACKET_HELD_BACK_IN
#undef WDDM_PACKET_HELD_BACK_IN
#undef WDDM_PACKET_THAT_ENDS_AT

/// One call of QueryCurrentFence. Places count packets of the engine from 1; 0 is before the first.
struct FenceQuery {
  std::uint32_t event = kNone;  ///< FenceQueried
  std::uint32_t place = 0;      ///< of what it names, without packets that the driver refused
  std::uint32_t reported_before = 0, reported_at_return = 0;
  /// By the driver in the call itself, not in its ISR, its DPC or a thread of its own.
  std::uint32_t reported_by_call = 0;
  std::uint32_t report = kNone;    ///< the last one
  std::uint32_t repeated = kNone;  ///< a report of the call's own of what had been reported
  std::uint32_t missed = kNone;    ///< the interrupt routine's, of what the call has not found
  /// The GPU has worked inside the call, and the interrupt that tells of it may wait.
  bool overtaken = false;
};

/// Calls `visit(const FenceQuery&)` for each call on an engine whose packets are known; once more,
/// with what it missed, where that shows itself.
template <class Visit>
void for_each_query(const Trace& trace, Visit&& visit) {
  struct Turn {
    std::uint32_t accepted = 0;  // refused ones as what is before
    std::uint32_t given = 0;     // with those that were refused
  };
  struct Engine {
    ScratchMap<std::uint32_t, Turn> places;  // by fence
    std::uint32_t count = 0, given = 0;
    std::uint32_t reported = 0, before = 0, by_call = 0;
    std::uint32_t told = 0;  // of those given, by a report of its own, which DMA_PREEMPTED is not
    std::uint32_t report = kNone, repeated = kNone;
    bool unknown = false;  // it was reset, or faulted
    // The last call, while the GPU has done nothing since, if it reported nothing itself.
    std::optional<FenceQuery> fresh;

    [[nodiscard]] Turn place_of(std::uint32_t fence) const {
      const auto found = places.find(fence);
      return found == places.end() ? Turn{} : found->second;
    }
  };
  constexpr auto kQuery = static_cast<std::uint32_t>(DdiId::QueryCurrentFence);
  struct Call {
    EngineId engine;
    std::uint16_t thread = 0;
    std::uint32_t dpcs = 0;  // that have come into it
    bool worked = false;     // the GPU did
  };
  ScratchMap<EngineId, Engine> engines;
  std::optional<Call> inside;
  std::optional<FenceQuery> missed;  // it seems
  bool any_fresh = false;
  bool held = false;  // interrupts may wait
  const auto gpu_may_work = [&] {
    missed.reset();
    if (!std::exchange(any_fresh, false)) return;
    for (auto& [id, engine] : engines) engine.fresh.reset();
  };
  using StopReturned = ev::MappingBalance;
  in_order_of_calls<ev::Notified, ev::DdiEntered, ev::DpcEntered, ev::DpcLeft, ev::FenceQueried,
                    ev::EngineReset, ev::AdapterReset, ev::Stuck, ev::OpStarted, ev::GpuAdvanced,
                    ev::IsrEntered, StopReturned>(trace, [&](std::uint32_t index) {
    const Event& event = trace.events()[index];
    if (event.kind == EventKind::OpStarted) {
      if (missed) visit(*missed);
      missed.reset();
      const auto kind = static_cast<OpKind>(Trace::as<ev::OpStarted>(event).kind);
      if (kind != OpKind::HoldInterrupts) gpu_may_work();
      if (kind == OpKind::Idle) held = false;
      held |= kind == OpKind::HoldInterrupts;
    } else if (event.kind == EventKind::IsrEntered) {
      held = false;
    } else if (event.kind == EventKind::GpuAdvanced) {
      gpu_may_work();
      if (inside) inside->worked |= Trace::as<ev::GpuAdvanced>(event).used != 0;
    } else if (event.kind == EventKind::Submitted) {
      const auto packet = trace.at<ev::Submitted>(index);
      Engine& engine = engines[engine_of(packet)];
      if (packet.status == 0) ++engine.count;
      engine.places[packet.fence] = {engine.count, ++engine.given};
    } else if (event.kind == EventKind::Notified) {
      const auto report = Trace::as<ev::Notified>(event);
      Engine& engine = engines[engine_of(report)];
      std::uint32_t fence = report.fence;
      if (report.type == DXGK_INTERRUPT_DMA_PREEMPTED) fence = report.last_completed;
      const bool completed = report.type == DXGK_INTERRUPT_DMA_COMPLETED;
      if (!completed && report.type != DXGK_INTERRUPT_DMA_PREEMPTED &&
          report.type != DXGK_INTERRUPT_DMA_PAGE_FAULTED) {
        return;
      }
      const auto [place, given] = engine.place_of(fence);
      const auto fresh = std::exchange(engine.fresh, std::nullopt);
      if (fresh && completed && place > fresh->place) {
        missed = *fresh;
        missed->missed = index;
      }
      const auto where = static_cast<CallPlace>(report.place);
      const bool of_call = (where == CallPlace::Ddi || where == CallPlace::Synchronize) && inside &&
                           inside->engine == engine_of(report) && inside->thread == event.thread &&
                           inside->dpcs == 0;
      if (completed && of_call && place != 0 && !engine.unknown && given <= engine.told) {
        engine.repeated = index;
        return;
      }
      if (place < engine.reported && !engine.unknown) return;
      if (report.type != DXGK_INTERRUPT_DMA_PREEMPTED) engine.told = given;
      if (of_call) engine.by_call = place;
      engine.reported = place;
      engine.report = index;
      // Whether the packet that faulted is the last completed one for its driver nobody says.
      engine.unknown = report.type == DXGK_INTERRUPT_DMA_PAGE_FAULTED;
    } else if (event.kind == EventKind::DdiEntered) {
      const auto call = Trace::as<ev::DdiEntered>(event);
      gpu_may_work();
      if (call.ddi != kQuery) return;
      const auto arguments = trace.blob<ddi_arguments::QueryCurrentFence>(event);
      inside = {.engine = arguments.empty() ? EngineId{.node = NodeId{call.object}}
                                            : engine_of(arguments.front()),
                .thread = event.thread};
      Engine& engine = engines[inside->engine];
      engine.before = engine.reported;
      engine.by_call = 0;
      engine.repeated = kNone;
    } else if (event.kind == EventKind::DpcEntered || event.kind == EventKind::DpcLeft) {
      if (!inside || inside->thread != event.thread) return;
      inside->dpcs += event.kind == EventKind::DpcEntered ? 1u : -1u;
    } else if (event.kind == EventKind::FenceQueried) {
      const auto query = Trace::as<ev::FenceQueried>(event);
      const bool overtaken = held && inside && inside->worked;
      inside.reset();
      Engine& engine = engines[engine_of(query)];
      if (engine.unknown || engine.count == 0) return;
      const FenceQuery asked{.event = index,
                             .place = engine.place_of(query.fence).accepted,
                             .reported_before = engine.before,
                             .reported_at_return = engine.reported,
                             .reported_by_call = engine.by_call,
                             .report = engine.report,
                             .repeated = engine.repeated,
                             .overtaken = overtaken};
      if (query.status == 0 && engine.by_call == 0) {
        engine.fresh = asked;
        any_fresh = true;
      }
      visit(asked);
    } else if (event.kind == EventKind::EngineReset) {
      engines[engine_of(Trace::as<ev::EngineReset>(event))].unknown = true;
    } else if (event.kind == EventKind::MappingBalance) {
      engines.clear();
    } else {
      for (auto& [id, engine] : engines) engine.unknown = true;
    }
  });
}

}  // namespace wddm
