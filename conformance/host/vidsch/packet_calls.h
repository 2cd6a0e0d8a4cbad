// Patch, SubmitCommand and PreemptCommand: their arguments from a packet, and what came of them as
// events. Nothing is kept between calls.
#pragma once

#include <cstdint>
#include <vector>

#include "conformance/host/adapter/objects.h"
#include "conformance/host/boundary/scenario_choices.h"
#include "conformance/host/vidmm/residency_in_effect.h"
#include "conformance/host/vidsch/queued_packet.h"
#include "reference/vidsch/decision.h"

namespace wddm::host {

/// `list`: the allocation list with the addresses that hold now; empty for paging. `round` counts
/// the calls for one submission.
void call_patch(const Adapter& adapter, const Objects& objects, const Packet& packet,
                const std::vector<DXGK_ALLOCATIONLIST>& list, std::uint32_t round);
/// The packet may end, and be gone, before this returns.
void call_submit(const Adapter& adapter, const Objects& objects, const Packet& packet);
/// `outstanding`: packets on the engine.
void call_preempt(const Adapter& adapter, const vidsch::Preempt& decision,
                  std::uint32_t outstanding);

/// Patches a packet as the scenario chose: once, not at all, or at other addresses first and then
/// compared with a fresh copy.
void patch_packet(const Adapter& adapter, const Objects& objects, const Residency& residency,
                  const Choices& choices, const Packet& packet);

}  // namespace wddm::host
