// What VidMm does about contexts and processes as such: no op of the domain Memory asks for it.
#include "conformance/host/gpuva/virtual_memory.h"
#include "conformance/host/vidmm/requests.h"

namespace wddm::host::requests {

const char* add_context(const RequestScene& scene, const Op& op) {
  return scene.virtual_memory.add_context(ContextId{op.x});
}

const char* end_process(const RequestScene& scene, const Op& op) {
  return scene.virtual_memory.end_process(ProcessId{op.x});
}

const char* switch_context(const RequestScene& scene, const Op& op) {
  return scene.queue.queue_context_switch({.node = NodeId{op.x}, .physical_adapter = op.y});
}

}  // namespace wddm::host::requests
