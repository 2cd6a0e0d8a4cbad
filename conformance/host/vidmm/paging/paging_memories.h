// Where paging buffers come from: contiguous system memory; with GPU virtual addresses what is
// mapped for them in the paging process; for drivers that name an aperture segment for them
// (PagingBufferSegmentId) what that aperture shows.
//
// A buffer in an aperture is mapped there once, and then used again and again. What maps it is a
// paging operation itself: if the driver writes commands for that, they lie in system memory, for
// there is nothing else yet. Where there are no pages for another, system memory it is too.
//
// The pages are theirs from the start of the adapter on. Those that VidMm has just given back may
// still be unmapped by the very operation that a buffer is needed for, and the buffer with them.
#pragma once

#include <cstdint>
#include <functional>
#include <memory>
#include <optional>
#include <vector>

#include "conformance/host/vidmm/aperture_pages.h"
#include "conformance/host/vidmm/job_waits.h"
#include "conformance/host/vidmm/paging/paging_operations.h"

namespace wddm::host {

class PagingMemories {
 public:
  PagingMemories(const Adapter& adapter, JobWaits& waits) : adapter_(adapter), waits_(waits) {}

  /// With GPU virtual addresses: where buffers come from.
  void use(PagingWindows& windows) { windows_ = &windows; }
  /// Where apertures show them.
  void use(AperturePages& pages, const PagingScene& scene) {
    pages_ = &pages;
    scene_.emplace(scene);
  }
  /// The adapter starts or stops: apertures show nothing, and no page of them is kept.
  void begin();
  /// It has started, and nothing lies in its apertures: keeps pages for buffers.
  void keep_pages();
  /// Power is gone while nothing runs: what they showed is not shown any more.
  void power_was_lost();

  /// Carries out an operation that comes before all that is built later.
  using Run = std::function<void(const PagingOperationPtr&)>;
  /// Null if there is no memory for another. The job may be abandoned meanwhile.
  [[nodiscard]] std::shared_ptr<PagingMemory> take(const Run& run);

 private:
  [[nodiscard]] std::uint32_t segment_set() const;
  void take_system_memory(PagingMemory& memory) const;
  [[nodiscard]] bool take_window(PagingMemory& memory);
  void take_aperture(PagingMemory& memory, const Run& run);
  [[nodiscard]] bool take_shown(PagingMemory& memory);

  const Adapter& adapter_;
  JobWaits& waits_;
  PagingWindows* windows_ = nullptr;
  AperturePages* pages_ = nullptr;
  std::optional<PagingScene> scene_;
  std::shared_ptr<LeftBuffers> shown_ = std::make_shared<LeftBuffers>();  // and free
  std::shared_ptr<LeftPrivateData> left_private_data_ = std::make_shared<LeftPrivateData>();
  std::vector<AperturePlace> kept_;  // pages that show nothing yet, the next to be taken last
  bool mapping_ = false;             // what maps one of them is being built
};

}  // namespace wddm::host
