// Of the VidSch worker: asking for preemptions, and packets that come back and are kept while jobs of
// VidMm pass them.
#include "conformance/host/vidmm/residency_in_effect.h"
#include "conformance/host/vidsch/preempt_call.h"
#include "conformance/host/vidsch/vidsch_worker.h"

namespace wddm::host {

void VidSchWorker::ask_for_preemptions() {
  while (!wanted_preemptions_.empty()) {
    const EngineId engine = wanted_preemptions_.front();
    wanted_preemptions_.erase(wanted_preemptions_.begin());
    if (!scheduler_->may_preempt(engine) || !recovery_.takes_packets(engine)) continue;
    for (const auto& decision : scheduler_->step(vidsch::RequestPreempt{engine})) {
      const auto* const found = std::get_if<vidsch::Preempt>(&decision);
      if (found == nullptr) continue;
      const vidsch::Preempt ask = *found;
      fence_taken(ask.fence);
      call_preempt(adapter_, ask,
                   static_cast<std::uint32_t>(scheduler_->ledger(engine).outstanding_count()));
      ++progress_;
      break;
    }
  }
}

bool VidSchWorker::hold(const std::function<bool(const Packet&)>& passed) {
  bool any = false;
  packets_.for_each([&](Packet& packet) {
    packet.held |= passed(packet);
    any |= packet.held;
  });
  return any;
}

void VidSchWorker::let_held_go() {
  packets_.for_each([](Packet& packet) { packet.held = false; });
  wake_.set();
}

void VidSchWorker::moved(AllocationId allocation, const Residency& residency) {
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
