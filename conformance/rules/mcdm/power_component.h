// What a driver says of one of its power components.
#pragma once

#include <cstring>
#include <optional>

#include "conformance/rules/rule.h"

namespace wddm {

/// Of a PowerComponentAnswered; nothing where it failed, or there is no such component.
[[nodiscard]] inline std::optional<DXGK_POWER_RUNTIME_COMPONENT> power_component_in(
    const Trace& trace, std::uint32_t index) {
  const auto answered = trace.at<ev::PowerComponentAnswered>(index);
  const auto bytes = trace.blob<std::uint8_t>(trace.events()[index]);
  DXGK_POWER_RUNTIME_COMPONENT component;
  if (answered.component >= answered.count || bytes.size() < sizeof(component) ||
      !NT_SUCCESS(static_cast<NTSTATUS>(answered.status))) {
    return std::nullopt;
  }
  std::memcpy(&component, bytes.data(), sizeof(component));
  return component;
}

}  // namespace wddm
