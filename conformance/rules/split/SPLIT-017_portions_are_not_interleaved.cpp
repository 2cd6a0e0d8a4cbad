// SPLIT-017: without context save, portions are not interleaved with other contexts.

#include "conformance/rules/rule.h"
#include "conformance/rules/scratch.h"
#include "conformance/rules/split/portions.h"

namespace wddm::split_017 {
namespace {

NotApplicable windows7_model(const Platform& platform) {
  if (const NotApplicable reason = patch_lists(platform)) return reason;
  return platform.scheduling.preemption_aware()
             ? "contexts may run between portions: PreemptionAware is set"
             : nullptr;
}

// The buffer that an engine has begun and not finished.
struct Open {
  std::uint32_t context = kNone;  ///< kNone: none
  std::uint32_t event = kNone;
};

struct Place {
  std::uint32_t index = 0;  ///< of the portion, from 0
  bool last = true;         ///< of its buffer, or of one pass of it
};

void check(const Trace& trace, const Platform&, Judgement& judgement) {
  ScratchMap<std::uint32_t, ScratchVector<std::uint32_t>> planned;  // `index` members, by render
  ScratchMap<std::uint32_t, std::size_t> count;                     // submitted, by render
  ScratchMap<std::uint32_t, Place> places;                          // by packet
  ScratchMap<EngineId, Open> engines;
  for (const std::uint32_t index :
       trace.of_any<ev::PortionPlanned, ev::PacketEnded, ev::Stuck, ev::AdapterReset,
                    ev::SurpriseRemoved, ev::Submitted>()) {
    const Event& event = trace.events()[index];
    if (event.kind == EventKind::PortionPlanned) {
      const auto portion = Trace::as<ev::PortionPlanned>(event);
      planned[portion.render].push_back(portion.index);
    } else if (event.kind == EventKind::PacketEnded) {
      const auto ended = Trace::as<ev::PacketEnded>(event);
      const auto fate = static_cast<PacketFate>(ended.fate);
      const auto place = places.find(ended.packet);
      // A buffer whose first portion comes back is not begun any more.
      const bool comes_back =
          fate == PacketFate::Preempted && place != places.end() && place->second.index == 0;
      // Nor is the rest of one to come, where its device is in error. Whose packet it was that ends
      // without a submission nobody knows.
      const bool never_comes =
          fate == PacketFate::Lost && ended.paging == 0 && place == places.end();
      if (comes_back || never_comes) engines[engine_of(ended)] = {};
    } else if (event.kind != EventKind::Submitted) {
      engines.clear();  // the engines are reset, or gone
    } else {
      const auto submitted = trace.at<ev::Submitted>(index);
      if (submitted.paging != 0) continue;
      Open& open = engines[engine_of(submitted)];
      if (open.context != kNone) judgement.reached(index);
      if (open.context != kNone && open.context != submitted.context) {
        judgement.fail(index,
                       "paging or the next portion of context " + split::number(open.context),
                       "a packet of context " + split::number(submitted.context), {open.event});
      }
      if (submitted.again == 0) {
        const auto& indices = planned[submitted.render];
        const std::size_t next = ++count[submitted.render];
        const bool more = next < indices.size() && indices[next] != 0;
        places[submitted.packet] = {next <= indices.size() ? indices[next - 1] : 0, !more};
      }
      open = places[submitted.packet].last ? Open{} : Open{submitted.context, index};
    }
  }
}

const Rule kRule{
    .id = "SPLIT-017",
    .aliases = "SCHED-001 SCHED-002",
    .title = "Without context save, portions are not interleaved with other contexts",
    .binds = Binds::Os,
    .rule =
        "In the Windows 7 scheduling model, between two portions of one DMA buffer only paging "
        "buffers are submitted to the node, never a DMA buffer of another context.",
    .sources =
        "splitting-a-dma-buffer.md # Note (back to back)\n"
        "gpu-preemption.md # Memory mapping considerations (Windows 7 behaviour)",
    .applies = windows7_model,
    .check = check,
    .scenario = R"(
about: two contexts with work; the buffer of the first is split
ops:
- configure: {setting: PreemptionAware, value: 0}
- create_allocation: {allocation: 0, place: local}
- create_allocation: {allocation: 1, place: local}
- create_context: {context: 0}
- create_context: {context: 1}
- render: {context: 1}
- bind: {slot: 0, allocation: 1}
- fill: {slot: 0}
- make_resident: {allocation: 0}
- idle
- interleave: {}
- split_points: {take: all}
- render: {context: 0}
- bind: {slot: 0, allocation: 0}
- spin: {units: 50}
- fill: {slot: 0}
- render: {context: 1}
- bind: {slot: 0, allocation: 1}
- fill: {slot: 0}
- idle
)",
    .control = R"(
about: two contexts with whole buffers
ops:
- configure: {setting: PreemptionAware, value: 0}
- create_allocation: {allocation: 0, place: local}
- create_allocation: {allocation: 1, place: local}
- create_context: {context: 0}
- create_context: {context: 1}
- interleave: {}
- render: {context: 0}
- bind: {slot: 0, allocation: 0}
- fill: {slot: 0}
- render: {context: 1}
- bind: {slot: 0, allocation: 1}
- fill: {slot: 0}
- idle
)",
    .fault = {.about = "the scheduler changes contexts between portions in any model",
              .seat = FaultSeat::Oracle,
              .oracle = OracleFault::InterleavePortions}};

WDDM_RULE(kRule);

}  // namespace
}  // namespace wddm::split_017
