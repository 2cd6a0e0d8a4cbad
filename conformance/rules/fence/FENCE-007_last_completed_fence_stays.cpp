// FENCE-007: while an engine is at rest its last completed fence stays what it is. It ends with the
// start of the adapter that it was completed in.

#include "conformance/host/interposer.h"
#include "conformance/rules/fence/never_given_again.h"
#include "conformance/rules/rule.h"
#include "conformance/rules/scratch.h"
#include "conformance/rules/submit/in_order_of_calls.h"
#include "conformance/sdk/device.h"
#include "reference/trace/ddi.h"

namespace wddm::fence_007 {
namespace {

// What an engine named last when the adapter was stopped. Numbers may begin anew with the next
// start: where they have not come to this one yet it is of no packet that there has been.
class FormerLife {
 public:
  FormerLife() = default;
  FormerLife(std::uint32_t fence, std::uint32_t named_by) : fence_(fence), named_by_(named_by) {}

  /// SubmissionFenceId or PreemptionFenceId of a call that the engine was meant by. Paging that is
  /// submitted again has the number that it had.
  void give(std::uint32_t fence) {
    if (any_given_ && static_cast<std::int32_t>(fence - given_) <= 0) return;
    given_ = fence;
    any_given_ = true;
  }
  /// A packet of this life has ended, or may have.
  void end() { named_by_ = kNone; }
  void judge(std::uint32_t index, const char* what, std::uint32_t fence,
             Judgement& judgement) const {
    const bool to_come = static_cast<std::int32_t>(fence_ - given_) > 0;
    if (named_by_ == kNone || !any_given_ || !to_come) return;
    judgement.reached(index);
    if (fence != fence_) return;
    judgement.fail(index,
                   "no fence of before the adapter was stopped: the greatest that the engine was "
                   "given since is " +
                       std::to_string(given_),
                   std::string(what) + ' ' + std::to_string(fence), {named_by_});
  }

 private:
  std::uint32_t fence_ = 0;
  std::uint32_t named_by_ = kNone;  // event; kNone: there is none, or none any more
  std::uint32_t given_ = 0;         // the greatest
  bool any_given_ = false;
};

// What a driver names is compared with what it has named before, across calls that complete
// nothing. Before any packet has completed nobody says what it is, but that it is nothing of the
// life before.
class Engine {
 public:
  /// The engine was reset. What it says then is ENGRST-003, but that ends with this life too.
  void stands_at(std::uint32_t index, std::uint32_t fence) {
    *this = Engine();
    reset_to_ = fence;
    reset_by_ = index;
  }
  /// The adapter was, which completes all that was given: TDR-002.
  void settle(std::uint32_t index) {
    if (any_given_) {
      stands_at(index, given_);
    } else {
      stands_at(reset_by_, reset_to_);
    }
  }
  /// The adapter was stopped.
  void stop() {
    const FormerLife former =
        named_by_ != kNone ? FormerLife(named_, named_by_) : FormerLife(reset_to_, reset_by_);
    *this = Engine();
    former_ = former;
  }
  void ask_for_preemption(std::uint32_t fence) { former_.give(fence); }
  void end_one() { former_.end(); }
  void reset(std::uint32_t index, std::uint32_t aborted, Judgement& judgement) const {
    former_.judge(index, "LastAbortedFenceId", aborted, judgement);
  }
  void submit(const ev::Submitted& packet) {
    given_ = packet.fence;
    any_given_ = true;
    former_.give(packet.fence);
    if (packet.status != 0) former_.end();
    // One that is refused completes without a report: SUBMIT-008.
    at_rest_ = false;
    refused_ = packet.status != 0;
  }
  void complete(std::uint32_t index, std::uint32_t fence) {
    at_rest_ = fence == given_ && !refused_;
    former_.end();
    name(index, fence);
  }
  void preempted(std::uint32_t index, std::uint32_t last_completed, Judgement& judgement) {
    judge(index, "LastCompletedFenceId", last_completed, judgement);
    former_.judge(index, "LastCompletedFenceId", last_completed, judgement);
    if (named_by_ == kNone) return;
    if (!at_rest_) name(index, last_completed);
    at_rest_ = !refused_;  // what was left is Windows's again
    happened_ = index;
  }
  /// `asked`: where the call began. What is reported before it returns may be later than what it
  /// has found.
  void queried(std::uint32_t index, std::uint32_t asked, std::uint32_t fence,
               Judgement& judgement) const {
    const auto is_later = [asked](std::uint32_t event) {
      return asked != kNone && event != kNone && event > asked;
    };
    if (is_later(named_by_) || is_later(happened_)) return;
    judge(index, "CurrentFence", fence, judgement);
    former_.judge(index, "CurrentFence", fence, judgement);
  }
  /// A call that completes no packet.
  void happened(std::uint32_t index) { happened_ = index; }

