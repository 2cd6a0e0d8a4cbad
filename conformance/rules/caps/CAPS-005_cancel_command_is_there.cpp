// CAPS-005: who is CancelCommandAware has CancelCommand.

#include "conformance/rules/life/filled_entries.h"

namespace wddm::caps_005 {
namespace {

void check(const Trace& trace, const Platform& platform, Judgement& judgement) {
  for (const std::uint32_t index : trace.of<ev::CapsReported>()) {
    const auto reported = trace.at<ev::CapsReported>(index);
    const SchedulingCaps caps{reported.scheduling};
    if (reported.status != 0 || !caps.cancel_command_aware()) continue;
    judgement.reached(index);
    if (platform.has(DdiId::CancelCommand)) continue;
    judgement.fail(index, "DxgkDdiCancelCommand where CancelCommandAware (bit 4) is set",
                   "the entry is NULL");
  }
}

void forget(DRIVER_INITIALIZATION_DATA& table) {
  table.DxgkDdiCancelCommand = nullptr;
}

const Rule kRule{.id = "CAPS-005",
                 .title = "CancelCommandAware needs the entry point",
                 .rule =
                     "SchedulingCaps.CancelCommandAware (bit 4) is set only where "
                     "DxgkDdiCancelCommand is there.",
                 .sources =
                     "ns-d3dkmddi-_dxgk_vidschcaps.md # CancelCommandAware\n"
                     "nc-d3dkmddi-dxgkddi_cancelcommand.md # Remarks",
                 .note = "That it needs MultiEngineAware too is CAPS-001.",
                 .unreached = "CancelCommandAware is 0",
                 .applies = needs_caps,
                 .check = check,
                 .played_in = kBothAddressings,
                 .scenario = R"(
about: the adapter starts
ops:
- start
)",
                 .control = R"(
about: asked again
ops:
- requery
)",
                 .fault = {.about = "CancelCommand is NULL, and CancelCommandAware set",
                           .interposer = entries::alters_table<forget>}};

WDDM_RULE(kRule);

}  // namespace
}  // namespace wddm::caps_005
