// MCDM-006: a device without connectors is not asked what has changed on them, whether or not its
// driver could answer.

#include "conformance/rules/mcdm/compute_only.h"

namespace wddm::mcdm_006 {
namespace {

void check(const Trace& trace, const Platform&, Judgement& judgement) {
  std::uint32_t started = kNone;  // DeviceStarted without children
  bool starting = false;
  for (const std::uint32_t index : trace.of_any<ev::DeviceStarted, ev::DdiEntered, ev::Running,
                                                ev::PowerChanged, ev::MappingBalance>()) {
    const Event& event = trace.events()[index];
    if (event.kind == EventKind::DeviceStarted) {
      const auto said = Trace::as<ev::DeviceStarted>(event);
      const bool good = NT_SUCCESS(static_cast<NTSTATUS>(said.status));
      started = good && said.children == 0 ? index : kNone;
      starting = true;
    } else if (event.kind == EventKind::DdiEntered) {
      const auto entered = Trace::as<ev::DdiEntered>(event);
      if (entered.ddi != static_cast<std::uint32_t>(DdiId::QueryConnectionChange)) continue;
      if (started == kNone) continue;
      judgement.fail(index, "no QueryConnectionChange of a device that has no children",
                     "it is called", {started});
    } else if (started != kNone && !(event.kind == EventKind::MappingBalance && starting)) {
      judgement.reached(index);
    }
    if (event.kind == EventKind::Running) starting = false;
  }
}

const Rule kRule{
    .id = "MCDM-006",
    .title = "QueryConnectionChange may be NULL or supplied, and is not called",
    .binds = Binds::Os,
    .rule =
        "An adapter that only computes and has no children runs whether or not its driver supplies "
        "QueryConnectionChange, and the function is not called.",
    .sources =
        "mcdm-implementation-guidelines.md # Minimum required support\n"
        "mcdm-implementation-guidelines.md # Prohibited functions\n"
        "nc-d3dkmddi-dxgkddi_queryconnectionchange.md # description",
    .note =
        "The function is in the list of what such drivers must have and in that of what they must "
        "not. A call follows a report by DxgkCbIndicateConnectorChange or from "
        "SetTimingsFromVidPn: without connectors there is neither, so that both lists are kept by "
        "either choice. That an entry which is NULL is not called is MCDM-009.",
    .applies = compute::only,
    .check = check,
    .played_in = {Configured::ComputeOnly, Configured::Managed},
    .scenario = R"(
about: the adapter starts, idles, goes through a power cycle and stops
ops:
- start
- idle
- power_cycle
- stop
)",
    .control = R"(
about: it starts again
ops:
- start
- stop
- start
)",
    .fault = {.about = "connectors are asked about once the adapter runs",
              .seat = FaultSeat::Oracle,
              .oracle = OracleFault::PollConnectors}};

WDDM_RULE(kRule);

}  // namespace
}  // namespace wddm::mcdm_006
