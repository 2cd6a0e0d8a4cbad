// PreemptCommand: its arguments from a decision, and what came of it as an event.
#pragma once

#include <cstdint>

#include "conformance/host/adapter/adapter.h"
#include "reference/vidsch/decision.h"

namespace wddm::host {

/// `outstanding`: packets on the engine.
void call_preempt(const Adapter& adapter, const vidsch::Preempt& decision,
                  std::uint32_t outstanding);

}  // namespace wddm::host