 private:
  void name(std::uint32_t index, std::uint32_t fence) {
    named_ = fence;
    named_by_ = index;
    happened_ = kNone;
  }
  void judge(std::uint32_t index, const char* what, std::uint32_t fence,
             Judgement& judgement) const {
    if (!at_rest_ || named_by_ == kNone || happened_ == kNone) return;
    judgement.reached(index);
    if (fence == named_) return;
    judgement.fail(index,
                   "the last completed fence is still " + std::to_string(named_) +
                       ", since nothing has completed",
                   std::string(what) + ' ' + std::to_string(fence), {named_by_, happened_});
  }

  std::uint32_t given_ = 0;  // fence of the last packet
  bool refused_ = false;     // ... by the driver
  bool any_given_ = false;
  bool at_rest_ = false;  // all that was given has been reported
  std::uint32_t named_ = 0;
  std::uint32_t named_by_ = kNone;  // Notified
  std::uint32_t happened_ = kNone;  // since
  std::uint32_t reset_to_ = 0;      // where a reset has left it, and nothing was named since
  std::uint32_t reset_by_ = kNone;  // EngineReset or AdapterReset
  FormerLife former_;
};

// What is not told of a kind of packet, or told late, may have ended: only a record says so early.
bool tells_of_an_end(const ev::DeviceLogged& record) {
  return record.kind == WDDM_DEVICE_PACKET_END || record.kind == WDDM_DEVICE_PAGE_FAULT;
}

constexpr std::uint32_t kStuck = 2;  // cause of an AdapterReset: a driver in no state to judge

void check(const Trace& trace, const Platform&, Judgement& judgement) {
  ScratchMap<EngineId, Engine> engines;
  std::uint32_t asked = kNone;  // where the latest QueryCurrentFence began
  using StopReturned = ev::MappingBalance;
  in_order_of_calls<ev::Notified, ev::FenceQueried, ev::PowerChanged, ev::EngineReset,
                    ev::AdapterReset, ev::DdiEntered, ev::DeviceLogged, StopReturned>(
      trace, [&](std::uint32_t index) {
        const Event& event = trace.events()[index];
        if (event.kind == EventKind::Submitted) {
          const auto packet = trace.at<ev::Submitted>(index);
          engines[engine_of(packet)].submit(packet);
        } else if (event.kind == EventKind::Notified) {
          const auto report = Trace::as<ev::Notified>(event);
          const EngineId engine = engine_of(report);
          if (report.type == DXGK_INTERRUPT_DMA_COMPLETED) {
            engines[engine].complete(index, report.fence);
          } else if (report.type == DXGK_INTERRUPT_DMA_PREEMPTED) {
            engines[engine].preempted(index, report.last_completed, judgement);
          } else if (report.type == DXGK_INTERRUPT_DMA_PAGE_FAULTED) {
            engines.erase(engine);
          }
        } else if (event.kind == EventKind::FenceQueried) {
          const auto query = Trace::as<ev::FenceQueried>(event);
          if (query.status == 0) {
            engines[engine_of(query)].queried(index, asked, query.fence, judgement);
          }
        } else if (event.kind == EventKind::PowerChanged) {
          for (auto& [id, engine] : engines) engine.happened(index);
        } else if (event.kind == EventKind::DdiEntered) {
          const auto entered = Trace::as<ev::DdiEntered>(event);
          if (static_cast<DdiId>(entered.ddi) == DdiId::QueryCurrentFence) asked = index;
          if (static_cast<DdiId>(entered.ddi) != DdiId::PreemptCommand) return;
          const auto call = trace.blob<ddi_arguments::PreemptCommand>(event);
          if (call.empty()) return;
          engines[engine_of(call.front())].ask_for_preemption(call.front().fence);
        } else if (event.kind == EventKind::DeviceLogged) {
          const auto record = Trace::as<ev::DeviceLogged>(event);
          if (tells_of_an_end(record)) engines[engine_of(record)].end_one();
        } else if (event.kind == EventKind::EngineReset) {
          const auto reset = Trace::as<ev::EngineReset>(event);
          if (reset.status == 0) {
            Engine& engine = engines[engine_of(reset)];
            engine.reset(index, reset.aborted, judgement);
            engine.stands_at(index, reset.aborted);
          } else {
            engines.erase(engine_of(reset));
          }
        } else if (event.kind == EventKind::MappingBalance) {
          for (auto& [id, engine] : engines) engine.stop();
        } else {
          const auto reset = Trace::as<ev::AdapterReset>(event);
          if (reset.status != 0 || reset.cause == kStuck) {
            engines.clear();
          } else if (reset.stage == 0) {
            for (auto& [id, engine] : engines) engine.settle(index);
          }
        }
      });
}

// A driver that finds its fence in memory of the device, which has lost it.
class LosesItsFence final : public Interposer {
 public:
  NTSTATUS SetPowerState(PVOID context, ULONG device, DEVICE_POWER_STATE state,
                         POWER_ACTION action) override {
    lost_ = true;
    return Interposer::SetPowerState(context, device, state, action);
  }
  NTSTATUS SubmitCommand(HANDLE adapter, const DXGKARG_SUBMITCOMMAND* submit) override {
    lost_ = false;
    return Interposer::SubmitCommand(adapter, submit);
  }
  void NotifyInterrupt(HANDLE adapter, const DXGKARGCB_NOTIFY_INTERRUPT_DATA* data) override {
    DXGKARGCB_NOTIFY_INTERRUPT_DATA altered = *data;
    if (lost_ && data->InterruptType == DXGK_INTERRUPT_DMA_PREEMPTED) {
      altered.DmaPreempted.LastCompletedFenceId = 0;
    }
    Interposer::NotifyInterrupt(adapter, &altered);
  }

