#include "conformance/host/gpuva/contexts/context_departure.h"

#include "conformance/host/boundary/decision_seat.h"

namespace wddm::host {
namespace {

bool is_in(ContextId context, DeviceId device, const PagingScene& scene) {
  return context != kNoContext && scene.objects.context(context).live &&
         scene.objects.context(context).device == device;
}

}  // namespace

bool is_entered(DeviceId device, const Adapter& adapter, const PagingScene& scene,
                const PagingQueue& queue) {
  bool entered = false;
  adapter.for_each_engine(
      [&](EngineId engine) { entered |= is_in(queue.context_on(engine), device, scene); });
  return entered;
}

const char* leave_contexts(DeviceId device, const Adapter& adapter, const PagingScene& scene,
                           PagingQueue& queue) {
  const bool stays = decisions().commits(OracleFault::MoveWithoutSwitch);
  if (stays || !adapter.preemption_aware()) return nullptr;
  const char* refused = nullptr;
  adapter.for_each_engine([&](EngineId engine) {
    if (refused != nullptr || !is_in(queue.context_on(engine), device, scene)) return;
    refused = queue.queue_context_switch(engine);
  });
  return refused;
}

}  // namespace wddm::host
