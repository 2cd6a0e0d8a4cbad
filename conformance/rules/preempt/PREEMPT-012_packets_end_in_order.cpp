// PREEMPT-012: the packets of an engine end in the order of their submission, so that a preemption
// takes the last of them.

#include <algorithm>
#include <iterator>

#include "conformance/host/interposer.h"
#include "conformance/rules/rule.h"
#include "conformance/rules/scratch.h"
#include "conformance/rules/submit/in_order_of_calls.h"
#include "conformance/sdk/device.h"

namespace wddm::preempt_012 {
namespace {

struct Packet {
  std::uint32_t ordinal = 0, fence = 0;
  std::uint32_t submitted = kNone;  // event
  bool stopped = false;             // before its end
  bool ended = false;
};

// What an engine has been given and has not been relieved of, oldest first. Packets that the device
// says nothing of prove nothing: a driver may deal with an empty one by itself.
class Engine {
 public:
  explicit Engine(Judgement& judgement) : judgement_(judgement) {}

  void submit(std::uint32_t index, const ev::Submitted& packet) {
    queue_.push_back({.ordinal = packet.packet, .fence = packet.fence, .submitted = index});
  }

  /// The device tells of a packet: no newer one has ended then.
  void tells_of(std::uint32_t index, const ev::DeviceLogged& record) {
    const auto packet = find(record.tag);
    if (packet == queue_.end()) return;
    const auto newer =
        std::find_if(std::next(packet), queue_.end(), [](const Packet& one) { return one.ended; });
    if (newer != queue_.end() && !packet->ended) fail(index, *packet, *newer, "comes to");
    if (record.kind == WDDM_DEVICE_PACKET_BEGIN) packet->stopped = false;
    if (record.kind == WDDM_DEVICE_PACKET_STOPPED) packet->stopped = true;
    if (record.kind == WDDM_DEVICE_PACKET_END) end(index, packet);
  }
  /// All up to this one are done with.
  void forget_through(std::uint32_t fence) {
    const auto packet = find(fence);
    if (packet != queue_.end()) queue_.erase(queue_.begin(), std::next(packet));
  }
  /// It will never end.
  void drop(std::uint32_t fence) {
    const auto packet = find(fence);
    if (packet != queue_.end()) queue_.erase(packet);
  }
  void drop_packet(std::uint32_t ordinal) {
    std::erase_if(queue_, [ordinal](const Packet& one) { return one.ordinal == ordinal; });
  }

 private:
  using Queue = ScratchVector<Packet>;

  Queue::iterator find(std::uint32_t fence) {
    const auto found = std::find_if(queue_.rbegin(), queue_.rend(),
                                    [fence](const Packet& one) { return one.fence == fence; });
    return found == queue_.rend() ? queue_.end() : std::prev(found.base());
  }
  void end(std::uint32_t index, Queue::iterator packet) {
    packet->ended = true;
    // One alone has no order.
    if (queue_.size() > 1) judgement_.reached(index);
    const auto older =
        std::find_if(queue_.begin(), packet, [](const Packet& one) { return one.stopped; });
    if (older != packet) fail(index, *older, *packet, "has stopped");
  }
  void fail(std::uint32_t index, const Packet& older, const Packet& newer, const char* what) {
    judgement_.fail(
        index,
        "SubmissionFenceId " + std::to_string(older.fence) +
            " ends before the packets that were submitted behind it",
        "the engine " + std::string(what) + " it, and has done " + std::to_string(newer.fence),
        {older.submitted, newer.submitted});
  }

