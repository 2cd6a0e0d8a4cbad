// VA-006: an interlocked update runs behind FenceValue, and what follows FenceValue + 1 behind it.
//
// Judged is the order of what the host does. That the driver has written the entries by the time
// its packet is reported as completed, VA-008 judges.

#include <string>

#include "conformance/rules/rule.h"
#include "conformance/rules/scratch.h"
#include "conformance/rules/submit/in_order_of_calls.h"

namespace wddm::va_006 {
namespace {

constexpr std::uint32_t kSignalQueued = 0, kWaitQueued = 1, kReached = 2;  // MonitoredFence
constexpr std::uint32_t kBegins = 1, kDone = 2;                            // TileUpdate

class Interlock {
 public:
  explicit Interlock(Judgement& judgement) : judgement_(&judgement) {}

  void follow(std::uint32_t index, const ev::PortionPlanned& planned) {
    planned_[planned.render] = index;
  }
  // Another one in the slot. What the former was to wait for went with it, and was never reached if
  // the adapter was reset.
  void follow(const ev::ContextCreated& created) { waits_.erase(created.context); }
  void follow(std::uint32_t index, const ev::MonitoredFence& fence) {
    if (fence.stage == kSignalQueued) signals_[{fence.fence, fence.value}] = {index, fence.context};
    if (fence.stage == kWaitQueued) waits_[fence.context] = {index, fence};
    if (fence.stage == kReached) reached(index, fence);
  }
  void follow(std::uint32_t index, const ev::TileUpdate& update) {
    if (update.stage == kBegins) {
      judgement_->reached(index);
      const std::uint64_t value = values_[update.fence];
      if (update.do_not_wait == 0 && value < update.fence_value) {
        judgement_->fail(
            index,
            "no page table work before the fence has reached " + std::to_string(update.fence_value),
            "it has " + std::to_string(value));
      }
    }
    if (update.stage != kDone) return;
    done_[{update.fence, update.fence_value + 1}] = index;
    const auto running = on_companion_.find(update.companion);
    if (running == on_companion_.end() || running->second.empty()) return;
    judgement_->fail(index, "an end of all packets of the update before the update ends",
                     "packet " + std::to_string(*running->second.begin()) + " has not ended");
  }
  void follow(std::uint32_t index, const ev::Submitted& submitted) {
    if (submitted.paging != 0) {
      if (submitted.context != kNone) on_companion_[submitted.context].insert(submitted.packet);
      companion_of_[submitted.packet] = submitted.context;
      return;
    }
    running_[submitted.packet] = {submitted.render, submitted.context};
    if (submitted.again != 0) return;
    const std::uint32_t planned = planned_of(submitted.render);
    const auto wait = waits_.find(submitted.context);
    if (wait != waits_.end() && planned > wait->second.index) {
      judgement_->reached(index);
      const ev::MonitoredFence& wanted = wait->second.fence;
      if (values_[wanted.fence] < wanted.value) {
        judgement_->fail(index,
                         "a submission once the fence has reached " + std::to_string(wanted.value),
                         "it has " + std::to_string(values_[wanted.fence]), {wait->second.index});
      }
    }
    for (const auto& [what, signal] : reached_) {
      if (signal.context != submitted.context || planned > signal.index) continue;
      judgement_->fail(index, "no value of a fence before the work in front of it is done",
                       "render " + std::to_string(submitted.render) + " comes after the value",
                       {signal.index});
    }
  }
  void follow(const ev::PacketEnded& ended) {
    running_.erase(ended.packet);
    const auto companion = companion_of_.find(ended.packet);
    if (companion != companion_of_.end()) on_companion_[companion->second].erase(ended.packet);
  }

 private:
  using Value = std::pair<std::uint32_t, std::uint64_t>;  // fence, value
  struct Signal {
    std::uint32_t index = kNone;
    std::uint32_t context = kNone;
  };
  struct Wait {
    std::uint32_t index = kNone;
    ev::MonitoredFence fence{};
  };
  struct Running {
    std::uint32_t render = kNone, context = kNone;
  };

  [[nodiscard]] std::uint32_t planned_of(std::uint32_t render) const {
    const auto found = planned_.find(render);
    return found == planned_.end() ? 0 : found->second;
  }
  void reached(std::uint32_t index, const ev::MonitoredFence& fence) {
    std::uint64_t& value = values_[fence.fence];
    if (fence.value > value) value = fence.value;
    const auto signal = signals_.find({fence.fence, fence.value});
    if (signal == signals_.end()) {
      judgement_->reached(index);
      if (done_.contains({fence.fence, fence.value})) return;
      return judgement_->fail(index, "FenceValue + 1 once the update has been executed",
                              std::to_string(fence.value) + " before");
    }
    reached_[{fence.fence, fence.value}] = signal->second;
    for (const auto& [packet, work] : running_) {
      if (work.context != signal->second.context) continue;
      if (planned_of(work.render) > signal->second.index) continue;
      judgement_->fail(index, "no value of a fence before the work in front of it is done",
                       "packet " + std::to_string(packet) + " runs", {signal->second.index});
    }
  }

