#include "conformance/host/vidsch/stopped_packets.h"

namespace wddm::host {

bool StoppedPackets::hold(const std::function<bool(const Packet&)>& passed) {
  bool any = false;
  packets_.for_each([&](Packet& packet) {
    packet.held |= passed(packet);
    any |= packet.held;
  });
  return any;
}

void StoppedPackets::let_go() {
  packets_.for_each([](Packet& packet) { packet.held = false; });
}

void StoppedPackets::moved(AllocationId allocation, const Residency& residency) {
  packets_.for_each([&](Packet& packet) {
    RenderWork* const work = packet.render();
    if (work == nullptr || !keeps(packet)) return;
    for (std::size_t entry = 0; entry < work->addresses.size(); ++entry) {
      if (work->buffer->allocations[entry] != allocation) continue;
      residency.write_address(allocation, work->addresses[entry]);
    }
  });
}

}  // namespace wddm::host
