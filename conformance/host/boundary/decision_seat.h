// Where seeded faults of our own decisions sit, as the interposer is the seat of boundary faults.
//
// The host carries out what the oracles decide. Between the two each decision that a fault may
// alter passes through the seat, which hands it on unchanged. Selftest puts another one there.
#pragma once

#include <span>
#include <vector>

#include "conformance/host/oracle_fault.h"
#include "reference/gpummu/address.h"
#include "reference/gpummu/table_decision.h"
#include "reference/gpuva/companion_queue.h"
#include "reference/gpuva/device_residency.h"
#include "reference/gpuva/va_ranges.h"
#include "reference/vidmm/step.h"
#include "reference/vidsch/scheduler.h"

namespace wddm::host {

class DecisionSeat {
 public:
  virtual ~DecisionSeat() = default;

  /// Whether the host does what this fault says; asked where that would be, for faults that alter
  /// no decision below.
  virtual bool commits(OracleFault) { return false; }

  // -- VidMm
  /// What is to be done about a buffer.
  virtual vidmm::Decisions prepare(vidmm::VidMm& vidmm, vidmm::SplitPlanner& planner,
                                   const vidmm::Prepare& input) {
    return vidmm::step(vidmm, planner, input);
  }

  // -- page tables
  /// What follows from what happened to an address space.
  virtual std::vector<gpummu::Decision> tables(std::span<const gpummu::Decision> decided) {
    return {decided.begin(), decided.end()};
  }

  /// Whether an eviction waits for nobody.
  virtual bool evicts_at_once() { return false; }
  /// Whether NotifyResidency comes with every part of what is brought in.
  virtual bool tells_of_each_part() { return false; }

  // -- residency of WDDM 2
  virtual std::vector<gpuva::ResidencyDecision> residency(gpuva::Residency& residency,
                                                          const gpuva::ResidencyInput& input) {
    const std::span<const gpuva::ResidencyDecision> decided = residency.step(input);
    return {decided.begin(), decided.end()};
  }
  // ... and what its client does: uses what is on its way, asks as if nothing else were left, uses
  // what it evicted, says of everything that it was not written.
  virtual bool waits_for_nothing() { return false; }
  virtual bool must_succeed_at_once() { return false; }
  virtual bool uses_what_was_evicted() { return false; }
  virtual bool claims_not_written() { return false; }
  // ... trims what is in use as well, and makes an allocation for each small resource.
  virtual bool trims_what_is_in_use() { return false; }
  virtual std::uint32_t gpu_of_update(std::uint32_t of_context) { return of_context; }
  virtual bool packs_nothing() { return false; }
  /// Whether what a patch list names is brought in although its device does not require it.
  virtual bool brings_in_what_is_not_required() { return false; }

  // -- GPU virtual addresses
  /// What is decided about a request of a process that has these addresses.
  virtual std::vector<gpuva::VaDecision> addresses(gpuva::VaRanges& ranges,
                                                   const gpuva::VaInput& input) {
    const auto decided = ranges.step(input);
    return {decided.begin(), decided.end()};
  }
  /// When an update runs that is interlocked with rendering.
  virtual std::vector<gpuva::CompanionDecision> companion(gpuva::CompanionQueue& queue,
                                                          const gpuva::CompanionInput& input) {
    const auto decided = queue.step(input);
    return {decided.begin(), decided.end()};
  }
  /// Whether allocations in pages of 64 KB are as large as their drivers say, and no larger.
  virtual bool sizes_in_small_pages() { return false; }
  /// Whether transfers say which pages their ranges are mapped in.
  virtual bool tells_page_sizes() { return true; }
  /// Where a window of the paging process lies.
  virtual gpummu::GpuVirtualAddress window(gpummu::GpuVirtualAddress at) { return at; }

  // -- VidSch
  virtual void configure(vidsch::Config&) {}
  /// Whether other contexts run between the portions of a buffer.
  virtual bool interleaves(bool interleaves) { return interleaves; }
  /// When a paging buffer may run.
  virtual vidsch::EnqueuePaging order(const vidsch::EnqueuePaging& paging) { return paging; }
  /// A packet is about to be submitted with this fence.
  virtual void submits(PacketOrdinal, bool /*paging*/, FenceId) {}
  /// Which number the driver is told for a fence, by SubmitCommand and by Patch, and which one it
  /// means by a number.
  virtual FenceId told(FenceId fence) { return fence; }
  virtual FenceId told_by_patch(FenceId fence) { return fence; }
  virtual FenceId heard(FenceId fence) { return fence; }
  virtual bool tells_resubmission() { return true; }
  /// How often the driver is called for a preemption.
  virtual std::uint32_t preemption_calls() { return 1; }
  /// Whether what was preempted goes on.
  virtual bool forgets_stopped() { return false; }
  /// Whether CancelCommand is called for what the hardware has.
  virtual bool cancels_what_is_submitted() { return false; }
  // What is left out when an engine does not answer, and what is not.
  virtual bool resets_unasked() { return false; }
  virtual bool asks_for_dependents() { return true; }
  virtual bool listens_after_snapshot() { return false; }
  virtual bool promotes() { return true; }
};

/// That of the running session.
[[nodiscard]] DecisionSeat& decisions();
/// `fault` is committed from now on; None: none.
void seat_decision_fault(OracleFault fault);

}  // namespace wddm::host
