// Where seeded faults of our own decisions sit, as the interposer is the seat of boundary faults.
//
// The host carries out what the oracles decide. Between the two each decision that a fault may alter
// passes through the seat, which hands it on unchanged. Selftest puts another one there.
#pragma once

#include <vector>

#include "conformance/host/oracle_fault.h"
#include "reference/vidmm/patch_list.h"
#include "reference/vidmm/split_planner.h"
#include "reference/vidmm/vidmm.h"
#include "reference/vidsch/scheduler.h"

namespace wddm::host {

class DecisionSeat {
 public:
  virtual ~DecisionSeat() = default;

  // -- VidMm
  /// Allocations to hold in place while a buffer is planned, beside those that it names.
  virtual std::vector<AllocationId> held_while_planning(const vidmm::PatchList&,
                                                        const vidmm::VidMm&) {
    return {};
  }
  /// How a buffer is cut and paged.
  virtual void plan(vidmm::Plan&, const vidmm::PatchList&) {}
  /// Whether leaks of a split buffer count.
  virtual bool judges_leaks(bool judges) { return judges; }

  // -- VidSch
  virtual void configure(vidsch::Config&) {}
  /// Whether other contexts run between the portions of a buffer.
  virtual bool interleaves(bool interleaves) { return interleaves; }
  /// When a paging buffer may run.
  virtual vidsch::EnqueuePaging order(const vidsch::EnqueuePaging& paging) { return paging; }
};

/// That of the running session.
[[nodiscard]] DecisionSeat& decisions();
/// `fault` is committed from now on; None: none.
void seat_decision_fault(OracleFault fault);

}  // namespace wddm::host
