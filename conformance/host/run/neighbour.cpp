#include "conformance/host/run/neighbour.h"

#include "conformance/host/adapter/objects/allocation_group.h"
#include "conformance/host/boundary/ddi_call.h"
#include "conformance/host/render/render_in_vain.h"

namespace wddm::host {

void Neighbour::enter() {
  if (rounds_ == 0) return;
  nt::spawn_host_thread("neighbour", run, this);
}

void Neighbour::leave() {
  rounds_ = 0;
}

void Neighbour::run(void* self) {
  static_cast<Neighbour*>(self)->visit();
}

void Neighbour::visit() {
  const EngineId engine{};
  for (std::uint32_t round = 0; round < rounds_ && world_.adapter.running(); ++round) {
    ask_for_capabilities();
    const bool made = world_.objects.contexts().create(kNeighbourContext, kNeighbourDevice, engine);
    for (int time = 0; made && time < 3; ++time) {
      render_in_vain(world_.adapter, world_.objects, world_.addressing, kNeighbourContext);
    }
    make_and_destroy_one(world_.adapter, world_.objects, kNeighbourDevice);
    if (made) world_.objects.contexts().destroy(kNeighbourContext);
  }
}

void Neighbour::ask_for_capabilities() const {
  DXGK_DRIVERCAPS caps{};
  DXGKARG_QUERYADAPTERINFO query{};
  query.Type = DXGKQAITYPE_DRIVERCAPS;
  query.pOutputData = &caps;
  query.OutputDataSize = sizeof(caps);
  if (may_call(DdiId::QueryAdapterInfo)) {
    call_ddi<DdiId::QueryAdapterInfo>(DXGKQAITYPE_DRIVERCAPS, world_.adapter.miniport(), &query);
  }
}

}  // namespace wddm::host
