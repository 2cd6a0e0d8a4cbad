// What each op of op.def does, one function for each, by the op's name. Those of a domain lie in
// one file, <domain>_ops.cpp; an op without a function does not link.
//
// When one is called the op is canonical. If it needs a running adapter there is one, and what its
// fields name exists, but for what the op makes or ends.
#pragma once

#include "conformance/host/run/scenario_run.h"
#include "reference/trace/op.h"
#include "reference/types.h"

namespace wddm::host::ops {

/// What a field of shape Node names: an engine of GPU 0.
[[nodiscard]] constexpr EngineId engine_at(std::uint32_t node) {
  return {.node = NodeId{node}};
}

/// ... of the GPU of the link that the scenario has chosen.
[[nodiscard]] inline EngineId chosen_engine(ScenarioRun& run, std::uint32_t node) {
  return {.node = NodeId{node}, .physical_adapter = run.world().choices.physical_adapter};
}

#define OP(number, type, yaml, ...) void yaml(ScenarioRun& run, const Op& op);
#include "reference/trace/op.def"
#undef OP

}  // namespace wddm::host::ops
