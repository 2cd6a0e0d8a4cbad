#include "conformance/harness/wire.h"

#include <nlohmann/json.hpp>

// Found by argument-dependent lookup, so these stand in the namespaces of their types.
namespace wddm {

NLOHMANN_DEFINE_TYPE_NON_INTRUSIVE(SchedulingCaps, value)
NLOHMANN_DEFINE_TYPE_NON_INTRUSIVE(SegmentFlags, value)
NLOHMANN_DEFINE_TYPE_NON_INTRUSIVE(PlatformSegment, base, size, commit_limit, flags)
NLOHMANN_DEFINE_TYPE_NON_INTRUSIVE(Platform, started, has_caps, has_device, has_device_log,
                                   has_scramble, has_client, has_decoder, patch_list_model,
                                   virtual_addressing, interface_version, wddm_version, slots,
                                   nodes, scheduling, segments)

}  // namespace wddm

namespace wddm::harness {

NLOHMANN_DEFINE_TYPE_NON_INTRUSIVE(Failure, id, event, op, line, more, op_text, expected, seen,
                                   chain)
NLOHMANN_DEFINE_TYPE_NON_INTRUSIVE(RuleOutcome, not_applicable, reached)
NLOHMANN_DEFINE_TYPE_NON_INTRUSIVE(TraceLine, op, notable, text)
NLOHMANN_DEFINE_TYPE_NON_INTRUSIVE(Judged, done, scribbled, truncated, ended, bug_checked, hung,
                                   crashed, version_refused, stopped, start_trouble, platform,
                                   rules, failures, harness, events, trace)

std::string to_wire(const Judged& judged) {
  // Reasons and texts of rules could hold any bytes; a report must not fail on them.
  return nlohmann::json(judged).dump(-1, ' ', false, nlohmann::json::error_handler_t::replace);
}

bool from_wire(std::string_view bytes, Judged& judged) {
  const nlohmann::json parsed = nlohmann::json::parse(bytes, nullptr, false);
  if (parsed.is_discarded()) return false;
  try {
    parsed.get_to(judged);
  } catch (const nlohmann::json::exception&) {
    return false;
  }
  return true;
}

}  // namespace wddm::harness