  Judgement& judgement_;
  Queue queue_;
};

void check(const Trace& trace, const Platform&, Judgement& judgement) {
  ScratchMap<EngineId, Engine> engines;
  const auto engine = [&](const auto& payload) -> Engine& {
    return engines.try_emplace(engine_of(payload), judgement).first->second;
  };
  using StopReturned = ev::MappingBalance;
  in_order_of_calls<ev::Notified, ev::DeviceLogged, ev::IommuFaulted, ev::EngineReset,
                    ev::AdapterReset, StopReturned>(trace, [&](std::uint32_t index) {
    const Event& event = trace.events()[index];
    if (event.kind == EventKind::Submitted) {
      const auto packet = trace.at<ev::Submitted>(index);
      if (packet.status == 0) engine(packet).submit(index, packet);
    } else if (event.kind == EventKind::Notified) {
      const auto report = Trace::as<ev::Notified>(event);
      if (report.type == DXGK_INTERRUPT_DMA_COMPLETED ||
          report.type == DXGK_INTERRUPT_DMA_PAGE_FAULTED) {
        engine(report).forget_through(report.fence);
      } else if (report.type == DXGK_INTERRUPT_DMA_PREEMPTED) {
        engines.erase(engine_of(report));  // Windows has all that is left again
      }
    } else if (event.kind == EventKind::DeviceLogged) {
      const auto record = Trace::as<ev::DeviceLogged>(event);
      if (record.kind == WDDM_DEVICE_PAGE_FAULT) {
        engine(record).drop(record.tag);
      } else if (record.kind == WDDM_DEVICE_PACKET_BEGIN ||
                 record.kind == WDDM_DEVICE_PACKET_STOPPED ||
                 record.kind == WDDM_DEVICE_PACKET_END) {
        engine(record).tells_of(index, record);
      }
    } else if (event.kind == EventKind::IommuFaulted) {
      const auto fault = Trace::as<ev::IommuFaulted>(event);  // which the device need not log
      engine(fault).drop_packet(fault.packet);
    } else if (event.kind == EventKind::EngineReset) {
      engines.erase(engine_of(Trace::as<ev::EngineReset>(event)));
    } else {
      engines.clear();
    }
  });
}

// A driver whose ring takes the fourth packet before the third, and which reports both together.
class Overtakes final : public Interposer {
 public:
  NTSTATUS SubmitCommand(HANDLE adapter, const DXGKARG_SUBMITCOMMAND* submit) override {
    if (submit->Flags.Paging) return Interposer::SubmitCommand(adapter, submit);
    ++packets_;
    if (packets_ == 3) {
      third_ = *submit;
      return STATUS_SUCCESS;
    }
    const NTSTATUS status = Interposer::SubmitCommand(adapter, submit);
    if (packets_ == 4) {
      fourth_ = submit->SubmissionFenceId;
      static_cast<void>(Interposer::SubmitCommand(adapter, &third_));
    }
    return status;
  }
  void NotifyInterrupt(HANDLE adapter, const DXGKARGCB_NOTIFY_INTERRUPT_DATA* data) override {
    DXGKARGCB_NOTIFY_INTERRUPT_DATA altered = *data;
    const bool completed = data->InterruptType == DXGK_INTERRUPT_DMA_COMPLETED;
    UINT& fence = completed ? altered.DmaCompleted.SubmissionFenceId
                            : altered.DmaPreempted.LastCompletedFenceId;
    if (completed && fence == fourth_) return;
    if (fourth_ != 0 && fence == third_.SubmissionFenceId) fence = fourth_;
    Interposer::NotifyInterrupt(adapter, &altered);
  }

 private:
  UINT packets_ = 0, fourth_ = 0;
  DXGKARG_SUBMITCOMMAND third_{};
};

NotApplicable with_log(const Platform& platform) {
  if (const NotApplicable reason = running_commands(platform)) return reason;
  return platform.has_device_log ? nullptr : "no device log";
}

const Rule kRule{
    .id = "PREEMPT-012",
    .title = "Packets of an engine end in the order of their submission",
    .evidence = Evidence::DeviceLog,
    .rule =
        "An engine comes to the end of its packets in the order in which they were submitted. What "
        "is behind a packet that was preempted does not end either: a preemption takes the last "
        "packets of the queue, and leaves no finished one behind an unfinished one.",
    .sources =
        "mcdm-architecture.md # HW Queue, Preemption\n"
        "ns-d3dkmddi-_dxgkargcb_notify_interrupt_data.md # DmaPreempted",
    .note =
        "By the device's log, whatever is reported; FENCE-002 and PREEMPT-007 judge the reports. "
        "Packets that the device never tells of are left out.",
    .applies = with_log,
    .check = check,
    .played_in = kBothAddressings,
    .scenario = R"(
about: one packet runs and two wait; then the first of three is stopped
ops:
- create_context: {context: 0}
- create_context: {context: 1}
- queue_depth: {packets: 3}
- render: {context: 0}
- idle
- render: {context: 0}
- spin: {units: 100}
- render: {context: 0}
- spin: {units: 20}
- render: {context: 0}
- spin: {units: 5}
- idle
- render: {context: 0}
- spin: {units: 300}
- render: {context: 1}
- spin: {units: 1}
- render: {context: 0}
- spin: {units: 1}
- advance: {units: 10}
- advance: {units: 40}
- preempt: {node: 0}
- idle
)",
    .control = R"(
about: packets of two nodes may end in any order
ops:
- create_context: {context: 0}
# On a driver with one node what the second context does is skipped.
- create_context: {context: 1, node: 1}
- render: {context: 0}
- spin: {units: 100}
- render: {context: 1}
- spin: {units: 5}
- idle
)",
    .fault = {.about = "the engine is given a packet before the one that was submitted first",
              .interposer = [] { return std::unique_ptr<Interposer>(new Overtakes); }}};

WDDM_RULE(kRule);

}  // namespace
}  // namespace wddm::preempt_012
