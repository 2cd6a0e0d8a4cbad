// Drivers that CancelCommand is called of.
#pragma once

#include "conformance/rules/rule.h"

namespace wddm::submit {

/// Commands reach the GPU, a device can come into error while others wait, and the driver wants to
/// be told of what is cancelled then.
[[nodiscard]] inline NotApplicable cancelling(const Platform& platform) {
  if (const NotApplicable reason = running_commands(platform)) return reason;
  if (const NotApplicable reason = needs(platform, DdiId::PreemptCommand)) return reason;
  if (!platform.scheduling.cancel_command_aware()) return "CancelCommandAware is 0";
  return needs(platform, DdiId::CancelCommand);
}

}  // namespace wddm::submit
