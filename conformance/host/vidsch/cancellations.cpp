// Packets of devices in error: those in the software queue end here, with CancelCommand.
#include "conformance/host/boundary/decision_seat.h"
#include "conformance/host/vidsch/cancel_call.h"
#include "conformance/host/vidsch/vidsch_worker.h"

namespace wddm::host {

// Not where they are cancelled: that may be inside of DxgkCbNotifyDpc, and the call is made at
// PASSIVE_LEVEL.
void VidSchWorker::cancel_packets() {
  const auto call = [this](const Packet& packet) {
    if (!wants_cancel_command(adapter_) || !objects_.context(packet.context()).live) return;
    call_cancel_command(adapter_, objects_, packet, scheduler_->ledger(packet.engine));
  };
  while (!cancelled_.empty()) {
    const PacketTable::Node node = std::move(cancelled_.front());
    cancelled_.pop_front();
    const Packet& packet = node.mapped();
    call(packet);
    if (!decisions().cancels_what_is_submitted()) continue;
    for (const auto& [id, other] : packets_.all()) {
      if (other.context() == packet.context() && other.submissions != 0) call(other);
    }
  }
}

}  // namespace wddm::host
