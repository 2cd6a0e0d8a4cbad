// To whom clauses on devices that only compute apply, and what their checks share.
#pragma once

#include "conformance/rules/caps/answered_caps.h"
#include "conformance/rules/rule.h"

namespace wddm::compute {

inline NotApplicable only(const Platform& platform) {
  if (const NotApplicable reason = needs_caps(platform)) return reason;
  return platform.compute_only ? nullptr : "not a device that only computes: no ComputeOnly";
}

/// Names of what is wrong, as a verdict lists them.
class Listed {
 public:
  void add(bool wrong, const char* name) {
    if (!wrong) return;
    if (!names_.empty()) names_ += ", ";
    names_ += name;
  }
  [[nodiscard]] const std::string& names() const { return names_; }
  [[nodiscard]] bool empty() const { return names_.empty(); }

 private:
  std::string names_;
};

/// Calls `list(caps, listed)` for every answer that counts, and fails with what it names.
template <class List>
void judge_caps(const Trace& trace, Judgement& judgement, const char* expected, List list) {
  for (const std::uint32_t index : trace.of<ev::CapsAnswered>()) {
    DXGK_DRIVERCAPS caps;
    if (!answers::over_zeros(trace, index) || !answers::caps_of(trace, index, caps)) continue;
    judgement.reached(index);
    Listed listed;
    list(caps, listed);
    if (!listed.empty()) judgement.fail(index, expected, listed.names());
  }
}

inline constexpr ConfigurationSet kPlayedIn{Configured::ComputeOnly};

}  // namespace wddm::compute
