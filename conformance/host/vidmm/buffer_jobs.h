// DMA buffers on their way through VidMm: the oracle is asked, and what it decides is carried out,
// in its order.
//
// Portions are queued together, but for those before paging that the driver may do at once: they
// have to be over by then (PagingQueue::build). What is the host's own:
//   - the buffer waits while another context uses the same memory;
//   - it is dropped where VidSch has no room for its packets, and so are later passes of a
//     translation of which one was dropped.
#pragma once

#include <cstdint>
#include <memory>
#include <set>
#include <vector>

#include "conformance/host/vidmm/buffer_windows.h"
#include "conformance/host/vidmm/client_residency.h"
#include "conformance/host/vidmm/paging/paging_queue.h"
#include "reference/vidmm/step.h"

namespace wddm::host {

class BufferJobs {
 public:
  BufferJobs(const Adapter& adapter, Residency& residency, PagingQueue& paging,
             VidSchWorker& vidsch, JobWaits& waits, const Choices& choices,
             VirtualMemory& virtual_memory, const Objects& objects, const ClientResidency& clients,
             BufferWindows& windows)
      : adapter_(adapter),
        residency_(residency),
        paging_(paging),
        vidsch_(vidsch),
        waits_(waits),
        choices_(choices),
        virtual_memory_(virtual_memory),
        objects_(objects),
        clients_(clients),
        windows_(windows) {}

  void take(std::unique_ptr<RenderBuffer> buffer, vidmm::SplitPlanner& planner);

 private:
  void prepare(vidmm::SplitPlanner& planner);
  void carry_out(const vidmm::AwaitEarlierWork&);
  void carry_out(const vidmm::AwaitItsPaging&);
  void carry_out(const vidmm::CannotBringIn& found);
  void carry_out(const vidmm::LeaksJudged& leaks);
  void carry_out(const vidmm::Page& page);
  void carry_out(const vidmm::RunPortion& run);
  void carry_out(const vidmm::Refused& refused);
  /// Its device does not require all that it lists, and so is in error now.
  [[nodiscard]] bool is_rejected() const;
  /// `more` of them follow: the buffer stays at hand.
  void queue_portions(bool more = false);
  void drop();
  /// Or an earlier pass of its translation.
  [[nodiscard]] bool is_dropped() const { return dropped_renders_.contains(buffer_->render); }
  void skip(const char* why) const;

  const Adapter& adapter_;
  Residency& residency_;
  PagingQueue& paging_;
  VidSchWorker& vidsch_;
  JobWaits& waits_;
  const Choices& choices_;
  VirtualMemory& virtual_memory_;
  const Objects& objects_;
  const ClientResidency& clients_;
  BufferWindows& windows_;
  std::shared_ptr<RenderBuffer> buffer_;         // at hand; null once VidSch has all of it
  std::vector<VidSchWorker::Portion> portions_;  // of it, not queued yet
  std::uint32_t planned_ = 0;                    // portions of it
  std::set<std::uint32_t> dropped_renders_;      // of which a pass will not run
};

}  // namespace wddm::host
