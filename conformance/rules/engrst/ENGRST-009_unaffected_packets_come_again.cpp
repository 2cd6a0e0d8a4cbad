// ENGRST-009: after a reset of an engine its packets come again that it had not begun, and nothing
// of the context whose packet was aborted.

#include "conformance/rules/engrst/resets.h"
#include "conformance/rules/preempt/paging_first.h"

namespace wddm::engrst_009 {
namespace {

using preempt::CameBack;

void judge_fences(const Trace& trace, Judgement& judgement) {
  preempt::for_each_submission(trace, [&](const preempt::Submission& one) {
    if (one.from != CameBack::Reset) return;
    judgement.reached(one.event);
    const std::uint32_t before = trace.at<ev::Submitted>(one.before).fence;
    const bool same = one.packet.fence == (one.packet.paging != 0 ? one.first_fence : before);
    if (same == (one.packet.paging != 0)) return;
    judgement.fail(one.event,
                   one.packet.paging != 0
                       ? "the SubmissionFenceId that the paging had, " +
                             std::to_string(one.first_fence)
                       : "a new SubmissionFenceId",
                   "SubmissionFenceId " + std::to_string(one.packet.fence),
                   {one.before, one.returned});
  });
}

// Contexts whose packets resets have aborted.
class Aborted {
 public:
  explicit Aborted(Judgement& judgement) : judgement_(judgement) {}

  void reset(const ev::EngineReset& reset) {
    resetting_ = engrst::succeeded(reset.status);
    engine_ = engine_of(reset);
    aborted_ = reset.aborted;
  }
  void ended(std::uint32_t index, const ev::PacketEnded& ended) {
    const auto found = contexts_.find(ended.packet);
    if (found == contexts_.end()) return;
    // Those before the one that the driver names have completed, for all that Windows knows.
    const bool aborted = ended.fate == static_cast<std::uint32_t>(PacketFate::Lost) &&
                         engine_of(ended) == engine_ && ended.fence == aborted_;
    if (aborted && resetting_) dead_[found->second] = index;
    if (ended.fate != static_cast<std::uint32_t>(PacketFate::Preempted)) contexts_.erase(found);
  }
  void submitted(std::uint32_t index, const ev::Submitted& packet) {
    resetting_ = false;
    if (packet.paging != 0) return;
    contexts_[packet.packet] = packet.context;
    if (dead_.empty()) return;
    judgement_.reached(index);
    const auto found = dead_.find(packet.context);
    if (found == dead_.end()) return;
    judgement_.fail(index, "no packets of a context whose packet was aborted",
                    "packet " + std::to_string(packet.packet) + " of context " +
                        std::to_string(packet.context),
                    {found->second});
  }
  void created(std::uint32_t context) { dead_.erase(context); }
  void clear() {
    resetting_ = false;
    contexts_.clear();
    dead_.clear();
  }

 private:
  Judgement& judgement_;
  bool resetting_ = false;  // what ends now is what the reset has aborted
  EngineId engine_{};
  std::uint32_t aborted_ = 0;                          // LastAbortedFenceId
  ScratchMap<std::uint32_t, std::uint32_t> contexts_;  // of packets
  ScratchMap<std::uint32_t, std::uint32_t> dead_;      // context: PacketEnded
};

void judge_aborted(const Trace& trace, Judgement& judgement) {
  Aborted aborted(judgement);
  using StopReturned = ev::MappingBalance;
  in_order_of_calls<ev::EngineReset, ev::PacketEnded, ev::ContextCreated, ev::AdapterReset,
                    StopReturned>(trace, [&](std::uint32_t index) {
    const Event& event = trace.events()[index];
    if (event.kind == EventKind::Submitted) {
      aborted.submitted(index, trace.at<ev::Submitted>(index));
    } else if (event.kind == EventKind::EngineReset) {
      aborted.reset(Trace::as<ev::EngineReset>(event));
    } else if (event.kind == EventKind::PacketEnded) {
      aborted.ended(index, Trace::as<ev::PacketEnded>(event));
    } else if (event.kind == EventKind::ContextCreated) {
      aborted.created(trace.at<ev::ContextCreated>(index).context);
    } else {
      aborted.clear();
    }
  });
}

// That what came back is not lost is SCHED-008.
void check(const Trace& trace, const Platform&, Judgement& judgement) {
  preempt::judge_paging_first(trace, CameBack::Reset, judgement);
  judge_fences(trace, judgement);
  judge_aborted(trace, judgement);
}

const Rule kRule{
    .id = "ENGRST-009",
    .title = "Unaffected packets are resubmitted after an engine reset",
    .binds = Binds::Os,
    .rule =
        "After ResetEngine has succeeded, paging that it has not aborted is submitted again before "
        "anything else of the engine, in its order and with the fences that it had; packets of "
        "clients get new ones. Nothing of the device whose packet was aborted is submitted.",
    .sources =
        "tdr-changes-in-windows-8.md # Packets unaffected by engine reset\n"
        "tdr-changes-in-windows-8.md # Special cases",
    .note =
        "Aborted is the packet that LastAbortedFenceId names. A driver may name the last of "
        "several (ENGRST-002): those before it count as completed. Of its device the context is "
        "judged whose packet it was.",
    .applies = engrst::engine_resets,
    .check = check,
    .played_in = kBothAddressings,
    .scenario = R"(
about: a packet hangs, with paging, a packet of another device and one of its own behind it
ops:
- create_device: {device: 1}
- create_context: {context: 0}
- create_context: {context: 1, device: 1}
- queue_depth: {packets: 4}
- render: {context: 0}
- idle
- render: {context: 1}
- idle
- page_ahead
- render: {context: 0}
- spin: {units: 300}
- advance: {units: 10}
- advance: {units: 40}
- map_aperture: {page: 20, pages: 2}
- switch_context: {node: 0}
- render: {context: 1}
- spin: {units: 5}
- render: {context: 0}
- spin: {units: 5}
- render: {context: 0}
- spin: {units: 5}
- render: {context: 0}
- spin: {units: 5}
- advance: {units: 1}
- time_out: {node: 0}
- idle
)",
    .control = R"(
about: the engine answers in time, and is not reset
ops:
- create_context: {context: 0}
- render: {context: 0}
- idle
- render: {context: 0}
- spin: {units: 300}
- render: {context: 0}
- spin: {units: 5}
- advance: {units: 10}
- advance: {units: 40}
- time_out: {node: 0, units: 100}
- idle
)",
    .fault = {.about = "a reset counts as an answer to the preemption, and every device goes on",
              .seat = FaultSeat::Oracle,
              .oracle = OracleFault::GoOnAfterAbort}};

WDDM_RULE(kRule);

}  // namespace
}  // namespace wddm::engrst_009
