// Submissions that are to run nothing: those with NullRendering.
#pragma once

#include "conformance/rules/rule.h"
#include "reference/trace/ddi.h"

namespace wddm::submit {

/// Of the call that begins at the event, a DdiEntered.
[[nodiscard]] inline bool runs_nothing(const Trace& trace, std::uint32_t index) {
  constexpr std::uint32_t kNullRendering = 0x8;
  const Event& event = trace.events()[index];
  if (event.kind != EventKind::DdiEntered) return false;
  const std::uint32_t ddi = Trace::as<ev::DdiEntered>(event).ddi;
  std::uint32_t flags = 0;
  if (ddi == static_cast<std::uint32_t>(DdiId::SubmitCommand)) {
    const auto call = trace.blob<ddi_arguments::SubmitCommand>(event);
    if (!call.empty()) flags = call.front().flags;
  } else if (ddi == static_cast<std::uint32_t>(DdiId::SubmitCommandVirtual)) {
    const auto call = trace.blob<ddi_arguments::SubmitCommandVirtual>(event);
    if (!call.empty()) flags = call.front().flags;
  }
  return (flags & kNullRendering) != 0;
}

}  // namespace wddm::submit
