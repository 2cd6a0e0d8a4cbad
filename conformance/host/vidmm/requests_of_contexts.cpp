// What VidMm does about contexts and processes as such.
#include "conformance/host/gpuva/contexts/context_allocations.h"
#include "conformance/host/gpuva/virtual_memory.h"
#include "conformance/host/vidmm/requests.h"

namespace wddm::host::requests {

const char* add_context(const RequestScene& scene, const Op& op) {
  return scene.virtual_memory.add_context(ContextId{op.x});
}

const char* end_process(const RequestScene& scene, const Op& op) {
  return scene.virtual_memory.end_process(ProcessId{op.x});
}

const char* move_context(const RequestScene& scene, const Op& op) {
  if (!scene.virtual_memory.active()) return "there are no GPU virtual addresses";
  ContextAllocations& allocations = current_context_allocations();
  return op.b != 0 ? allocations.evict(ContextId{op.a}) : allocations.move(ContextId{op.a});
}

const char* switch_context(const RequestScene& scene, const Op& op) {
  return scene.queue.queue_context_switch({.node = NodeId{op.x}, .physical_adapter = op.y});
}

}  // namespace wddm::host::requests
