// What one run of a scenario has in common: the trace, the fault seats and who is inside the
// driver.
//
// The driver calls back through C functions that carry no context we could trust (a wrong handle is
// itself a finding), so the running session is a process-wide object. There is never more than one.
#pragma once

#include <array>
#include <cstdint>
#include <string_view>

#include "conformance/host/boundary/anomaly.h"
#include "conformance/host/boundary/needs.h"
#include "conformance/host/execute.h"
#include "conformance/host/nt/core/kernel.h"
#include "reference/trace/names.h"
#include "reference/trace/trace.h"

namespace wddm::host {

/// Records events with the state of the virtual CPU they were seen on.
class Tap {
 public:
  void attach(TraceWriter* writer) {
    writer_ = writer;
    events_ = 0;
    told_ = {};
  }
  /// The run is over: what its remains do is no part of the trace.
  void close() { *writer_ = TraceWriter(); }
  /// Index of the op that following events belong to; kNoOp outside of ops.
  void set_op(std::uint16_t op) { writer_->op = op; }
  /// Whether so much was recorded that something long might find no room any more: traces hold
  /// twice as much.
  [[nodiscard]] bool runs_short() const { return events_ > 1u << 16; }
  /// ... so much that what is left is for the end of the driver's life.
  [[nodiscard]] bool is_for_the_end() const { return events_ > 3u << 15; }
  [[nodiscard]] std::uint16_t op() const { return writer_->op; }

  template <class Payload>
  void operator()(const Payload& payload, const void* blob = nullptr, std::size_t bytes = 0) const {
    ++events_;
    writer_->add(payload, nt::irql(), nt::current_cpu(), nt::current_thread(), blob, bytes);
  }
  template <class Payload>
  void text(const Payload& payload, std::string_view blob) const {
    (*this)(payload, blob.data(), blob.size());
  }
  /// What the kernel caught. A driver may do it again and again: of so many of a kind the rest
  /// tells nothing new, and would leave no room for what can be judged.
  static constexpr std::uint32_t kMostOfAKind = 1000;
  void finding(nt::FindingKind kind, std::string_view what) const {
    std::uint32_t& told = told_[static_cast<std::size_t>(kind)];
    if (told == kMostOfAKind) return;
    ++told;
    text(ev::Finding{.kind = static_cast<std::uint32_t>(kind)}, what);
  }

 private:
  TraceWriter* writer_ = nullptr;
  mutable std::uint32_t events_ = 0;
  mutable std::array<std::uint32_t, nt::kFindingKinds> told_{};  // findings, by their kind
};

struct Session {
  Tap tap;
  Interposer* wire = nullptr;  ///< never null while a scenario runs
  CallbackFailure callback_failure;
  Process process = Process::OneRun;
  bool read_contents = false;
  Needs needs;
};

[[nodiscard]] Session& session();

/// Where in the driver the running thread is. Another thread may be elsewhere at the same time.
[[nodiscard]] inline CallPlace call_place() {
  return static_cast<CallPlace>(nt::host_word());
}

/// Marks code that runs in the driver's ISR, DPC, ... for as long as it lives.
class PlaceScope {
 public:
  explicit PlaceScope(CallPlace place) : place_(nt::host_word()), before_(place_) {
    place_ = static_cast<std::uint32_t>(place);
  }
  ~PlaceScope() { place_ = before_; }
  PlaceScope(const PlaceScope&) = delete;
  PlaceScope& operator=(const PlaceScope&) = delete;

 private:
  std::uint32_t& place_;
  std::uint32_t before_;
};
static_assert(static_cast<std::uint8_t>(CallPlace::Ddi) == 0);

}  // namespace wddm::host
