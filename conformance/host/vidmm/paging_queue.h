// Paging on its way to VidSch: built, followed by the plan of what lies where, and queued as there
// is room.
#pragma once

#include <memory>
#include <vector>

#include "conformance/host/vidmm/build_paging.h"
#include "conformance/host/vidmm/job_waits.h"

namespace wddm::host {

class PagingQueue {
 public:
  PagingQueue(Residency& residency, Paging& paging, VidSchWorker& vidsch, JobWaits& waits)
      : residency_(residency), paging_(paging), vidsch_(vidsch), waits_(waits) {}

  using Buffers = std::vector<std::unique_ptr<PagingBuffer>>;

  /// Carries out a step that the oracle decided on.
  void queue(const vidmm::PagingStep& step);
  void queue(const std::shared_ptr<PagingOperation>& operation);
  void queue(Buffers buffers);
  /// Does all for these steps but queue them.
  [[nodiscard]] Buffers build(const vidmm::PagingSteps& steps);

 private:
  Residency& residency_;
  Paging& paging_;
  VidSchWorker& vidsch_;
  JobWaits& waits_;
};

}  // namespace wddm::host
