// Timeout detection and recovery, as far as one engine at a time goes: who plays the scenario
// decides when time is up, and resets the adapter where this does not suffice.
#include "conformance/host/boundary/decision_seat.h"
#include "conformance/host/vidsch/vidsch_worker.h"

namespace wddm::host {

void VidSchWorker::give_up(EngineId engine) {
  if (!decisions().listens_after_snapshot()) deaf_to_ = engine;
  given_up_.push_back(engine);
  wake_.set();
}

void VidSchWorker::reset_unanswered() {
  resets_wanted_ = true;
  wake_.set();
}

// DDIs of the scheduler's class do not overlap: all of them are called on its thread.
void VidSchWorker::recover_from_timeouts() {
  while (!given_up_.empty()) {
    const EngineId engine = given_up_.front();
    given_up_.erase(given_up_.begin());
    ask_about(engine);
  }
  // What the driver has reported by then is taken at its DPC.
  if (!resets_wanted_ || !reports_.empty()) return;
  resets_wanted_ = false;
  reset_sufficed_ = true;
  while (!dependents_.empty()) {
    const EngineId engine = dependents_.front();
    dependents_.erase(dependents_.begin());
    if (!awaits_answer(engine) && !decisions().resets_unasked()) continue;
    reset_sufficed_ &= reset_engine(engine, ResetCause::Timeout);
    fail_devices();
    ++progress_;
    retired_.set();
  }
  deaf_to_.reset();
}

void VidSchWorker::fail_all_devices() {
  recovery_.all_failed();
  fail_devices();
  cancel_packets();
}

void VidSchWorker::ask_about(EngineId engine) {
  if (adapter_.knows(InterfaceVersion::Win8)) {
    call_collect_debug_info(adapter_, kEngineTimeoutReason);
  }
  call_query_engine_status(adapter_, engine, scheduler_->ledger(engine).outstanding_count());
  const std::uint64_t nodes = decisions().asks_for_dependents()
                                  ? call_query_dependents(adapter_, engine)
                                  : std::uint64_t{1} << engine.node.value;
  dependents_.clear();
  for (std::uint32_t node = 0; node < adapter_.nodes(); ++node) {
    if ((nodes >> node & 1) == 0) continue;
    const EngineId one{.node = NodeId{node}, .physical_adapter = engine.physical_adapter};
    dependents_.push_back(one);
    if (one != engine && is_busy(one)) wanted_preemptions_.push_back(one);
  }
}

// Reports that come while it is reset speak of packets before the reset.
bool VidSchWorker::reset_engine(EngineId engine, ResetCause cause) {
  resets_engine_ = true;
  semaphores_.forget();
  engine_reset_.reset();
  const std::optional<FenceId> last =
      call_reset_engine(adapter_, engine, scheduler_->ledger(engine), cause);
  resets_engine_ = false;
  engine_reset_.set();
  take_reports();
  if (!last) return false;
  resetting_ = cause;
  const std::optional<FenceId> unanswered = scheduler_->ledger(engine).pending_preemption();
  const bool as_answer = unanswered && decisions().commits(OracleFault::GoOnAfterAbort);
  const vidsch::Input happened =
      as_answer ? vidsch::Input(vidsch::ReportPreempted{engine, *unanswered, *last})
                : vidsch::Input(vidsch::ReportEngineReset{engine, *last});
  const bool good = follow(scheduler_->step(happened), *last, 0);
  resetting_.reset();
  return good;
}

}  // namespace wddm::host
