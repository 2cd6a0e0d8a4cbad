// What Render makes of an input that nobody changes meanwhile: the measure for a call that was
// raced.
//
// A driver may read its input more than once, if it judges what it uses. So a changed word in the
// output is wrong only if the output is not that of the old input and the new input is refused.
#pragma once

#include "conformance/host/render/render_call.h"

namespace wddm::host {

struct RaceVerdict {
  bool as_before;  ///< the output is the one that the unchanged input gives
  bool refused;    ///< the changed input, there from the start, is refused
};

/// Calls Render twice more, on buffers that nobody uses: with `input` as it was and as `race` made
/// it. `made` is what the raced call left, of which `patches` elements are in its list.
[[nodiscard]] RaceVerdict judge_race(const RenderServices& services, const RenderRequest& request,
                                     const UserInput& input, const Op& race,
                                     const RenderBuffer& made, std::uint32_t multipass,
                                     std::uint32_t patch_capacity);

}  // namespace wddm::host
