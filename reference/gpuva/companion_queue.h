// Page table updates that are interlocked with rendering: the paging companion of one context.
//
// Sources: windows-driver-docs "Tile resources"; pfnUpdateGpuVirtualAddressCb and
// D3DDDICB_UPDATEGPUVIRTUALADDRESS; clause VA-006. The rules:
//   1. An update waits until its monitored fence has reached FenceValue, unless DoNotWait is set;
//      when its entries are visible the fence is signalled to FenceValue + 1.
//   2. Updates of one companion are done in the order of the calls: one that waits holds up all
//      behind it, also those that do not wait for a fence.
//   3. A caller that would leave more than 128 operations queued is held until fewer are.
//
// Readings: DoNotWait skips the wait for the fence, not the order. The 128 are operations, not
// calls; a call is queued when it comes, and its caller held until those queued are 128 or fewer.
// A fence that is ahead already is not set back: then nothing is signalled. FenceValue + 1 of the
// last value there is, is refused.
// Leaves out: what the operations are (va_ranges.h), and other waits on the fence.
#pragma once

#include <cstddef>
#include <cstdint>
#include <span>
#include <variant>
#include <vector>

#include "reference/types.h"

namespace wddm::gpuva {

/// A monitored fence, as the caller counts them: small numbers from 0.
using MonitoredFenceId = Strong<struct MonitoredFenceTag>;
/// A call of UpdateGpuVirtualAddress, as the caller counts them.
using UpdateId = Strong<struct UpdateTag>;

/// One call; `operations` is NumOperations.
struct QueueUpdate {
  UpdateId update{};
  std::size_t operations = 1;
  MonitoredFenceId fence{};
  std::uint64_t fence_value = 0;
  bool do_not_wait = false;
};
/// The fence has reached this value, by the GPU or the CPU.
struct FenceReached {
  MonitoredFenceId fence{};
  std::uint64_t value = 0;
};
/// The update that runs has been executed, and its entries are visible.
struct UpdateDone {};
using CompanionInput = std::variant<QueueUpdate, FenceReached, UpdateDone>;

/// Submit the update to the companion context.
struct RunUpdate {
  UpdateId update{};
  friend bool operator==(const RunUpdate&, const RunUpdate&) = default;
};
struct SignalFence {
  MonitoredFenceId fence{};
  std::uint64_t value = 0;
  friend bool operator==(const SignalFence&, const SignalFence&) = default;
};
/// Hold the caller (rule 3), and let it go on.
struct HoldCaller {
  friend bool operator==(const HoldCaller&, const HoldCaller&) = default;
};
struct ReleaseCaller {
  friend bool operator==(const ReleaseCaller&, const ReleaseCaller&) = default;
};
/// STATUS_INVALID_PARAMETER; nothing is queued.
struct UpdateRefused {
  friend bool operator==(const UpdateRefused&, const UpdateRefused&) = default;
};
using CompanionDecision =
    std::variant<RunUpdate, SignalFence, HoldCaller, ReleaseCaller, UpdateRefused>;

class CompanionQueue {
 public:
  static constexpr std::size_t kMostQueued = 128;  ///< operations

  /// Takes one input; gives what follows, in order. Valid until the next call.
  [[nodiscard]] std::span<const CompanionDecision> step(const CompanionInput& input);

  [[nodiscard]] std::uint64_t value(MonitoredFenceId fence) const {
    return fence.value < values_.size() ? values_[fence.value] : 0;
  }
  [[nodiscard]] std::size_t queued_operations() const { return operations_; }
  [[nodiscard]] bool runs() const { return runs_; }

  void validate() const;

 private:
  void on(const QueueUpdate& input);
  void on(const FenceReached& input);
  void on(const UpdateDone& input);
  void advance(MonitoredFenceId fence, std::uint64_t value);
  void run_first();

  std::vector<QueueUpdate> queue_;  // the first may be running
  bool runs_ = false;
  bool holds_ = false;
  std::size_t operations_ = 0;
  std::vector<std::uint64_t> values_;  // by fence
  std::vector<CompanionDecision> decisions_;
};

}  // namespace wddm::gpuva
