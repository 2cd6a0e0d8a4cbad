// LIFE-005: queue resources for RequiredDmaQueueEntry are preallocated.

#include "conformance/host/interposer.h"
#include "conformance/rules/rule.h"
#include "conformance/rules/scratch.h"
#include "reference/trace/op.h"

namespace wddm {
namespace {

// Follows the ops: whether pool allocations fail now, and whether some packet may have stopped its
// node for good with no fault of the driver's.
class Circumstances {
 public:
  void begins(OpKind kind) {
    const OpInfo* const info = op_info(kind);
    if (info == nullptr) return;
    if (info->role == OpRole::Element) return element(kind);
    if (spent_) failing_ = spent_ = false;
    if (kind == OpKind::FailPool) failing_ = true;
    if (info->role == OpRole::Do || info->role == OpRole::Open) spent_ = failing_;
    spins_ = 0;
  }
  void all_ops_ended() {
    if (spent_) failing_ = false;
  }
  [[nodiscard]] bool pool_fails() const { return failing_; }
  [[nodiscard]] bool may_stop_for_good() const { return may_stop_; }

 private:
  void element(OpKind kind) {
    switch (kind) {
      case OpKind::Wait:
      case OpKind::TamperPatch:
      case OpKind::TamperCommand:
      case OpKind::Revoke:
      case OpKind::Race:
        may_stop_ = true;
        break;
      case OpKind::Spin:
        if (++spins_ > 1) may_stop_ = true;  // together they may be more than the host waits for
        break;
      default:
        break;
    }
  }

  bool failing_ = false;
  bool spent_ = false;  // with the op under way
  bool may_stop_ = false;
  std::uint32_t spins_ = 0;  // in the render under way
};

// What the driver took while pool allocations failed, and what became of it.
void check(const Trace& trace, const Platform&, Judgement& judgement) {
  Circumstances circumstances;
  ScratchMap<std::uint32_t, std::uint32_t> taken;  // Submitted by packet
  for (const std::uint32_t index : trace.of_any<ev::OpStarted, ev::Submitted, ev::PacketEnded>()) {
    const Event& event = trace.events()[index];
    if (event.kind == EventKind::OpStarted) {
      circumstances.begins(static_cast<OpKind>(Trace::as<ev::OpStarted>(event).kind));
      continue;
    }
    if (event.op == kNoOp) circumstances.all_ops_ended();
    if (event.kind == EventKind::Submitted) {
      const auto submitted = Trace::as<ev::Submitted>(event);
      judgement.reached(index);
      if (submitted.status != 0) {
        judgement.fail(index,
                       "SubmitCommand takes up to RequiredDmaQueueEntry packets without fail",
                       status_name(submitted.status));
      } else if (circumstances.pool_fails()) {
        taken[submitted.packet] = index;
      }
      continue;
    }
    const auto ended = Trace::as<ev::PacketEnded>(event);
    const auto found = taken.find(ended.packet);
    if (found == taken.end()) continue;
    const bool lost = ended.fate == static_cast<std::uint32_t>(PacketFate::Lost);
    if (lost && !circumstances.may_stop_for_good()) {
      judgement.fail(index, "what SubmitCommand took while allocations failed is executed",
                     "packet " + std::to_string(ended.packet) + " is lost", {found->second});
    }
    taken.erase(found);
  }
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
                     "A packet that was taken and never ends is dropped. That is not judged where "
                     "the scenario itself can stop a node for good: by a wait, by altered input, "
                     "or by one buffer that spins more than once.",
                 .applies = rendering,
                 .check = check,
                 .scenario = R"(
about: sixteen packets on a stalled node while no pool allocation succeeds
ops:
- create_context: {context: 0}
- render: {context: 0}
- idle
- render: {context: 0}
- spin: {units: 20}
- render: {context: 0}
- spin: {units: 20}
- render: {context: 0}
- spin: {units: 20}
- render: {context: 0}
- spin: {units: 20}
- render: {context: 0}
- spin: {units: 20}
- render: {context: 0}
- spin: {units: 20}
- render: {context: 0}
- spin: {units: 20}
- render: {context: 0}
- spin: {units: 20}
- render: {context: 0}
- spin: {units: 20}
- render: {context: 0}
- spin: {units: 20}
- render: {context: 0}
- spin: {units: 20}
- render: {context: 0}
- spin: {units: 20}
- render: {context: 0}
- spin: {units: 20}
- render: {context: 0}
- spin: {units: 20}
- render: {context: 0}
- spin: {units: 20}
- render: {context: 0}
- spin: {units: 20}
- fail_pool: {kth: 1, every: true}
- queue_depth: {packets: 16}
- idle
)",
                 .control = R"(
about: sixteen packets, and allocations succeed
ops:
- create_context: {context: 0}
- queue_depth: {packets: 16}
- render: {context: 0}
- spin: {units: 2}
- render: {context: 0}
- spin: {units: 2}
- render: {context: 0}
- spin: {units: 2}
- render: {context: 0}
- spin: {units: 2}
- render: {context: 0}
- spin: {units: 2}
- render: {context: 0}
- spin: {units: 2}
- render: {context: 0}
- spin: {units: 2}
- render: {context: 0}
- spin: {units: 2}
- render: {context: 0}
- spin: {units: 2}
- render: {context: 0}
- spin: {units: 2}
- render: {context: 0}
- spin: {units: 2}
- render: {context: 0}
- spin: {units: 2}
- render: {context: 0}
- spin: {units: 2}
- render: {context: 0}
- spin: {units: 2}
- render: {context: 0}
- spin: {units: 2}
- render: {context: 0}
- spin: {units: 2}
- idle
)",
                 .fault = {.about = "SubmitCommand allocates a block from pool for each packet",
                           .seat = FaultSeat::Variant,
                           .variant = 9,
                           .also_fires = "PATCH-004"}};

WDDM_RULE(kRule);

}  // namespace
}  // namespace wddm
