// The shadow of memory, and the numbers of the system pages in it. Kept from run to run, because
// making a shadow costs more than most scenarios do: where only sizes of segments differ, those are
// all that changes.
#pragma once

#include <cstdint>
#include <vector>

#include "conformance/host/memory/frame_index.h"
#include "conformance/host/vidmm/residency_in_effect.h"
#include "reference/gpu/shadow_memory.h"

namespace wddm::host {

class KeptShadow {
 public:
  [[nodiscard]] gpu::ShadowMemory& shadow() { return shadow_; }
  [[nodiscard]] memory::FrameIndex& frames() { return frames_; }

  /// Nothing is predicted but that segments in `poisoned` (bit n is segment n + 1) hold
  /// memory::kUnusedWord throughout; no frame has a number.
  void clear(const Residency& residency, std::uint32_t poisoned);

 private:
  struct Shape {
    bool aperture;
    std::uint32_t first;  // page
    std::uint32_t pages;  // the end of those behind it
  };
  void make(std::vector<Shape> shapes);

  gpu::ShadowMemory shadow_;
  memory::FrameIndex frames_;
  std::vector<Shape> shapes_;
  bool made_ = false;
};

/// That of the process.
[[nodiscard]] KeptShadow& kept_shadow();

}  // namespace wddm::host