 private:
  bool lost_ = false;
};

NotApplicable naming_fences(const Platform& platform) {
  if (const NotApplicable reason = submitting(platform)) return reason;
  return needs(platform, DdiId::PreemptCommand);
}

const Rule kRule{
    .id = "FENCE-007",
    .title = "The last completed fence moves only when something completes",
    .rule =
        "The last completed fence of an engine moves when a packet completes and when the engine "
        "or the adapter is reset. Preemptions that find nothing, and power that goes and comes "
        "back, leave it alone: LastCompletedFenceId and CurrentFence name it as before. It does "
        "not outlive StopDevice: until a packet has completed after the next start neither they "
        "nor LastAbortedFenceId name a fence of before that was not given since.",
    .sources =
        "tdr-changes-in-windows-8.md # Calling sequence to reset an engine\n"
        "bug-check-0x119---video-scheduler-internal-error.md # 0x1",
    .note =
        "Nothing says what it is before the first packet has completed, nor where numbers begin. "
        "The one that an engine named last before StopDevice is accused where it is greater than "
        "all numbers that the engine was given since the start: a fence of no packet. What it "
        "becomes by a reset is ENGRST-003 and TDR-002, by a refused packet SUBMIT-008.",
    .applies = naming_fences,
    .check = check,
    .played_in = kBothAddressings | ConfigurationSet{Configured::Linked},
    .scenario = R"(
about: an engine at rest is preempted and asked while another works, after power was gone, behind packets that stay off as well, and at later starts
ops:
- create_context: {context: 0}
# On a driver with one node what the second context does is skipped.
- create_context: {context: 1, node: 1}
- render: {context: 0}
- idle
- preempt: {node: 0}
- idle
- query_fence: {node: 0}
- render: {context: 1}
- idle
- preempt: {node: 0}
- idle
- power_cycle
- query_fence: {node: 0}
- preempt: {node: 0}
- idle
- query_fence: {node: 0}
- power_cycle: {above: 1}
- query_fence: {node: 0}
- preempt: {node: 0}
- idle
- power_cycle: {hibernate: true}
- query_fence: {node: 1}
- preempt: {node: 1}
- idle
)" WDDM_PREEMPTED_BEFORE_POWER_IS_LOST R"(
# Numbers begin anew, below those of the life before.
- stop
- first_fence: {fence: 0x40000}
- start
- create_context: {context: 0}
- create_context: {context: 1, node: 1}
- render: {context: 0}
- render: {context: 1}
- idle
- stop
- first_fence: {fence: 0x10000}
- start
- preempt: {node: 0}
- preempt: {node: 1}
- idle
- query_fence: {node: 0}
- query_fence: {node: 1}
- create_context: {context: 0}
- create_context: {context: 1, node: 1}
- render: {context: 0}
- spin: {units: 200}
- render: {context: 1}
- spin: {units: 200}
- advance: {units: 10}
- query_fence: {node: 1}
- advance: {units: 10}
- query_fence: {node: 1}
- advance: {units: 50}
- preempt: {node: 1}
- preempt: {node: 0}
- idle
# What a reset has left is of that life too: of one engine, and then of all.
- stop
- first_fence: {fence: 0x40000}
- start
- create_context: {context: 0}
- render: {context: 0}
- idle
- render: {context: 0}
- spin: {units: 1000}
- advance: {units: 100}
- advance: {units: 100}
- time_out: {node: 0}
- idle
- stop
- first_fence: {fence: 0x10000}
- start
- preempt: {node: 0}
- idle
- query_fence: {node: 0}
- stop
- first_fence: {fence: 0x40000}
- start
- create_context: {context: 0}
- create_context: {context: 1, node: 1}
- render: {context: 1}
- idle
- render: {context: 0}
- spin: {units: 1000}
- advance: {units: 100}
- advance: {units: 100}
- time_out: {node: 0, adapter: true}
- stop
- first_fence: {fence: 0x10000}
- start
- preempt: {node: 0}
- preempt: {node: 1}
- idle
- query_fence: {node: 0}
- query_fence: {node: 1}
- create_context: {context: 0}
# Of a link the other GPU as well, at rest while the first works.
- physical_adapter: {index: 1}
- create_context: {context: 2}
- render: {context: 2}
- idle
- render: {context: 0}
- idle
- preempt: {node: 0}
- idle
- preempt: {node: 0}
- idle
- query_fence: {node: 0}
- power_cycle
- query_fence: {node: 0}
- preempt: {node: 0}
- idle
)",
    .control = R"(
about: a packet completes in between
ops:
- create_context: {context: 0}
- render: {context: 0}
- idle
- preempt: {node: 0}
- idle
- render: {context: 0}
- idle
- query_fence: {node: 0}
)",
    .fault = {.about = "after power was gone the last completed fence is 0",
              .interposer = [] { return std::unique_ptr<Interposer>(new LosesItsFence); },
              .also_fires = "PREEMPT-006"}};

WDDM_RULE(kRule);

}  // namespace
}  // namespace wddm::fence_007
