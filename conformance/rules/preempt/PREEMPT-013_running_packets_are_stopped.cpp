// PREEMPT-013: the packet that runs is stopped, not waited for.

#include <algorithm>
#include <vector>

#include "conformance/rules/preempt/lets_all_run.h"
#include "conformance/rules/preempt/nodes_that_draw.h"
#include "conformance/rules/rule.h"
#include "conformance/rules/scratch.h"
#include "conformance/rules/submit/in_order_of_calls.h"
#include "conformance/rules/sync/rendered_commands.h"

namespace wddm::preempt_013 {
namespace {

// A unit is about one small command. Work that can be stopped in the middle is stopped long before
// so many have passed, whatever the hardware takes for a primitive.
constexpr std::uint32_t kPatience = 256;

// DMA_BUFFER_BOUNDARY of both enumerations: what is finer stops in the middle of a buffer.
constexpr std::uint32_t kBufferBoundary = 100;

struct Engine {
  struct Packet {
    std::uint32_t ordinal;
    std::uint32_t fence;
    bool can_stop;
  };
  ScratchVector<Packet> packets;       // that it has, oldest first
  ScratchSet<std::uint32_t> answered;  // requests
  std::uint32_t asked = kNone;  // PreemptAsked without an answer, of nothing but such packets
  std::uint32_t running = 0;    // the oldest packet then
  std::uint32_t units = 0;      // since the request

