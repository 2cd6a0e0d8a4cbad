// DMA buffers of drivers whose GPU fetches them through an aperture: mapped before their first
// portion is submitted, unmapped when the next buffer or request comes and they are over.
//
// Models specifying-segments-for-dma-buffers.md. Where the aperture is full VidMm evicts what lies
// there; not from WDDM 2.0 on, where clients count on what they required.
#pragma once

#include "conformance/host/vidmm/aperture_pages.h"
#include "conformance/host/vidmm/job_waits.h"
#include "conformance/host/vidmm/paging/paging_queue.h"

namespace wddm::host {

class BufferWindows {
 public:
  BufferWindows(const Adapter& adapter, const PagingScene& scene, Residency& residency,
                AperturePages& pages, const PredictedMemory& memory, PagingQueue& queue,
                JobWaits& waits)
      : adapter_(adapter),
        scene_(scene),
        residency_(residency),
        pages_(pages),
        memory_(memory),
        queue_(queue),
        waits_(waits) {}

  /// Gives the buffer pages of an aperture, if its context wants that. False: there is no room, or
  /// the job was abandoned.
  [[nodiscard]] bool place(RenderBuffer& buffer);
  /// What must run before the buffer does: empty if nothing, or if that has been asked for.
  [[nodiscard]] PagingQueue::Buffers show(RenderBuffer& buffer);
  /// Queues the unmapping of buffers that are over.
  void unmap_left();

 private:
  void make_room(std::uint32_t segment_set);
  [[nodiscard]] HANDLE device_of(const AperturePlace& place) const;

  const Adapter& adapter_;
  PagingScene scene_;
  Residency& residency_;
  AperturePages& pages_;
  const PredictedMemory& memory_;
  PagingQueue& queue_;
  JobWaits& waits_;
};

}  // namespace wddm::host
