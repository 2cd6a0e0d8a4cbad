// GPU virtual addresses as user mode asks for them: ranges, reservations and updates. Commands do
// not use what they get before an update leads a whole allocation there.
#include "conformance/host/gpuva/address_pieces.h"
#include "conformance/host/gpuva/address_requests.h"
#include "conformance/host/gpuva/allocation_addresses.h"

namespace wddm::host {

AllocationAddresses::Answer AllocationAddresses::map_range(AllocationId allocation,
                                                           const RangeRequest& wanted) {
  gpuva::MapGpuVirtualAddress request = request_of(wanted);
  const bool anywhere = request.base.value == 0 && request.minimum.value == 0;
  if (anywhere) request.minimum = {kFirst.value};
  if (wanted.at != AddressChoice::BaseWithoutAllocation) {
    request.allocation = reference_to(allocation);
  }
  return answer(process_of(allocation), request);
}

AllocationAddresses::Answer AllocationAddresses::reserve(ProcessId id, AddressChoice at,
                                                         std::uint64_t base, std::uint64_t bytes,
                                                         bool zero) {
  gpuva::ReserveGpuVirtualAddress request{
      .size = bytes, .type = zero ? gpuva::kReserveZero : gpuva::kReserveNoAccess};
  if (at == AddressChoice::Limits) {
    request.minimum = {base};
    request.maximum = {base + bytes};
  } else {
    request.base = {base};
    if (at == AddressChoice::BaseAndLimits) request.minimum = {base + bytes};
  }
  if (request.base.value == 0 && request.minimum.value == 0) request.minimum = {kFirst.value};
  Answer result = answer(id, request);
  if (result.mapping) process(id)->reserved = result.mapping->address;
  return result;
}

AllocationAddresses::Answer AllocationAddresses::update(AllocationId allocation,
                                                        const TileRequest& request) {
  const ProcessId own = process_of(allocation);
  const Process* const there = process(own);
  if (there == nullptr || there->reserved.value == 0) return {{}, "nothing was reserved"};
  const gpuva::UpdateOperation operation =
      operation_of(request, {there->reserved.value}, reference_to(allocation));
  return answer(own, gpuva::UpdateGpuVirtualAddress{{&operation, 1}});
}

std::vector<AllocationId> AllocationAddresses::mapped_in(AllocationId allocation,
                                                         const TileRequest& request) const {
  const auto there = processes_.find(process_of(allocation));
  if (there == processes_.end()) return {};
  const Process& own = there->second;
  return allocations_in(own.ranges.map(), own.reserved.value / kPageSize + request.to,
                        request.pages);
}

void AllocationAddresses::commands_follow(AllocationId allocation, const TileRequest& request) {
  const ProcessId own = process_of(allocation);
  const Address first{process(own)->reserved.value + request.to * kPageSize};
  const gpummu::VaRange changed{first, request.pages * kPageSize};
  for (const AllocationId id : kAllAllocations) {
    std::erase_if(mappings_[id], [&](const Mapping& each) {
      return each.process == own && each.address.value < changed.end() &&
             first.value < each.address.value + bytes_of(id);
    });
  }
  const bool whole = request.kind == AddressUpdate::Map && request.from == 0 &&
                     request.repeated_pages == 0 && changed.bytes == bytes_of(allocation);
  if (!whole) return;
  mappings_[allocation].push_back({own, first, request.protection, request.driver_protection});
  freed_[allocation] = {};
}

}  // namespace wddm::host
