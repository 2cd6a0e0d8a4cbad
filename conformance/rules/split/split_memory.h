// Which split buffers memory evidence speaks of: how each buffer was submitted, and whether other
// contexts ran on its engine between its portions.
#pragma once

#include <cstdint>

#include "conformance/rules/scratch.h"
#include "conformance/rules/submit/silent_engines.h"
#include "reference/trace/trace.h"

namespace wddm::split {

struct Submission {
  std::uint32_t portions = 0;  ///< first submissions
  bool split = false;          ///< some of them begins inside its buffer: not each a pass of Render
  bool again = false;          ///< some portion was preempted and submitted again
  bool interleaved = false;    ///< another context's packet ran between two portions
  std::uint32_t last_packet = kNone;
  std::uint32_t last_event = kNone;  ///< Submitted
};

/// By the ordinal of the Render op.
[[nodiscard]] inline ScratchMap<std::uint32_t, Submission> submissions_of(const Trace& trace) {
  ScratchMap<std::uint32_t, Submission> buffers;
  ScratchMap<EngineId, std::uint32_t> latest;  // context of the last render packet
  for (const std::uint32_t index : trace.of<ev::Submitted>()) {
    const auto submitted = trace.at<ev::Submitted>(index);
    if (submitted.paging != 0) continue;
    Submission& buffer = buffers[submitted.render];
    buffer.split |= submitted.start != 0;
    const auto before = latest.find(engine_of(submitted));
    if (submitted.again != 0) {
      buffer.again = true;
    } else {
      ++buffer.portions;
    }
    if (buffer.last_packet != kNone && before != latest.end() &&
        before->second != submitted.context) {
      buffer.interleaved = true;
    }
    buffer.last_packet = submitted.packet;
    buffer.last_event = index;
    latest[engine_of(submitted)] = submitted.context;
  }
  return buffers;
}

/// Calls `visit(event, const Submission&, differs)` for each comparison of memory right after the
/// last portion of a split buffer that ran in one go: `differs` is the first difference, or kNone.
template <class Visit>
void for_each_split_result(const Trace& trace, Visit&& visit) {
  const auto buffers = submissions_of(trace);
  ScratchMap<std::uint32_t, const Submission*> by_last_packet;
  for (const auto& [render, buffer] : buffers) {
    if (buffer.split && !buffer.again) by_last_packet[buffer.last_packet] = &buffer;
  }
  const auto differences = trace.of<ev::MemoryDiffers>();
  std::size_t next = 0;
  for (const std::uint32_t index : trace.of<ev::MemoryChecked>()) {
    const auto checked = trace.at<ev::MemoryChecked>(index);
    while (next < differences.size() && differences[next] < index) ++next;
    if (checked.cause != static_cast<std::uint32_t>(MemoryCause::Render)) continue;
    const auto found = by_last_packet.find(checked.object);
    if (found == by_last_packet.end()) continue;
    if (submit::memory_says_nothing(trace, checked.object, index)) continue;
    const bool differs = checked.differences != 0 && next < differences.size();
    visit(index, *found->second, differs ? differences[next] : kNone);
  }
}

}  // namespace wddm::split
