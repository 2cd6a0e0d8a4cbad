// Which pages of the apertures show DMA buffers and paging buffers.
//
// Models specifying-segments-for-dma-buffers.md. A buffer may lie in any aperture of its set. It is
// kept away from allocations: first come the pages of a segment that VidMm does not use for them (a
// scenario may limit those), then the highest that are free.
#pragma once

#include <cstdint>
#include <memory>
#include <optional>
#include <vector>

#include "conformance/host/vidmm/aperture_place.h"
#include "conformance/host/vidmm/residency_in_effect.h"
#include "reference/vidmm/placement.h"

namespace wddm::host {

class AperturePages {
 public:
  AperturePages(const Adapter& adapter, Residency& residency)
      : adapter_(adapter), residency_(residency) {}

  /// The adapter runs: its apertures show no buffer. What was left before goes.
  void begin();
  /// Pages for so many bytes in an aperture of the set; nothing: there is no room.
  [[nodiscard]] std::optional<ApertureWindow> take(std::uint32_t segment_set, std::uint64_t bytes);
  void give_back(const AperturePlace& place);
  /// Whether there is one that take_left() would give.
  [[nodiscard]] bool has_left() const { return !left_->empty(); }
  /// The buffers that were left since the last call.
  [[nodiscard]] LeftBuffers take_left();

 private:
  /// Pages of a segment behind those that VidMm uses.
  struct Behind {
    SegmentId segment;
    std::uint32_t first = 0;
    vidmm::Placement placed;
  };
  [[nodiscard]] std::optional<std::uint32_t> take_behind(SegmentId segment, std::uint32_t pages);
  [[nodiscard]] std::optional<std::uint32_t> take_highest(SegmentId segment, std::uint32_t pages);

  const Adapter& adapter_;
  Residency& residency_;
  std::vector<Behind> behind_;
  std::shared_ptr<LeftBuffers> left_ = std::make_shared<LeftBuffers>();
};

}  // namespace wddm::host
