#include "conformance/host/gpuva/out_of_reach.h"

#include <algorithm>
#include <iterator>

#include "reference/gpu/effect.h"

namespace wddm::host {
namespace {

// Whatever the commands are, none is fetched.
void nothing_in_reach(RenderBuffer& buffer) {
  buffer.must_fault = true;
  std::copy_if(buffer.allocations.begin(), buffer.allocations.end(),
               std::back_inserter(buffer.out_of_reach),
               [](AllocationId id) { return id != kNoAllocation; });
}

}  // namespace

// What it uses had an address when it was built. If it has none, another has got that.
bool uses_addresses_of_others(const AllocationAddresses& addresses, ProcessId process,
                              const RenderBuffer& buffer) {
  return std::any_of(buffer.allocations.begin(), buffer.allocations.end(), [&](AllocationId id) {
    return id != kNoAllocation && addresses.for_commands_of(id, process).value == 0;
  });
}

void tell_out_of_reach(const AllocationAddresses& addresses, ProcessId process,
                       const PagingScene& scene, RenderBuffer& buffer) {
  if (buffer.stray) return nothing_in_reach(buffer);
  if (buffer.hurried) return;  // by the time that it runs, all may be there or nothing
  // What is not brought in for the buffer may be away.
  const auto is_away = [&](AllocationId id) {
    const AllocationAddresses::Mapping* const mapping = addresses.newest(id, process);
    return buffer.required_only && mapping != nullptr && mapping->leads_to_pages() &&
           scene.residency.planned(id).segment == kNoSegment;
  };
  const auto faults = [&](const gpu::Access& access) {
    return is_away(access.allocation) || addresses.faults(process, access);
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
