// DxgkDdiCancelCommand: what the driver keeps of a packet that will not be submitted any more.
#pragma once

#include "conformance/host/adapter/objects/objects.h"
#include "conformance/host/vidsch/queued_packet.h"
#include "reference/vidsch/fence_ledger.h"

namespace wddm::host {

/// Whether the driver wants to be called.
[[nodiscard]] bool wants_cancel_command(const Adapter& adapter);
/// A packet of a context that is still there, not of paging. `ledger`: of its engine.
void call_cancel_command(Adapter& adapter, const Objects& objects, const Packet& packet,
                         const vidsch::FenceLedger& ledger);

}  // namespace wddm::host
