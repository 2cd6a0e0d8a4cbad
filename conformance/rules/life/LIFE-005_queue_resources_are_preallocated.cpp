// LIFE-005: queue resources for RequiredDmaQueueEntry are preallocated.

#include "conformance/host/interposer.h"
#include "conformance/rules/rule.h"
#include "conformance/rules/scratch.h"
#include "conformance/rules/submit/in_order_of_calls.h"
#include "reference/trace/op.h"

namespace wddm::life_005 {
namespace {

// Follows the ops: whether pool allocations fail now.
class PoolFailure {
 public:
  void begins(OpKind kind) {
    const OpInfo* const info = op_info(kind);
    if (info == nullptr || info->is(OpRole::Element)) return;
    if (spent_) failing_ = spent_ = false;
    if (kind == OpKind::FailPool) failing_ = true;
    if (info->is(OpRole::Do) || info->is(OpRole::Open)) spent_ = failing_;
  }
  void all_ops_ended() {
    if (spent_) failing_ = false;
  }
  [[nodiscard]] bool is_on() const { return failing_; }

 private:
  bool failing_ = false;
  bool spent_ = false;  // with the op under way
};

// What user mode wrote may be malformed, which SubmitCommandVirtual alone may say.
bool is_refusal(std::uint32_t status, const Platform& platform) {
  return platform.has_virtual_addresses() &&
         status == static_cast<std::uint32_t>(STATUS_INVALID_PARAMETER);
}

// Whether the adapter holds as many packets as its latest start told it to be ready for.
class Fullness {
 public:
  void entered(const Trace& trace, const Event& event) {
    const std::uint32_t ddi = Trace::as<ev::DdiEntered>(event).ddi;
    if (ddi != static_cast<std::uint32_t>(DdiId::StartDevice)) return;
    const auto call = trace.blob<ddi_arguments::StartDevice>(event);
    if (!call.empty()) announced_ = call[0].required_dma_queue_entry;
  }
  void taken(std::uint32_t packet) { held_.insert(packet); }
  void ended(std::uint32_t packet) { held_.erase(packet); }
  [[nodiscard]] bool is_full() const { return announced_ != 0 && held_.size() >= announced_; }

 private:
  std::uint32_t announced_ = 0;
  ScratchSet<std::uint32_t> held_;
};

// What the driver took while pool allocations failed, and what became of it.
class Taken {
 public:
  Taken(const Trace& trace, const Platform& platform, Judgement& judgement)
      : trace_(trace), platform_(platform), judgement_(judgement) {}

  void on(std::uint32_t index) {
    const Event& event = trace_.events()[index];
    if (event.kind == EventKind::OpStarted) {
      pool_failure_.begins(static_cast<OpKind>(Trace::as<ev::OpStarted>(event).kind));
      return;
    }
    if (event.kind == EventKind::DdiEntered) return queue_.entered(trace_, event);
    if (event.op == kNoOp) pool_failure_.all_ops_ended();
    if (event.kind == EventKind::Stuck) {
      held_up_by_driver_ = Trace::as<ev::Stuck>(event).excused == 0;
    } else if (event.kind == EventKind::Submitted) {
      on(index, trace_.at<ev::Submitted>(index));
    } else {
      on(index, Trace::as<ev::PacketEnded>(event));
    }
  }

 private:
  void on(std::uint32_t index, const ev::Submitted& submitted) {
    held_up_by_driver_ = false;
    queue_.taken(submitted.packet);
    // Fewer need no room of their own; this one was in the queue with all others, or the last.
    if (queue_.is_full()) judgement_.reached(index);
    const bool malformed = is_refusal(submitted.status, platform_);
    if (submitted.status != 0 && !malformed) {
      judgement_.fail(index, "SubmitCommand takes up to RequiredDmaQueueEntry packets without fail",
                      status_name(submitted.status));
    } else if (!malformed && pool_failure_.is_on()) {
      taken_[submitted.packet] = index;
    }
  }
  void on(std::uint32_t index, const ev::PacketEnded& ended) {
    queue_.ended(ended.packet);
    const auto found = taken_.find(ended.packet);
    if (found == taken_.end()) return;
    const bool lost = ended.fate == static_cast<std::uint32_t>(PacketFate::Lost);
    if (lost && held_up_by_driver_) {
      judgement_.fail(index, "what SubmitCommand took while allocations failed is executed",
                      "packet " + std::to_string(ended.packet) + " is lost", {found->second});
    }
    taken_.erase(found);
  }

