// What contexts have asked for in DXGK_CONTEXTINFO, and whether a call of Render was given less.
// Windows gives what was asked for; scenarios give less, for a driver to run out of room. What has
// no room for one command may be refused then: no page names the status, nor says that a driver
// must take a buffer of any size.
#pragma once

#include <array>
#include <cstdint>

#include "conformance/rules/scratch.h"
#include "reference/trace/trace.h"

namespace wddm::render {

/// Whether pDmaBuffer and pPatchLocationListOut are where they may be after the call.
[[nodiscard]] inline bool cursors_are_inside(const ev::Rendered& call) {
  const auto is_inside = [](std::int64_t used, std::int64_t given) {
    return used >= 0 && used <= given;
  };
  return is_inside(call.dma_used, call.dma_given) &&
         is_inside(call.patches_used, call.patches_given);
}

/// Events are followed in their order: ContextCreated and RenderCalled; others are passed over.
/// Calls of several threads may be on their way at once: a Rendered belongs to the call of its
/// render.
class AskedByContexts {
 public:
  void follow(const Trace& trace, std::uint32_t index) {
    const Event& event = trace.events()[index];
    if (event.kind == EventKind::ContextCreated) {
      const auto created = trace.at<ev::ContextCreated>(index);
      asked_[created.context % kContexts] = {created.dma_bytes, created.patches};
    } else if (event.kind == EventKind::RenderCalled) {
      const auto called = Trace::as<ev::RenderCalled>(event);
      contexts_[called.render] = called.context;
    }
  }
  /// kNone of a call that was not followed. RenderCalled or Rendered, here and below.
  [[nodiscard]] std::uint32_t context_of(const auto& call) const {
    const auto context = contexts_.find(call.render);
    return context == contexts_.end() ? kNone : context->second;
  }
  /// Whether the call was given less than its context asked for, as far as that is known.
  [[nodiscard]] bool more_than(const auto& call) const {
    const std::uint32_t context = context_of(call);
    if (context == kNone) return false;
    const Room& room = asked_[context % kContexts];
    return call.dma_given < room.dma_bytes || call.patches_given < room.patches;
  }

 private:
  static constexpr std::uint32_t kContexts = 256;
  struct Room {
    std::uint32_t dma_bytes = 0, patches = 0;
  };
  std::array<Room, kContexts> asked_;
  ScratchMap<std::uint32_t, std::uint32_t> contexts_;  // by render
};

}  // namespace wddm::render
