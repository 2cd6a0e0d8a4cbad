// What VidMm does on request: in its own thread, in the order of the ops.
#include "conformance/host/run/op_handlers.h"

namespace wddm::host::ops {

#define WDDM_FOR_VIDMM(name)                       \
  void name(ScenarioRun& run, const Op& op) {      \
    run.world().vidmm.enqueue(requests::name, op); \
  }
WDDM_FOR_VIDMM(make_resident)
WDDM_FOR_VIDMM(evict)
WDDM_FOR_VIDMM(move)
WDDM_FOR_VIDMM(fill_memory)
WDDM_FOR_VIDMM(transfer_segments)
WDDM_FOR_VIDMM(map_aperture)
WDDM_FOR_VIDMM(unmap_aperture)
WDDM_FOR_VIDMM(discard)
WDDM_FOR_VIDMM(cpu_write)
#undef WDDM_FOR_VIDMM

}  // namespace wddm::host::ops
