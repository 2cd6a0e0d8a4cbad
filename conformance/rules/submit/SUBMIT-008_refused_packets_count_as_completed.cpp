// SUBMIT-008: the fence of a refused packet is the last completed one, in its turn.

#include <algorithm>
#include <utility>

#include "conformance/host/interposer.h"
#include "conformance/rules/device_tells.h"
#include "conformance/rules/fence/device_says.h"
#include "conformance/rules/proc/virtual_packets.h"
#include "conformance/rules/rule.h"
#include "conformance/rules/scratch.h"
#include "conformance/rules/submit/in_order_of_calls.h"
#include "conformance/rules/submit/null_rendering.h"
#include "conformance/sdk/device.h"
#include "reference/is_any_of.h"
#include "reference/trace/op.h"

namespace wddm::submit_008 {
namespace {

struct Refused {
  std::uint32_t submitted = kNone;  // its Submitted
  std::uint32_t fence = 0;
  std::uint32_t ordinal = 0;
  bool in_turn = false;  // all before it have ended
  bool waits = false;    // ... and the GPU is being given time
};

bool is_refused(const ev::Submitted& submitted) {
  return submitted.paging == 0 &&
         static_cast<NTSTATUS>(submitted.status) == STATUS_INVALID_PARAMETER;
}

bool any_refused(const Trace& trace) {
  const auto submissions = trace.of<ev::Submitted>();
  return std::any_of(submissions.begin(), submissions.end(), [&](std::uint32_t index) {
    return is_refused(trace.at<ev::Submitted>(index));
  });
}

// What an engine was given, in order; packets are retired in that order too.
class Engine {
 public:
  /// Hardware may never see a packet that runs nothing, and its log tells nothing of it then.
  void follow(std::uint32_t index, const ev::Submitted& submitted, bool runs_nothing) {
    const std::uint32_t ordinal = ++submissions_;
    ordinals_[submitted.fence] = ordinal;
    if (is_refused(submitted)) {
      refused_.push_back({index, submitted.fence, ordinal});
    } else if (!runs_nothing && submitted.switches == 0) {
      at_work_[submitted.fence] = unended_[submitted.fence] = ordinal;
    }
  }
  // What of a packet that was stopped is submitted again, counts from there on.
  void follow(const ev::PacketEnded& ended) {
    at_work_.erase(ended.fence);
    unended_.erase(ended.fence);
    const bool never =
        is_any_of(static_cast<PacketFate>(ended.fate), PacketFate::Preempted, PacketFate::Lost);
    for (std::size_t i = 0; i < refused_.size(); ++i) {
      if (refused_[i].fence != ended.fence) continue;
      refused_[i].in_turn = true;
      if (never) refused_.erase(refused_.begin() + static_cast<std::ptrdiff_t>(i));
      return;
    }
    if (never) has_not_ended(ended.fence);
  }
  // Hardware may be given several packets in one go, and tell of the last alone.
  void left_the_engine(std::uint32_t fence, bool stopped) {
    const auto found = ordinals_.find(fence);
    if (found == ordinals_.end()) return;
    const std::uint32_t last = found->second, ended = stopped ? last - 1 : last;
    std::erase_if(at_work_, [last](const auto& packet) { return packet.second <= last; });
    std::erase_if(unended_, [ended](const auto& packet) { return packet.second <= ended; });
  }
  /// The GPU has had the time that it was given.
  void time_has_passed() {
    while (!refused_.empty() && refused_.front().waits) {
      due_ = refused_.front();
      refused_.erase(refused_.begin());
    }
  }
  void time_begins() {
    for (Refused& one : refused_) one.waits = one.in_turn;
  }
  void judge(std::uint32_t index, const ev::FenceQueried& query, bool log_tells_ends,
             Judgement& judgement) const {
    bool judged = due_.submitted != kNone;
    if (judged && before(query.fence, due_)) {
      judgement.fail(
          index,
          "the fence " + std::to_string(due_.fence) + " of the refused packet, or one after it",
          std::to_string(query.fence), {due_.submitted});
    }
    for (const Refused& one : refused_) {
      if (!log_tells_ends || one.in_turn || !is_behind(one, at_work_)) continue;
      judged = true;
      if (before(query.fence, one)) continue;
      judgement.fail(
          index,
          "no fence from " + std::to_string(one.fence) + " on while packets before it are at work",
          std::to_string(query.fence), {one.submitted});
      break;
    }
    if (judged) judgement.reached(index);
  }
  /// A packet that was stopped has not ended, nor what is behind it.
  void judge(std::uint32_t index, const ev::Notified& preempted, Judgement& judgement) const {
    for (const Refused& one : refused_) {
      if (one.in_turn || !is_behind(one, unended_)) continue;
      judgement.reached(index);
      if (before(preempted.last_completed, one)) continue;
      judgement.fail(index,
                     "no LastCompletedFenceId from " + std::to_string(one.fence) +
                         " on while a packet before it has not ended",
                     std::to_string(preempted.last_completed), {one.submitted});
      return;
    }
  }

