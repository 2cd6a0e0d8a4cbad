// SYNC-004: what stands behind a wait for a monitored fence goes when the fence has the value, and
// not before.

#include "conformance/rules/rule.h"
#include "conformance/rules/scratch.h"
#include "conformance/rules/submit/in_order_of_calls.h"

namespace wddm::sync_004 {
namespace {

constexpr std::uint32_t kWaitQueued = 1, kReached = 2, kGoesOn = 3;  // MonitoredFence::stage

class Waits {
 public:
  explicit Waits(Judgement& judgement) : judgement_(judgement) {}

  void planned(std::uint32_t index, std::uint32_t render) { planned_[render] = index; }
  void fence(std::uint32_t index, const ev::MonitoredFence& fence) {
    if (fence.stage == kWaitQueued) {
      waits_[fence.context] = {index, fence, true};
    } else if (fence.stage == kReached) {
      values_[fence.fence] = fence.value;
    } else if (fence.stage == kGoesOn) {
      const auto wait = waits_.find(fence.context);
      if (wait != waits_.end()) wait->second.holds = false;
    }
  }
  void submitted(std::uint32_t index, const ev::Submitted& packet) {
    const auto wait = waits_.find(packet.context);
    if (packet.paging != 0 || packet.again != 0 || wait == waits_.end()) return;
    const auto planned = planned_.find(packet.render);
    if (planned == planned_.end() || planned->second < wait->second.event) return;
    judgement_.reached(index);
    const ev::MonitoredFence& wanted = wait->second.fence;
    const std::uint64_t value = values_[wanted.fence];
    if (value >= wanted.value) return;
    judgement_.fail(
        index,
        "no work behind the wait before fence " + std::to_string(wanted.fence) + " has " +
            std::to_string(wanted.value),
        "packet " + std::to_string(packet.packet) + ", and it has " + std::to_string(value),
        {wait->second.event});
  }
  // Nothing goes on any more.
  void stuck(std::uint32_t index) {
    for (const auto& [context, wait] : waits_) {
      const auto value = values_.find(wait.fence.fence);
      const bool there = value != values_.end() && value->second >= wait.fence.value;
      if (!wait.holds || !there) continue;
      judgement_.fail(index, "a wait ends when its value is there",
                      "context " + std::to_string(context) + " waits on", {wait.event});
    }
  }
  // Work is lost, and fences begin anew.
  void clear() {
    planned_.clear();
    waits_.clear();
    values_.clear();
  }

 private:
  struct Wait {
    std::uint32_t event = kNone;
    ev::MonitoredFence fence{};
    bool holds = false;
  };
  Judgement& judgement_;
  ScratchMap<std::uint32_t, std::uint32_t> planned_;  // render: PortionPlanned
  ScratchMap<std::uint32_t, Wait> waits_;             // by context
  ScratchMap<std::uint32_t, std::uint64_t> values_;   // of fences
};

void check(const Trace& trace, const Platform&, Judgement& judgement) {
  Waits waits(judgement);
  using StopReturned = ev::MappingBalance;
  in_order_of_calls<ev::PortionPlanned, ev::MonitoredFence, ev::Stuck, ev::AdapterReset,
                    StopReturned>(trace, [&](std::uint32_t index) {
    const Event& event = trace.events()[index];
    if (event.kind == EventKind::PortionPlanned) {
      waits.planned(index, trace.at<ev::PortionPlanned>(index).render);
    } else if (event.kind == EventKind::MonitoredFence) {
      waits.fence(index, Trace::as<ev::MonitoredFence>(event));
    } else if (event.kind == EventKind::Submitted) {
      waits.submitted(index, trace.at<ev::Submitted>(index));
    } else if (event.kind == EventKind::Stuck) {
      waits.stuck(index);
    } else {
      waits.clear();
    }
  });
}

const Rule kRule{
    .id = "SYNC-004",
    .title = "Work behind an unsatisfied GPU wait is held back",
    .binds = Binds::Os,
    .rule =
        "What a client queues to a context behind WaitForSynchronizationObjectFromGpu is submitted "
        "when the monitored fence has at least the value that is waited for, and not before; "
        "values that work of another context is to give count when that work has completed.",
    .sources = "context-monitoring.md # GPU signal, GPU wait, CPU signal",
    .note =
        "The page prints no comparison: greater or equal follows from values that only grow. "
        "Fences get their values from the end of packets here, and none from the CPU. What waits "
        "is held back by VidMm already.",
    .applies = virtual_rendering,
    .check = check,
    .played_in = {Configured::GpuVirtual, Configured::FourLevels},
    .scenario = R"(
about: a context waits for what the work of another is to give
ops:
- create_context: {context: 1}
- create_context: {context: 2}
- render: {context: 1}
- idle
- render: {context: 2}
- idle
- render: {context: 1}
- spin: {units: 200}
- signal_fence: {context: 1, fence: 1}
- await_fence: {context: 2, fence: 1}
- render: {context: 2}
- spin: {units: 5}
- advance: {units: 20}
- idle
)",
    .control = R"(
about: the value is there when the wait comes
ops:
- create_context: {context: 1}
- create_context: {context: 2}
- render: {context: 1}
- spin: {units: 5}
- signal_fence: {context: 1, fence: 1}
- idle
- await_fence: {context: 2, fence: 1}
- render: {context: 2}
- spin: {units: 5}
- idle
)",
    .fault = {.about = "waits are passed at once",
              .seat = FaultSeat::Oracle,
              .oracle = OracleFault::PassUnreachedValues,
              .also_fires = "VA-006"}};

WDDM_RULE(kRule);

}  // namespace
}  // namespace wddm::sync_004
