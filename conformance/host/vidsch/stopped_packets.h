// Packets that were preempted and wait while others go on.
#pragma once

#include <functional>

#include "conformance/host/boundary/scenario_choices.h"
#include "conformance/host/vidmm/residency_in_effect.h"
#include "conformance/host/vidsch/packet_table.h"

namespace wddm::host {

class StoppedPackets {
 public:
  StoppedPackets(PacketTable& packets, const Choices& choices)
      : packets_(packets), choices_(choices) {}

  /// Whether it is one of them: because the scenario wants it, or because it is held.
  [[nodiscard]] bool keeps(const Packet& packet) const {
    return packet.stopped && (packet.held || choices_.keep_stopped);
  }
  /// Those among them that `passed` says are kept until let_go(), whatever the scenario wants.
  /// Whether there are any.
  bool hold(const std::function<bool(const Packet&)>& passed);
  void let_go();
  /// What they use lies elsewhere now: their buffers are patched anew.
  void moved(AllocationId allocation, const Residency& residency);

 private:
  PacketTable& packets_;
  const Choices& choices_;
};

}  // namespace wddm::host