  const Trace& trace_;
  const Platform& platform_;
  Judgement& judgement_;
  PoolFailure pool_failure_;
  Fullness queue_;
  bool held_up_by_driver_ = false;                  // what is lost from now on
  ScratchMap<std::uint32_t, std::uint32_t> taken_;  // Submitted by packet
};

// A packet may end before SubmitCommand has returned.
void check(const Trace& trace, const Platform& platform, Judgement& judgement) {
  Taken taken(trace, platform, judgement);
  in_order_of_calls<ev::OpStarted, ev::DdiEntered, ev::PacketEnded, ev::Stuck>(
      trace, [&](std::uint32_t index) { taken.on(index); });
}

// As many packets on a stalled node as the start before has announced, while no pool allocation
// succeeds.
std::string full_queue(int packets, int node) {
  std::string ops = "- create_context: {context: 0, node: " + std::to_string(node) +
                    "}\n"
                    "- render: {context: 0}\n"
                    "- idle\n"
                    "- queue_depth: {packets: 1}\n";
  for (int i = 0; i < packets; ++i) ops += "- render: {context: 0}\n- spin: {units: 20}\n";
  return ops +
         "- fail_pool: {kth: 1, every: true}\n"
         "- queue_depth: {packets: 64}\n"
         "- idle\n";
}

// Who counts on sixteen is told another number, and who has made room once, a larger one then.
const std::string& full_queues() {
  static const std::string text =
      "about: each start announces more packets, and gets them while no pool allocation succeeds\n"
      "ops:\n"
      "- announce_queue: {packets: 3}\n" +
      full_queue(3, 0) +
      "- stop\n"
      "- announce_queue: {packets: 21}\n"
      "- start\n" +
      full_queue(21, 0) +
      "- stop\n"
      "- announce_queue: {packets: 40}\n"
      "- start\n" +
      full_queue(40, 1);
  return text;
}

// A ring that holds more has as many entries again before its places come back.
const std::string& round_the_ring() {
  static const std::string text = [] {
    constexpr int kRounds = 33;  // of 16: more than 512
    std::string round;
    for (int i = 0; i < 16; ++i) round += "- render: {context: 0}\n";
    std::string ops =
        "about: as many packets, and allocations succeed; and so on, until rings come round\nops:\n"
        "- create_context: {context: 0}\n"
        "- queue_depth: {packets: 64}\n";
    for (int i = 0; i < kRounds; ++i) ops += round + "- idle\n";
    return ops;
  }();
  return text;
}

const Rule kRule{.id = "LIFE-005",
                 .title = "Queue resources for RequiredDmaQueueEntry are preallocated",
                 .rule =
                     "Before the first submission the driver reserves resources for at least "
                     "DXGK_START_INFO::RequiredDmaQueueEntry DMA buffers in its queue; up to "
                     "that many outstanding submissions it neither fails nor drops one, even "
                     "when allocations fail meanwhile.",
                 .sources = "ns-dispmprt-_dxgk_start_info.md # RequiredDmaQueueEntry",
                 .note =
                     "A packet that was taken and never ends is dropped. That is judged where the "
                     "adapter had to be reset and the scenario itself did not hold it up.",
                 .unreached = "no queue of an engine was full",
                 .applies = running_commands,
                 .check = check,
                 .played_in = kBothAddressings,
                 .scenario = full_queues().c_str(),
                 .control = round_the_ring().c_str(),
                 .fault = {.about = "SubmitCommand allocates a block from pool for each packet",
                           .seat = FaultSeat::Variant,
                           .variant = 9,
                           .also_fires = "PATCH-004"}};

WDDM_RULE(kRule);

}  // namespace
}  // namespace wddm::life_005
