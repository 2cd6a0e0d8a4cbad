// The end of a run under frames of driver and device, which nothing unwinds: their code may know
// nothing of exceptions, and what it does in destructors would happen after the run.
//
// A fiber that is in the middle of something when the run ends jumps over all foreign frames, back
// to where the host called the first of them, and from there RunEnded unwinds the frames of the
// host, which own memory. Host frames between foreign ones (callbacks) are jumped over too: they
// own nothing while a service that may wait is called.
#pragma once

#include <csetjmp>

#include "conformance/host/nt/core/machine.h"

namespace wddm::nt {

struct RunEnded {};

/// Where to come back to from the foreign frames of a fiber: the outermost place counts.
class WayOut {
 public:
  WayOut() : fiber_(running()), outermost_(fiber_.way_out == nullptr) {
    if (outermost_) fiber_.way_out = &place_;
  }
  ~WayOut() {
    if (outermost_) fiber_.way_out = nullptr;
  }
  WayOut(const WayOut&) = delete;
  WayOut& operator=(const WayOut&) = delete;
  [[nodiscard]] sigjmp_buf& place() { return place_; }

 private:
  Fiber& fiber_;
  bool outermost_;
  sigjmp_buf place_;
};

/// Calls `body`, which calls foreign code.
template <class Body>
void call_foreign(Body&& body) {
  WayOut way_out;
  if (sigsetjmp(way_out.place(), 0) != 0) throw RunEnded{};
  body();
}

}  // namespace wddm::nt