  /// It is not among what has ended, nor is any behind it.
  [[nodiscard]] bool has_stopped(std::uint32_t last_completed) const {
    return !packets.empty() && packets.front().ordinal == running &&
           std::none_of(packets.begin(), packets.end(),
                        [&](const Packet& one) { return one.fence == last_completed; });
  }
};

// Units are those of the engine that was busiest.
bool works_alone(const ScratchMap<EngineId, Engine>& engines, EngineId one) {
  return std::none_of(engines.begin(), engines.end(), [&](const auto& other) {
    return !(other.first == one) && !other.second.packets.empty();
  });
}

// Whoever waits, or accesses memory, may do so for as long as it takes.
bool can_stop(const sync::Commands& commands) {
  return commands.works && !commands.waits && !commands.signals && !commands.accesses;
}

void check(const Trace& trace, const Platform& platform, Judgement& judgement) {
  const preempt::NodesThatDraw nodes(trace, platform);
  sync::Renders renders;
  ScratchMap<EngineId, Engine> engines;
  bool over = false;  // commands are not what they were
  using StopReturned = ev::MappingBalance;
  in_order_of_calls<ev::OpStarted, ev::RenderCalled, ev::BufferBuilt, ev::PreemptAsked,
                    ev::Notified, ev::ReportIgnored, ev::GpuAdvanced, ev::PacketEnded,
                    ev::EngineReset, ev::AdapterReset, StopReturned>(
      trace, [&](std::uint32_t index) {
        if (over) return;
        const Event& event = trace.events()[index];
        if (event.kind == EventKind::OpStarted) {
          const auto kind = static_cast<OpKind>(Trace::as<ev::OpStarted>(event).kind);
          over = sync::alters_commands(kind);
          renders.on(kind);
        } else if (event.kind == EventKind::RenderCalled) {
          renders.built(trace.at<ev::RenderCalled>(index).render);
        } else if (event.kind == EventKind::BufferBuilt) {
          renders.built(Trace::as<ev::BufferBuilt>(event).render);
        } else if (event.kind == EventKind::Submitted) {
          const auto packet = trace.at<ev::Submitted>(index);
          engines[engine_of(packet)].packets.push_back(
              {packet.packet, packet.fence, can_stop(renders.of(packet))});
        } else if (event.kind == EventKind::PreemptAsked) {
          const auto asked = Trace::as<ev::PreemptAsked>(event);
          if (!nodes.have(engine_of(asked))) return;
          Engine& engine = engines[engine_of(asked)];
          const bool all = std::all_of(engine.packets.begin(), engine.packets.end(),
                                       [](const Engine::Packet& one) { return one.can_stop; });
          if (!all || engine.packets.empty() || engine.answered.contains(asked.fence)) return;
          engine.asked = index;
          engine.running = engine.packets.front().ordinal;
          engine.units = 0;
        } else if (event.kind == EventKind::Notified) {
          const auto report = Trace::as<ev::Notified>(event);
          if (report.type != DXGK_INTERRUPT_DMA_PREEMPTED) return;
          Engine& engine = engines[engine_of(report)];
          engine.answered.insert(report.fence);
          if (engine.asked != kNone && engine.has_stopped(report.last_completed)) {
            judgement.reached(index);
          }
          engine.asked = kNone;
        } else if (event.kind == EventKind::ReportIgnored) {
          const auto report = Trace::as<ev::ReportIgnored>(event);
          if (report.type == DXGK_INTERRUPT_DMA_PREEMPTED) engines[engine_of(report)].asked = kNone;
        } else if (event.kind == EventKind::GpuAdvanced) {
          const auto advanced = Trace::as<ev::GpuAdvanced>(event);
          for (auto& [id, engine] : engines) {
            if (engine.asked == kNone || !works_alone(engines, id)) continue;
            engine.units += advanced.used;
            if (engine.units <= kPatience) continue;
            judgement.fail(index, "the packet that runs is stopped in the middle",
                           "the GPU has worked for " + std::to_string(engine.units) +
                               " units since, and DMA_PREEMPTED has not come",
                           {engine.asked});
            engine.asked = kNone;
          }
        } else if (event.kind == EventKind::PacketEnded) {
          const auto ended = Trace::as<ev::PacketEnded>(event);
          std::erase_if(engines[engine_of(ended)].packets,
                        [&](const Engine::Packet& one) { return one.ordinal == ended.packet; });
        } else if (event.kind == EventKind::EngineReset) {
          engines.erase(engine_of(Trace::as<ev::EngineReset>(event)));
        } else {
          engines.clear();
        }
      });
}

NotApplicable stopping_inside_packets(const Platform& platform) {
  if (const NotApplicable reason = running_commands(platform)) return reason;
  if (const NotApplicable reason = needs(platform, DdiId::PreemptCommand)) return reason;
  if (!platform.scheduling.preemption_aware()) return "PreemptionAware is 0";
  if (!platform.has_device) return "no device: nobody counts how long its engines work";
  const std::uint32_t coarsest =
      platform.compute_only ? platform.compute_preemption
                            : std::min(platform.graphics_preemption, platform.compute_preemption);
  return coarsest > kBufferBoundary ? nullptr : "no preemption in the middle of a DMA buffer";
}

const Rule kRule{
    .id = "PREEMPT-013",
    .aliases = "CAPS-008 PREEMPT-024",
    .title = "The driver asks the GPU for mid-buffer preemption",
    .rule =
        "If the hardware can stop inside of a DMA buffer, PreemptCommand has it do so at once; the "
        "driver does not wait for the packet that runs to come to its end, nor does who waits for "
        "the engine.",
    .sources =
        "gpu-preemption.md # Memory mapping considerations (mid-DMA buffer preemption)\n"
        "gpu-preemption.md # introduction (long-running packets)\n"
        "ne-d3dkmdt-_d3dkmdt_graphics_preemption_granularity.md # enumerators",
    .note =
        "That the hardware can is what a granularity finer than DMA_BUFFER says, of every engine "
        "that draws or computes: what is reported is that of the coarsest (CAPS-008). Nodes of "
        "another EngineType than 3D, or on a device that only computes OTHER, are left out. Judged "
        "are "
        "packets with commands that only keep the engine busy: a command that accesses memory may "
        "be one primitive, and takes as long as it takes. That more urgent work is not held up by "
        "a "
        "long packet is the same, seen by who waits: no source says how long the answer may take.",
    .applies = stopping_inside_packets,
    .check = check,
    .played_in = {Configured::Default, Configured::NoDmaPatching, Configured::GpuVirtual,
                  Configured::ComputeOnly},
    .scenario = R"(
about: a packet has much more to do than a preemption may take, on two engines
ops:
- requery
- create_context: {context: 0}
- render: {context: 0}
- idle
- render: {context: 0}
- spin: {units: 3000}
- advance: {units: 10}
- advance: {units: 10}
- advance: {units: 40}
- preempt: {node: 0}
- advance: {units: 400}
- idle
- create_context: {context: 1, node: 1}
- render: {context: 1}
- idle
- render: {context: 1}
- spin: {units: 3000}
- advance: {units: 10}
- advance: {units: 10}
- advance: {units: 40}
- preempt: {node: 1}
- advance: {units: 400}
- idle
)",
    .control = R"(
about: a packet that ends soon
ops:
- requery
- create_context: {context: 0}
- render: {context: 0}
- idle
- render: {context: 0}
- spin: {units: 60}
- advance: {units: 10}
- advance: {units: 10}
- advance: {units: 10}
- preempt: {node: 0}
- advance: {units: 400}
- idle
)",
    .fault = {.about = "the request waits until all packets have run",
              .interposer = [] { return std::unique_ptr<Interposer>(new preempt::LetsAllRun); }}};

WDDM_RULE(kRule);

}  // namespace
}  // namespace wddm::preempt_013
