// The Presents of a trace. Their calls and buffers are told like those of Render, by its events:
// what is said there of cursors, lists, split points and patching holds for them too.
#pragma once

#include <cstdint>

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

/// With GPU virtual addresses this host presents nothing.
[[nodiscard]] inline NotApplicable presenting(const Platform& platform) {
  if (const NotApplicable reason = patch_lists(platform)) return reason;
  return needs(platform, DdiId::Present);
}

}  // namespace wddm::present