  Judgement* judgement_;
  ScratchMap<std::uint32_t, std::uint32_t> planned_;  // by render
  ScratchMap<std::uint32_t, std::uint64_t> values_;   // by fence
  ScratchMap<Value, Signal> signals_, reached_;
  ScratchMap<Value, std::uint32_t> done_;
  ScratchMap<std::uint32_t, Wait> waits_;       // by context, the newest
  ScratchMap<std::uint32_t, Running> running_;  // by packet
  ScratchMap<std::uint32_t, ScratchSet<std::uint32_t>> on_companion_;
  ScratchMap<std::uint32_t, std::uint32_t> companion_of_;  // by packet
};

// Fences, contexts and packets are others from then on. Behind a reset that goes on the adapter is
// not started, and all that user mode has is made anew.
bool begins_anew(const Trace& trace, std::uint32_t index) {
  constexpr std::uint32_t kRestarted = 1;  // AdapterReset
  if (trace.events()[index].kind == EventKind::AdapterReset) {
    return trace.at<ev::AdapterReset>(index).stage == kRestarted;
  }
  return trace.at<ev::DdiEntered>(index).ddi == static_cast<std::uint32_t>(DdiId::StartDevice);
}

void check(const Trace& trace, const Platform&, Judgement& judgement) {
  Interlock interlock(judgement);
  in_order_of_calls<ev::ContextCreated, ev::PortionPlanned, ev::MonitoredFence, ev::TileUpdate,
                    ev::PacketEnded, ev::DdiEntered, ev::AdapterReset>(
      trace, [&](std::uint32_t index) {
        const EventKind kind = trace.events()[index].kind;
        if (kind == EventKind::ContextCreated) {
          interlock.follow(trace.at<ev::ContextCreated>(index));
        } else if (kind == EventKind::PortionPlanned) {
          interlock.follow(index, trace.at<ev::PortionPlanned>(index));
        } else if (kind == EventKind::MonitoredFence) {
          interlock.follow(index, trace.at<ev::MonitoredFence>(index));
        } else if (kind == EventKind::TileUpdate) {
          interlock.follow(index, trace.at<ev::TileUpdate>(index));
        } else if (kind == EventKind::Submitted) {
          interlock.follow(index, trace.at<ev::Submitted>(index));
        } else if (kind == EventKind::PacketEnded) {
          interlock.follow(trace.at<ev::PacketEnded>(index));
        } else if (begins_anew(trace, index)) {
          interlock = Interlock(judgement);
        }
      });
}

const Rule kRule{
    .id = "VA-006",
    .title = "Interlock of tile mapping updates with rendering",
    .binds = Binds::Os,
    .rule =
        "The page tables of an UpdateGpuVirtualAddress are written once hFenceObject has reached "
        "FenceValue, unless DoNotWait is set; the fence gets FenceValue + 1 once all of it has "
        "been "
        "executed, and work that waits for that value is submitted after it.",
    .sources =
        "nc-d3dumddi-pfnd3dddi_updategpuvirtualaddresscb.md # description\n"
        "tile-resources.md\n"
        "ns-d3dumddi-_d3dddicb_updategpuvirtualaddress.md # FenceValue, Flags.DoNotWait",
    .note =
        "What waits is held back until its turn has come, and not queued to the GPU. DoNotWait "
        "leaves out the wait, not FenceValue + 1.",
    .applies = virtual_rendering,
    .check = check,
    .played_in = {Configured::GpuVirtual, Configured::FourLevels, Configured::Pages64K,
                  Configured::Pairs, Configured::GpuVirtualUpdates, Configured::Linked},
    .scenario = R"(
about: a tile is mapped anew between two draws that use it
ops:
- create_context: {context: 1}
- create_allocation: {allocation: 1, place: local}
- create_allocation: {allocation: 2, place: local}
- create_allocation: {allocation: 3, place: local}
- make_resident: {allocation: 1}
- make_resident: {allocation: 2}
- reserve_address: {device: 0, base: 0x2000000, size: 0x10000}
- tile_updates: {context: 1, fence: 1}
- update_address: {allocation: 1, kind: map, to: 0, from: 0, pages: 1}
- await_fence: {context: 1, fence: 1}
- render: {context: 1}
- bind: {slot: 1, allocation: 1}
- bind: {slot: 2, allocation: 3}
- spin: {units: 200}
- fill: {slot: 1, offset: 0, size: 4096, value: 0x11111111}
- copy: {slot: 2, source: 1, offset: 0, source_offset: 0, size: 1024}
- signal_fence: {context: 1, fence: 1}
- update_address: {allocation: 2, kind: map, to: 0, from: 0, pages: 1}
- await_fence: {context: 1, fence: 1}
- render: {context: 1}
- bind: {slot: 1, allocation: 2}
- bind: {slot: 2, allocation: 3}
- fill: {slot: 1, offset: 0, size: 4096, value: 0x22222222}
- copy: {slot: 2, source: 1, offset: 1024, source_offset: 0, size: 1024}
- idle
)",
    .control = R"(
about: a tile that nothing uses is mapped beside a draw
ops:
- create_context: {context: 1}
- create_allocation: {allocation: 1, place: local}
- create_allocation: {allocation: 2, place: local}
- make_resident: {allocation: 1}
- make_resident: {allocation: 2}
- reserve_address: {device: 0, base: 0x2000000, size: 0x10000}
- tile_updates: {context: 1, fence: 1, do_not_wait: true}
- render: {context: 1}
- bind: {slot: 1, allocation: 1}
- spin: {units: 100}
- fill: {slot: 1, offset: 0, size: 4096, value: 0x11111111}
- signal_fence: {context: 1, fence: 1}
- update_address: {allocation: 2, kind: map, to: 0, from: 0, pages: 1}
- idle
)",
    .fault = {.about = "an update does not wait for its fence",
              .seat = FaultSeat::Oracle,
              .oracle = OracleFault::UpdateBeforeItsFence,
              .also_fires = "PT-016 SUBMIT-015 VPAGE-004"}};

WDDM_RULE(kRule);

}  // namespace
}  // namespace wddm::va_006
