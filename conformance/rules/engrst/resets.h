// What the clauses of resets have in common: which call of ResetEngine succeeded, and where the
// engine worked.
#pragma once

#include "conformance/rules/rule.h"
#include "conformance/sdk/device.h"

namespace wddm::engrst {

[[nodiscard]] inline bool succeeded(std::uint32_t status) {
  return (status & 0x80000000u) == 0;
}

/// The engine did something with a packet then.
[[nodiscard]] inline bool is_work(const ev::DeviceLogged& record) {
  return record.kind == WDDM_DEVICE_PACKET_BEGIN || record.kind == WDDM_DEVICE_FETCH ||
         record.kind == WDDM_DEVICE_WALK || record.kind == WDDM_DEVICE_PACKET_END;
}

/// Commands reach the GPU, and the driver resets engines.
[[nodiscard]] inline NotApplicable engine_resets(const Platform& platform) {
  if (const NotApplicable reason = running_commands(platform)) return reason;
  if (const NotApplicable reason = needs(platform, DdiId::PreemptCommand)) return reason;
  if (!platform.wddm1_2()) return "older than WDDM 1.2: no engine is reset by itself";
  return needs(platform, DdiId::ResetEngine);
}
/// ... and the device says what engines do.
[[nodiscard]] inline NotApplicable logged_engine_resets(const Platform& platform) {
  if (const NotApplicable reason = engine_resets(platform)) return reason;
  return platform.has_device_log ? nullptr : "no device log";
}

/// Commands reach the GPU, and the driver resets the adapter as a whole.
[[nodiscard]] inline NotApplicable adapter_resets(const Platform& platform) {
  if (const NotApplicable reason = running_commands(platform)) return reason;
  if (const NotApplicable reason = needs(platform, DdiId::PreemptCommand)) return reason;
  return needs(platform, DdiId::ResetFromTimeout);
}

}  // namespace wddm::engrst
