#include "conformance/host/gpuva/context_departure.h"

#include "conformance/host/boundary/decision_seat.h"

namespace wddm::host {

const char* leave_contexts(DeviceId device, const Adapter& adapter, const PagingScene& scene,
                           PagingQueue& queue) {
  const bool stays = decisions().commits(OracleFault::MoveWithoutSwitch);
  if (stays || !adapter.preemption_aware()) return nullptr;
  const char* refused = nullptr;
  adapter.for_each_engine([&](EngineId engine) {
    const ContextId in = queue.context_on(engine);
    if (refused != nullptr || in == kNoContext) return;
    if (!scene.objects.context(in).live || scene.objects.context(in).device != device) return;
    refused = queue.queue_context_switch(engine);
  });
  return refused;
}

}  // namespace wddm::host
