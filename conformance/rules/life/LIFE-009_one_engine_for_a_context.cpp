// LIFE-009: CreateContext names a node that there is, and one engine by one bit.

#include <bit>
#include <cstring>

#include "conformance/rules/rule.h"

namespace wddm::life_009 {
namespace {

void check(const Trace& trace, const Platform& platform, Judgement& judgement) {
  const std::uint32_t engines = platform.linked_adapters == 0 ? 1 : platform.linked_adapters;
  for (const std::uint32_t index : trace.of<ev::DdiEntered>()) {
    const auto entered = trace.at<ev::DdiEntered>(index);
    if (entered.ddi != static_cast<std::uint32_t>(DdiId::CreateContext)) continue;
    const auto held = trace.blob<ddi_arguments::CreateContext>(trace.events()[index]);
    if (held.empty()) continue;
    judgement.reached(index);
    const ddi_arguments::CreateContext& create = held.front();
    if (create.node >= platform.nodes) {
      judgement.fail(index, "a NodeOrdinal below " + std::to_string(platform.nodes),
                     std::to_string(create.node));
    }
    const bool one = std::has_single_bit(create.engines);
    if (one && static_cast<std::uint32_t>(std::countr_zero(create.engines)) < engines) continue;
    judgement.fail(index,
                   "an EngineAffinity of one bit, of " + std::to_string(engines) + " engines",
                   std::to_string(create.engines));
  }
}

NotApplicable multi_engine(const Platform& platform) {
  if (const NotApplicable reason = needs_caps(platform)) return reason;
  if (!platform.started) return "the adapter does not start";
  if (platform.nodes == 0) return "the driver reports no nodes";
  if (!platform.scheduling.multi_engine_aware()) return "no MultiEngineAware";
  return needs(platform, DdiId::CreateContext);
}

const Rule kRule{
    .id = "LIFE-009",
    .title = "Context creation names one engine and a valid node",
    .binds = Binds::Os,
    .rule =
        "NodeOrdinal of CreateContext is below NbAsymetricProcessingNodes, and EngineAffinity has "
        "exactly one bit, that of an adapter of the link.",
    .sources =
        "tdr-changes-in-windows-8.md # Engine ordinal value at context creation\n"
        "ns-d3dkmddi-_dxgkarg_createcontext.md # EngineAffinity",
    .applies = multi_engine,
    .check = check,
    .played_in = kBothAddressings | ConfigurationSet{Configured::Linked},
    .scenario = R"(
about: contexts on two nodes, and on the second adapter of a link
ops:
- create_context: {context: 0}
# What there is not is skipped.
- create_context: {context: 1, node: 1}
- physical_adapter: {index: 1}
- create_context: {context: 2}
)",
    .control = R"(
about: two contexts on one node
ops:
- create_context: {context: 0}
- create_context: {context: 1}
)",
    .fault = {.about = "EngineAffinity is the ordinal of the engine",
              .seat = FaultSeat::Oracle,
              .oracle = OracleFault::AffinityIsOrdinal}};

WDDM_RULE(kRule);

}  // namespace
}  // namespace wddm::life_009
