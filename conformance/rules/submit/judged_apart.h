// Buffers of which memory says nothing of how their addresses were translated.
#pragma once

#include "conformance/rules/scratch.h"
#include "reference/trace/trace.h"

namespace wddm::submit {

/// PrivilegedBuilt, by render. Of what such a buffer leaves no command that it may have speaks.
[[nodiscard]] inline ScratchMap<std::uint32_t, std::uint32_t> privileged_renders(
    const Trace& trace) {
  ScratchMap<std::uint32_t, std::uint32_t> renders;
  for (const std::uint32_t index : trace.of<ev::PrivilegedBuilt>()) {
    renders.try_emplace(trace.at<ev::PrivilegedBuilt>(index).render, index);
  }
  return renders;
}

/// Those that hold a command for kernel mode alone (PROC-010), and those that count on the state of
/// their context (CTX-015, CTX-014).
[[nodiscard]] inline ScratchSet<std::uint32_t> judged_apart(const Trace& trace) {
  ScratchSet<std::uint32_t> renders;
  for (const auto& [render, built] : privileged_renders(trace)) renders.insert(render);
  for (const std::uint32_t index : trace.of<ev::StateCountedOn>()) {
    renders.insert(trace.at<ev::StateCountedOn>(index).render);
  }
  return renders;
}

}  // namespace wddm::submit
