// What clients ask of GPU virtual addresses, and what scenarios ask of page tables.
#include <vector>

#include "conformance/host/gpuva/address_requests.h"
#include "conformance/host/gpuva/virtual_memory.h"

namespace wddm::host {

const char* VirtualMemory::unsupported(Protection protection) const {
  return not_in(adapter_.gpummu()->geometry->caps(), protection);
}

const char* VirtualMemory::map_address(AllocationId allocation, AddressPlace at, std::uint32_t bit,
                                       Protection protection, std::uint64_t driver_protection) {
  if (const char* const why = need_space(process_of(allocation))) return why;
  const auto answer = ask_address(allocation, at, bit, protection, driver_protection);
  if (!answer.mapping) return answer.refused;
  const char* const refused = write_on_all(answer.parts);
  if (refused != nullptr) static_cast<void>(addresses_.free(allocation));
  return refused;
}

AllocationAddresses::Answer VirtualMemory::ask_address(AllocationId allocation, AddressPlace at,
                                                       std::uint32_t bit, Protection protection,
                                                       std::uint64_t driver_protection) {
  const ProcessId process = process_of(allocation);
  if (const char* const why = unsupported(protection)) return {{}, why};
  if (!spaces_.has(process)) return {{}, "its process has no address space"};
  if (!addresses_.need(allocation, process)) return {{}, "there are no addresses left"};
  return addresses_.map(allocation, at, bit, protection, driver_protection);
}

// From here on it moves for all of them (PT-005).
const char* VirtualMemory::map_in(AllocationId allocation, ProcessId process) {
  if (const char* const why = need_space(process)) return why;
  if (!addresses_.need(allocation, process)) return "there are no addresses left";
  std::vector<Part> parts = addresses_.parts_of(allocation);
  std::erase_if(parts, [process](const Part& part) { return part.process != process; });
  return write_on_all(parts);
}

const char* VirtualMemory::free_address(AllocationId allocation, std::uint32_t page,
                                        std::uint32_t pages) {
  const ProcessId process = process_of(allocation);
  if (!spaces_.has(process)) return "it has no address";
  const AllocationAddresses::Answer answer = addresses_.free(allocation, page, pages);
  if (!answer.mapping) return answer.refused;
  for (const Part& part : answer.parts) {
    if (const char* const why = unmap(part)) return why;
  }
  tables_.fit_root(process);
  return nullptr;
}

const char* VirtualMemory::map_range(AllocationId allocation, const RangeRequest& request) {
  if (const char* const why = unsupported(request.protection)) return why;
  if (const char* const why = need_space(process_of(allocation))) return why;
  const AllocationAddresses::Answer answer = addresses_.map_range(allocation, request);
  return answer.refused != nullptr ? answer.refused : write_on_all(answer.parts);
}

const char* VirtualMemory::reserve_address(ProcessId process, AddressChoice at, std::uint64_t base,
                                           std::uint64_t bytes, bool zero) {
  const char* const no_zeros = zero ? unsupported(Protection::Zero) : nullptr;
  if (no_zeros != nullptr) return no_zeros;
  if (const char* const why = need_space(process)) return why;
  const AllocationAddresses::Answer answer = addresses_.reserve(process, at, base, bytes, zero);
  return answer.refused != nullptr ? answer.refused : write_on_all(answer.parts);
}

const char* VirtualMemory::unsupported(const TileRequest& request) const {
  if (request.kind == AddressUpdate::Zero) return unsupported(Protection::Zero);
  return request.kind == AddressUpdate::Map ? unsupported(request.protection) : nullptr;
}

const char* VirtualMemory::update_address(AllocationId allocation, const TileRequest& request) {
  if (const char* const why = unsupported(request)) return why;
  const AllocationAddresses::Answer answer = addresses_.update(allocation, request);
  return answer.refused != nullptr ? answer.refused : write_on_all(answer.parts);
}

const char* VirtualMemory::move_table(AllocationId allocation, std::uint32_t level) {
  const ProcessId process = process_of(allocation);
  const Mapping* const mapping = addresses_.newest(allocation, process);
  if (mapping == nullptr || !spaces_.has(process)) return "it has no address";
  return tables_.move(process, level, mapping->address);
}

const char* VirtualMemory::evict_tables(ProcessId process) {
  return spaces_.has(process) ? tables_.evict(process) : "its process has no page tables";
}

void VirtualMemory::evict_all_tables() {
  unmap_ended_commands();
  for (std::uint32_t id = 0; id < kProcesses; ++id) {
    for (const ProcessId space : {ProcessId{id}, privileged_space_of(ProcessId{id})}) {
      if (spaces_.has(space)) static_cast<void>(tables_.evict(space));
    }
  }
}

}  // namespace wddm::host
