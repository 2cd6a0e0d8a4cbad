// CAPS-010: who resets single engines has the entry points for it.

#include "conformance/rules/caps/answered_caps.h"
#include "conformance/rules/life/filled_entries.h"

namespace wddm::caps_010 {
namespace {

constexpr DdiId kOfEngines[] = {DdiId::QueryDependentEngineGroup, DdiId::QueryEngineStatus,
                                DdiId::ResetEngine};
constexpr DdiId kOfAdapters[] = {DdiId::ResetFromTimeout, DdiId::RestartFromTimeout};

void check(const Trace& trace, const Platform& platform, Judgement& judgement) {
  for (const std::uint32_t index : trace.of<ev::CapsReported>()) {
    const auto reported = trace.at<ev::CapsReported>(index);
    if (reported.status != 0) continue;
    judgement.reached(index);
    std::string missing;
    const auto look = [&](DdiId ddi) {
      if (platform.has(ddi)) return;
      if (!missing.empty()) missing += ", ";
      missing += ddi_name(static_cast<std::uint32_t>(ddi));
    };
    for (const DdiId ddi : kOfAdapters) look(ddi);
    if (reported.engine_resets != 0) {
      for (const DdiId ddi : kOfEngines) look(ddi);
    }
    if (missing.empty()) continue;
    judgement.fail(index,
                   "ResetFromTimeout and RestartFromTimeout, and with SupportPerEngineTDR "
                   "QueryDependentEngineGroup, QueryEngineStatus and ResetEngine",
                   "NULL: " + missing);
  }
}

void forget(DRIVER_INITIALIZATION_DATA& table) {
  table.DxgkDdiQueryDependentEngineGroup = nullptr;
}

const Rule kRule{
    .id = "CAPS-010",
    .title = "SupportPerEngineTDR needs all engine-reset entry points",
    .rule =
        "With SupportPerEngineTDR a driver has DxgkDdiQueryDependentEngineGroup, "
        "DxgkDdiQueryEngineStatus and DxgkDdiResetEngine; DxgkDdiResetFromTimeout and "
        "DxgkDdiRestartFromTimeout it has in any case.",
    .sources =
        "ns-d3dkmddi-_dxgk_drivercaps.md # SupportPerEngineTDR\n"
        "tdr-changes-in-windows-8.md # TDR device driver interface, Special cases",
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
    .fault = {.about = "QueryDependentEngineGroup is NULL, and SupportPerEngineTDR set",
              .interposer = entries::alters_table<forget>}};

WDDM_RULE(kRule);

}  // namespace
}  // namespace wddm::caps_010
