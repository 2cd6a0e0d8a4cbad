// A call of Present on a DMA buffer, and what it says.
#pragma once

#include <cstdint>
#include <optional>
#include <vector>

#include "conformance/host/adapter/objects/objects.h"
#include "conformance/host/render/render_call.h"

namespace wddm::host {

/// What is to be presented, as far as the surfaces reach.
struct Presentation {
  struct Corner {
    std::uint32_t left = 0, top = 0;  ///< texels
  };
  ContextId context{};
  AllocationId destination{};
  std::optional<AllocationId> source{};  ///< none: the rectangles are filled
  std::uint32_t rects = 0;               ///< sub-rectangles; 0: one, of all
  Corner to{}, from{};
  std::uint32_t color = 0;
};

/// What the calls of one Present say, in every pass the same.
struct PresentCall {
  Presentation what;
  RECT to{}, from{};          ///< DstRect, SrcRect
  std::vector<RECT> rects{};  ///< pDstSubRects, of which there are some
};

/// Returns what the driver does. `list` has the source and the destination where Present looks for
/// them, `capacity` elements of the patch-location list are given.
[[nodiscard]] NTSTATUS call_present(const ContextObject& context, const PresentCall& call,
                                    DXGK_ALLOCATIONLIST* list, RenderBuffer& buffer, UINT capacity,
                                    RenderCursors& cursors);

}  // namespace wddm::host