 private:
  using Packets = ScratchMap<std::uint32_t, std::uint32_t>;  // ordinals of submissions, by fence

  // Whether what is thrown out comes back a driver does not know: refused packets behind it keep
  // waiting for it.
  void has_not_ended(std::uint32_t fence) {
    const auto found = ordinals_.find(fence);
    if (found == ordinals_.end()) return;
    std::erase_if(refused_, [&](const Refused& one) { return one.ordinal > found->second; });
  }
  // Fences of paging that come again are lower than some before them (PREEMPT-017).
  [[nodiscard]] bool before(std::uint32_t fence, const Refused& one) const {
    const auto found = ordinals_.find(fence);
    if (found != ordinals_.end()) return found->second < one.ordinal;
    return static_cast<std::int32_t>(fence - one.fence) < 0;
  }
  [[nodiscard]] static bool is_behind(const Refused& one, const Packets& packets) {
    return std::any_of(packets.begin(), packets.end(),
                       [&](const auto& packet) { return packet.second < one.ordinal; });
  }

  std::uint32_t submissions_ = 0;
  Packets ordinals_;                // the last submission with each fence
  Packets at_work_;                 // ... of what has not left the engine
  Packets unended_;                 // ... of that, and of what was stopped and not reported yet
  ScratchVector<Refused> refused_;  // whose time has not come
  Refused due_;                     // the last whose time has
};

bool leaves_the_engine(const ev::DeviceLogged& record) {
  return record.kind == WDDM_DEVICE_PACKET_END || record.kind == WDDM_DEVICE_PACKET_STOPPED ||
         record.kind == WDDM_DEVICE_PAGE_FAULT;
}

// What counts as completed from then on is another's to say.
bool begins_anew(std::uint32_t ddi) {
  return is_any_of(static_cast<DdiId>(ddi), DdiId::StopDevice, DdiId::ResetFromTimeout,
                   DdiId::ResetEngine);
}

// A driver may know that packets have ended before it reports them: when they did, the device's log
// tells.
void check(const Trace& trace, const Platform& platform, Judgement& judgement) {
  if (!platform.has_virtual_addresses() || !any_refused(trace)) return;
  const bool log_tells_ends = device_tells(trace, WDDM_DEVICE_PACKET_END);
  ScratchMap<EngineId, Engine> engines;
  bool runs_nothing = false;  // what is being submitted
  in_order_of_calls<ev::PacketEnded, ev::FenceQueried, ev::Notified, ev::DeviceLogged,
                    ev::DdiEntered, ev::OpStarted>(trace, [&](std::uint32_t index) {
    const Event& event = trace.events()[index];
    if (event.kind == EventKind::Submitted) {
      const auto submitted = trace.at<ev::Submitted>(index);
      engines[engine_of(submitted)].follow(index, submitted, std::exchange(runs_nothing, false));
    } else if (event.kind == EventKind::PacketEnded) {
      const auto ended = Trace::as<ev::PacketEnded>(event);
      engines[engine_of(ended)].follow(ended);
    } else if (event.kind == EventKind::DeviceLogged) {
      const auto record = Trace::as<ev::DeviceLogged>(event);
      const bool stopped = record.kind == WDDM_DEVICE_PACKET_STOPPED;
      if (leaves_the_engine(record)) {
        engines[engine_of(record)].left_the_engine(record.tag, stopped);
      }
    } else if (event.kind == EventKind::OpStarted) {
      // The op before this one is over.
      const auto kind = static_cast<OpKind>(Trace::as<ev::OpStarted>(event).kind);
      for (auto& [id, engine] : engines) {
        engine.time_has_passed();
        if (kind == OpKind::WaitTime) engine.time_begins();
      }
    } else if (event.kind == EventKind::FenceQueried) {
      const auto query = Trace::as<ev::FenceQueried>(event);
      if (query.status == 0) {
        engines[engine_of(query)].judge(index, query, log_tells_ends, judgement);
      }
    } else if (event.kind == EventKind::Notified) {
      const auto report = Trace::as<ev::Notified>(event);
      const bool preempted = report.type == DXGK_INTERRUPT_DMA_PREEMPTED;
      if (preempted && log_tells_ends) engines[engine_of(report)].judge(index, report, judgement);
    } else {
      runs_nothing = submit::runs_nothing(trace, index);
      if (begins_anew(Trace::as<ev::DdiEntered>(event).ddi)) engines.clear();
    }
  });
}

// A driver for which a refused packet has never been.
class DropsIt final : public Interposer {
 public:
  NTSTATUS SubmitCommandVirtual(HANDLE adapter,
                                const DXGKARG_SUBMITCOMMANDVIRTUAL* submit) override {
    const NTSTATUS status = Interposer::SubmitCommandVirtual(adapter, submit);
    if (status == STATUS_INVALID_PARAMETER) dropped_ = submit->SubmissionFenceId;
    return status;
  }
  NTSTATUS QueryCurrentFence(HANDLE adapter, DXGKARG_QUERYCURRENTFENCE* query) override {
    const NTSTATUS status = Interposer::QueryCurrentFence(adapter, query);
    if (dropped_ != 0 && query->CurrentFence == dropped_) --query->CurrentFence;
    return status;
  }

