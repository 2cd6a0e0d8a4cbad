// Runs scenarios one after the other in this process, judging each: what fuzz targets are built on.
//
// Nothing of one run shows in the next: the driver's static variables are put back, memory and
// kernel begin anew, leftover threads are gone. A hang or a bug check ends its run only; a crash or
// a defect of ours ends the process, as fuzzers expect, but for survive_crashes(). Not put back:
// what device and client keep outside of the instances that are made for each run.
#pragma once

#include <cstdint>
#include <optional>

#include "conformance/harness/isolate/child.h"
#include "conformance/harness/isolate/shared_region.h"
#include "conformance/harness/judge/result.h"
#include "reference/trace/trace.h"

namespace wddm::harness {

class Replayer {
 public:
  struct Capacity {
    std::uint32_t events = 1u << 17;
    std::uint32_t blobs = 64u << 20;  ///< bytes
  };

  /// host::load() has loaded the driver, and nothing in it has been called. One replayer a process.
  Replayer() : Replayer(Capacity{}) {}
  explicit Replayer(const Capacity& capacity);

  /// A fault in the driver's code ends its run only: Judged::crashed, and Judged::stopped says
  /// where as Outcome::about does. What it spoiled before may show later, so it is to be confirmed
  /// in a process of its own.
  void survive_crashes();

  /// Executes and judges. The result holds until the next run.
  const Judged& run(const RunRequest& request);

  // The two halves of run(), for who wants to measure them or needs only one.
  void execute(const RunRequest& request);
  const Judged& judge(const RunRequest& request);

  /// What the latest run left; holds until the next one.
  [[nodiscard]] const Trace& trace() const { return *trace_; }

 private:
  Region region_;
  std::optional<Trace> trace_;
  Judged judged_;
};

}  // namespace wddm::harness
