#include "conformance/host/gpuva/out_of_reach.h"

#include <algorithm>

#include "reference/gpu/effect.h"

namespace wddm::host {

void tell_out_of_reach(const AllocationAddresses& addresses, ProcessId process,
                       const PagingScene& scene, RenderBuffer& buffer) {
  // What is not brought in for the buffer may be away.
  const auto is_away = [&](AllocationId id) {
    return buffer.required_only && scene.residency.planned(id).segment == kNoSegment;
  };
  const auto faults = [&](const gpu::Access& access) {
    const AllocationAddresses::Mapping* const mapping =
        addresses.newest(access.allocation, process);
    if (mapping == nullptr || mapping->protection == Protection::NoAccess) return true;
    if (mapping->leads_to_pages() && is_away(access.allocation)) return true;
    return mapping->protection == Protection::ReadOnly && access.kind != gpu::AccessKind::Read;
  };
  for (const AllocationId id : buffer.allocations) {
    if (id != kNoAllocation && faults({.allocation = id})) buffer.out_of_reach.push_back(id);
  }
  if (buffer.hostile) return;
  gpu::Bindings bindings;
  for (const gpu::Command& command : buffer.stream->commands) {
    const gpu::Effect effect = gpu::effect_of(command, bindings, scene.objects.sizes());
    const auto ranges = effect.ranges();
    buffer.must_fault |= std::any_of(ranges.begin(), ranges.end(), faults);
    bindings.apply(command);
  }
}

}  // namespace wddm::host
