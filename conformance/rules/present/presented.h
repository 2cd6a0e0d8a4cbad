// The Presents of a trace. Their calls and buffers are told like those of Render, by its events:
// what is said there of cursors, lists, split points and patching holds for them too.
#pragma once

#include <d3dkmddi.h>

#include <algorithm>
#include <cstdint>

#include "conformance/rules/fails_on_purpose.h"
#include "conformance/rules/rule.h"
#include "conformance/rules/scratch.h"
#include "reference/trace/ddi.h"

namespace wddm::present {

/// PresentAsked, by the ordinal that its calls and buffers have among renders.
[[nodiscard]] inline ScratchMap<std::uint32_t, std::uint32_t> presents_of(const Trace& trace) {
  ScratchMap<std::uint32_t, std::uint32_t> presents;
  for (const std::uint32_t index : trace.of<ev::PresentAsked>()) {
    presents[trace.at<ev::PresentAsked>(index).render] = index;
  }
  return presents;
}

[[nodiscard]] inline bool is_blt(const ev::PresentAsked& asked) {
  return asked.source != kNone;
}

/// Whether the driver has ever listed a destination where it copied, or filled: one whose commands
/// name surfaces otherwise than by addresses has nothing to be patched.
class Operations {
 public:
  explicit Operations(const Trace& trace) {
    const auto presents = presents_of(trace);
    for (const std::uint32_t index : trace.of<ev::Rendered>()) {
      const auto found = presents.find(trace.at<ev::Rendered>(index).render);
      if (found == presents.end()) continue;
      for (const PatchRecord& element : trace.blob<PatchRecord>(trace.events()[index])) {
        if (element.allocation_index != DXGK_PRESENT_DESTINATION_INDEX) continue;
        (is_blt(trace.at<ev::PresentAsked>(found->second)) ? copies_ : fills_) = true;
      }
    }
  }
  [[nodiscard]] bool carries_out(const ev::PresentAsked& asked) const {
    return is_blt(asked) ? copies_ : fills_;
  }

 private:
  bool copies_ = false, fills_ = false;
};

/// Whether calls are made to fail that Present may have called.
[[nodiscard]] inline bool fails_somewhere(const Trace& trace) {
  const auto ops = trace.of<ev::OpStarted>();
  return std::any_of(ops.begin(), ops.end(), [&](std::uint32_t index) {
    return fails_on_purpose(trace.at<ev::OpStarted>(index).kind);
  });
}

/// With GPU virtual addresses this host presents nothing.
[[nodiscard]] inline NotApplicable presenting(const Platform& platform) {
  if (const NotApplicable reason = rendering(platform)) return reason;
  if (const NotApplicable reason = needs(platform, DdiId::Present)) return reason;
  if (platform.has_virtual_addresses()) {
    return "no document says how Present is told the GPU virtual addresses of its surfaces";
  }
  return patch_lists(platform);
}

}  // namespace wddm::present
