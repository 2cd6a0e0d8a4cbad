// Present: rectangles of surfaces that Dxgkrnl itself has made, copied or filled by the GPU.
//
// The driver builds DMA buffers as Render does, of an allocation list in which the source is
// element 1 and the destination is element 2. They are patched, cut, submitted and reported like
// those of Render. What they are to do stands beside them as abstract commands, row by row, so that
// memory is predicted. Sources: DxgkDdiPresent # Remarks, DXGKARG_PRESENT. Left out: flips, color
// keys, stretching, rotation, and drivers with GPU virtual addresses, of whose allocation lists no
// page says enough.
#pragma once

#include <cstdint>

#include "conformance/host/addressing/addressing.h"
#include "conformance/host/render/present_call.h"

namespace wddm::host {

class Presents {
 public:
  Presents(const Objects& objects, const Addressing& addressing, VidMmWorker& vidmm)
      : objects_(objects), addressing_(addressing), vidmm_(vidmm) {}

  /// Presents as the `ordinal`th render and queues what the driver makes. Null, or why nothing was
  /// asked of it.
  [[nodiscard]] const char* run(const Presentation& what, std::uint32_t ordinal) const;

 private:
  /// Null, or why that cannot be presented.
  [[nodiscard]] const char* unfit(const Presentation& what) const;

  const Objects& objects_;
  const Addressing& addressing_;
  VidMmWorker& vidmm_;
};

}  // namespace wddm::host
