// Where pages of an aperture lead: to pages of allocations, to system pages that a scenario maps
// itself, to buffers of commands, to the dummy page.
#pragma once

#include <cstdint>

#include "conformance/host/memory/frame_index.h"
#include "conformance/host/vidmm/paging/paging_effect.h"
#include "conformance/host/vidmm/residency_in_effect.h"
#include "reference/gpu/shadow_memory.h"

namespace wddm::host {

class PredictedApertures {
 public:
  PredictedApertures(gpu::ShadowMemory& shadow, memory::FrameIndex& frames,
                     const Residency& residency)
      : shadow_(shadow), frames_(frames), residency_(residency) {}

  /// Nothing is mapped; there is another dummy page than before.
  void begin();
  void end();
  [[nodiscard]] memory::Frame dummy_frame() const { return dummy_; }
  /// The adapter was without power: where unmapped pages lead is not known any more.
  void power_was_lost() { power_was_lost_ = true; }
  /// Whether it is known where the pages lead; of memory segments it always is.
  [[nodiscard]] bool leads_somewhere(PlaceInSegment first, std::uint32_t pages) const;

  /// They lead to the dummy page.
  void unmap(SegmentId segment, std::uint32_t page, std::uint32_t pages);
  /// What the pages hold is not followed where there are too many.
  void on(const MapEffect& effect);
  void on(const UnmapEffect& effect);
  void on(const BufferEffect& effect);
  /// Whether it is known what a transfer will come to: some of the pages that it writes, or reads
  /// meanwhile, may be one and the same.
  [[nodiscard]] bool settles(const TransferEffect& effect) const;
  /// What a transfer that does not was to write there, or has read there.
  void forget_at_dummy(const TransferEffect& effect);

 private:
  template <class Visit>
  void for_each_at_dummy(const TransferEffect& effect, Visit&& visit) const;

  gpu::ShadowMemory& shadow_;
  memory::FrameIndex& frames_;
  const Residency& residency_;
  memory::Frame dummy_ = 0;
  bool power_was_lost_ = false;
};

}  // namespace wddm::host