 private:
  UINT dropped_ = 0;
};

const Rule kRule{
    .id = "SUBMIT-008",
    .title = "Fence of a refused virtual submission",
    .rule =
        "The fence of a packet that SubmitCommandVirtual refused counts as completed once all "
        "packets before it on its engine have ended, and not before: QueryCurrentFence then tells "
        "it, or a later one. A packet that a preemption has stopped has not ended: "
        "LastCompletedFenceId is none behind it.",
    .sources =
        "nc-d3dkmddi-dxgkddi_submitcommandvirtual.md # returns\n"
        "ns-d3dkmddi-_dxgkargcb_notify_interrupt_data.md # DmaPreempted",
    .note =
        "A GPU may need some time to come to it. Behind a packet that was thrown out before its "
        "end it need not: a driver does not know whether that comes back. Whether the driver "
        "reports it by an interrupt of its own is left to it. That it is told too early is judged "
        "where the device's log says when packets end, and by those that have commands to run. "
        "That LastCompletedFenceId of a preemption tells it in time is PREEMPT-007.",
    .applies = proc::virtual_packets,
    .check = check,
    .played_in = {Configured::GpuVirtual, Configured::FourLevels, Configured::IoMmuAlone},
    .scenario = R"(
about: a malformed packet behind one that runs; the fence is asked for meanwhile and after
ops:
- create_device: {device: 1, process: 1}
- create_context: {context: 1}
- create_context: {context: 2, device: 1}
- render: {context: 1}
- spin: {units: 2}
- render: {context: 2}
- spin: {units: 2}
- idle
- queue_depth: {packets: 4}
- render: {context: 1}
- spin: {units: 3000}
- render: {context: 2}
- tamper_private: {offset: 0, value: 0xffffffff}
- spin: {units: 2}
# Both are with the driver by now, and the first is far from its end.
- advance: {units: 10}
- advance: {units: 10}
- advance: {units: 400}
- query_fence: {node: 0}
- idle
- wait_time: {milliseconds: 1}
- query_fence: {node: 0}
# The same with nothing in it, of the context whose packet is at work.
- create_device: {device: 2, process: 2}
- create_context: {context: 0, device: 2}
- render: {context: 0}
- spin: {units: 20}
- render: {context: 0}
- tamper_private: {offset: 0, value: 0xffffffff}
- query_fence: {node: 0}
- idle
- wait_time: {milliseconds: 1}
- query_fence: {node: 0}
# What is before it is stopped in its middle.
- create_device: {device: 3, process: 3}
- create_context: {context: 3, device: 3}
- create_context: {context: 4}
- render: {context: 3}
- spin: {units: 2}
- render: {context: 4}
- spin: {units: 2}
- idle
- render: {context: 4}
- spin: {units: 3000}
- render: {context: 3}
- tamper_private: {offset: 0, value: 0xffffffff}
- spin: {units: 2}
- advance: {units: 10}
- advance: {units: 10}
- advance: {units: 400}
- preempt: {node: 0}
- advance: {units: 20}
- query_fence: {node: 0}
- idle
)",
    .control = R"(
about: the same without a malformed packet
ops:
- create_context: {context: 0}
- queue_depth: {packets: 4}
- render: {context: 0}
- spin: {units: 20}
- query_fence: {node: 0}
- idle
- query_fence: {node: 0}
)",
    .fault = {.about = "the fence of a refused packet is forgotten",
              .interposer = [] { return std::unique_ptr<Interposer>(new DropsIt); }}};

WDDM_RULE(kRule);

}  // namespace
}  // namespace wddm::submit_008
