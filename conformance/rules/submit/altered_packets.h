// Packets of buffers that user mode built for GPU virtual addresses, with commands that it altered.
#pragma once

#include "conformance/rules/scratch.h"
#include "reference/trace/trace.h"

namespace wddm::submit {

/// No driver has looked at those commands: they do what the GPU lets them.
[[nodiscard]] inline ScratchSet<std::uint32_t> altered_packets(const Trace& trace) {
  ScratchSet<std::uint32_t> altered;
  for (const std::uint32_t index : trace.of<ev::PrivateDataGiven>()) {
    const auto given = trace.at<ev::PrivateDataGiven>(index);
    if (given.commands_hostile != 0) altered.insert(given.packet);
  }
  return altered;
}

}  // namespace wddm::submit
