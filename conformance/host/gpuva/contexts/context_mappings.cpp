#include "conformance/host/gpuva/contexts/context_mappings.h"

namespace wddm::host {
namespace {

// Behind those that scenarios and the host make.
AllocationId id_of(const ContextMappings::Named& allocation) {
  return AllocationId{kMarkerAllocation.value + 1 + allocation.number};
}

gpummu::Protection protection_of(const gpuva::PageState& state) {
  gpummu::Protection protection;
  protection.read_only = !state.write;
  protection.no_execute = !state.execute;
  return protection;
}

}  // namespace

NTSTATUS ContextMappings::ask(const Named& allocation,
                              const DXGKARGCB_MAPCONTEXTALLOCATION& request,
                              D3DGPU_VIRTUAL_ADDRESS* address) {
  addresses_.keep_for_driver(allocation.process, spaces_.reserved_by_driver(allocation.process));
  const AllocationAddresses::ContextAnswer answer = addresses_.map_context_allocation(
      allocation.process, allocation.number,
      {.base = {request.BaseAddress},
       .minimum = {request.MinimumAddress},
       .maximum = {request.MaximumAddress},
       .allocation =
           gpuva::AllocationRef{id_of(allocation), allocation.pages, allocation.pages_64k},
       .offset_pages = request.OffsetInPages,
       .size_pages = request.SizeInPages,
       .protection = request.Protection.Value,
       .driver_protection = request.DriverProtection,
       .context_allocation = true});
  *address = answer.address.value;
  if (NT_SUCCESS(answer.status)) unwritten_.push_back(allocation.number);
  return answer.status;
}

const char* ContextMappings::lead_to(const Named& allocation, const PageRuns& pages) {
  std::erase(unwritten_, allocation.number);
  for (const AllocationAddresses::Part& part : addresses_.parts_of(id_of(allocation))) {
    if (const char* const why = tables_.cover(part.process, part.range)) return why;
    const PageRuns cut = cut_out(pages, part.state.first_page * kPageSize, part.range.bytes);
    const bool in_64kb =
        part.range.first.value % gpummu::kPageSize64K == 0 && in_64kb_pages(adapter_, cut);
    gpummu::Protection protection = protection_of(part.state);
    protection.cache_coherent = allocation.cached && in_system_memory(cut);
    const gpummu::Map step{.range = part.range,
                           .pages = cut,
                           .protection = protection,
                           .driver_protection = part.state.driver_protection,
                           .use_64kb_pages = in_64kb};
    if (!spaces_.step(part.process, step)) return spaces_.why_not(part.process);
  }
  return nullptr;
}

void ContextMappings::lead_nowhere(const Named& allocation) {
  for (const AllocationAddresses::Part& part : addresses_.parts_of(id_of(allocation))) {
    if (!spaces_.has(part.process)) continue;
    static_cast<void>(spaces_.step(part.process, gpummu::Unmap{.range = part.range}));
  }
}

void ContextMappings::forget(const Named& allocation) {
  lead_nowhere(allocation);
  give_up(allocation);
}

void ContextMappings::give_up(const Named& allocation) {
  std::erase(unwritten_, allocation.number);
  addresses_.forget_context_allocation(id_of(allocation));
}

}  // namespace wddm::host
