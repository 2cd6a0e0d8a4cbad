// Packets of user mode that hold a command for kernel mode alone.
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

}  // namespace wddm::submit
