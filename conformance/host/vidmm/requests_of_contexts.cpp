// What VidMm does about contexts and processes as such.
#include "conformance/host/gpuva/contexts/context_allocations.h"
#include "conformance/host/gpuva/virtual_memory.h"
#include "conformance/host/vidmm/requests.h"

namespace wddm::host::requests {

const char* add_context(const RequestScene& scene, const Op& op) {
  return scene.virtual_memory.add_context(ContextId{op.x});
}

const char* update_context_allocation(const RequestScene& scene, const Op&) {
  return scene.virtual_memory.update_context_allocation();
}

const char* end_process(const RequestScene& scene, const Op& op) {
  return scene.virtual_memory.end_process(ProcessId{op.x});
}

// A packet that was preempted goes on without a buffer that would have the memory come back.
const char* move_context(const RequestScene& scene, const Op& op) {
  if (!scene.virtual_memory.active()) return "there are no GPU virtual addresses";
  ContextAllocations& allocations = current_context_allocations();
  const ContextId context{op.a};
  if (op.b == 0) return allocations.move(context);
  if (const char* const why = allocations.evict(context)) return why;
  const Objects& objects = scene.paging.objects;
  const ProcessId process = objects.device(objects.context(context).device).process;
  if (!scene.waits.has_passed_work_of(objects, process)) return nullptr;
  return allocations.bring_back(context);
}

const char* switch_context(const RequestScene& scene, const Op& op) {
  return scene.queue.queue_context_switch({.node = NodeId{op.x}, .physical_adapter = op.y});
}

}  // namespace wddm::host::requests
