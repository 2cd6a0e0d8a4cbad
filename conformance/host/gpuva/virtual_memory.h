// What VidMm does for drivers with GPU virtual addresses: addresses of allocations and command
// buffers, and paging through the address space of the paging process.
//
// Runs on the VidMm worker, but for what a render is told of addresses. A step that brings contents
// in (virtual_contents.h) lets the allocation's own addresses lead to the new place when all has
// been done; one that takes them out first makes its addresses invalid. Sources:
// DXGKARG_BUILDPAGINGBUFFER, "GPU virtual memory in WDDM 2.0" # Moving content, "GPU segments" #
// Accessing allocations by physical address. System memory is reached by entries of segment 0; what
// is AccessedPhysically is mapped into the aperture besides, as long as it lies there.
#pragma once

#include <memory>
#include <optional>
#include <set>
#include <vector>

#include "conformance/host/gpuva/allocation_addresses.h"
#include "conformance/host/gpuva/allocation_entries.h"
#include "conformance/host/gpuva/command_mappings.h"
#include "conformance/host/gpuva/companion_updates.h"
#include "conformance/host/gpuva/contexts/context_mappings.h"
#include "conformance/host/gpuva/entry_pages.h"
#include "conformance/host/gpuva/tables/address_spaces.h"
#include "conformance/host/gpuva/tables/table_requests.h"
#include "conformance/host/gpuva/virtual_contents.h"

namespace wddm::host {

class ContextAllocations;

class VirtualMemory {
 public:
  VirtualMemory(Adapter& adapter, const PagingScene& scene, AddressSpaces& spaces,
                PagingWindows& windows, WalkJudge& walks, PagingQueue& queue, JobWaits& waits)
      : adapter_(adapter),
        scene_(scene),
        spaces_(spaces),
        tables_(spaces),
        windows_(windows),
        walks_(walks),
        queue_(queue),
        waits_(waits),
        contents_(adapter, scene, spaces, queue, waits),
        addresses_(scene.objects) {}

  /// The adapter runs and the system process is there: writes its page tables and gives its
  /// contexts their root. Null, or why there is no paging.
  [[nodiscard]] const char* begin();
  /// The adapter stops.
  void end();
  [[nodiscard]] bool active() const { return active_; }

  /// Who keeps what drivers have for contexts.
  void use(ContextAllocations& allocations);

  /// The context gets the root of its process, which gets a space if it has none. Null, or why not.
  const char* add_context(ContextId context);
  /// What DxgkCbUpdateContextAllocation asks for is carried out. Null, or why it is not.
  const char* update_context_allocation();
  void remove_context(ContextId context);
  /// A companion, which may have its root already.
  const char* add_companion(ContextId companion) {
    return added_[companion] ? nullptr : add_context(companion);
  }

  // ---- What commands of a context use.
  /// Null, or why they cannot use the allocation.
  [[nodiscard]] const char* cannot_bind(ContextId context, AllocationId allocation);
  /// The address of the allocation, whether or not it is resident; 0: none.
  [[nodiscard]] gpummu::GpuVirtualAddress address_of(AllocationId allocation, ContextId context);
  /// Its entries there give zeros and drop writes.
  [[nodiscard]] bool is_zero(AllocationId allocation, ContextId context) const {
    return gives_zeros(allocation, process_of(context));
  }
  /// Where a command buffer of at most so many bytes can be mapped next, and how many it has.
  [[nodiscard]] gpummu::GpuVirtualAddress address_for_commands(ContextId context,
                                                               std::uint64_t bytes) {
    return addresses_.next_commands(process_of(context), bytes);
  }
  void commands_take(ContextId context, gpummu::GpuVirtualAddress at, std::uint64_t bytes) {
    addresses_.commands_take(process_of(context), at, bytes);
  }
  /// A packet is about to be submitted; paging is the system process's.
  void submitted(EngineId engine, FenceId fence, std::optional<ContextId> context);

  // ---- Requests of scenarios; each is null, or why it was not done.
  const char* map_address(AllocationId allocation, AddressPlace at, std::uint32_t bit,
                          Protection protection, std::uint64_t driver_protection);
  /// The same, but for the entries, which are still to be written.
  [[nodiscard]] AllocationAddresses::Answer ask_address(AllocationId allocation, AddressPlace at,
                                                        std::uint32_t bit, Protection protection,
                                                        std::uint64_t driver_protection);
  /// The allocation gets an address in one more process, which has opened it.
  const char* map_in(AllocationId allocation, ProcessId process);
  const char* free_address(AllocationId allocation, std::uint32_t page, std::uint32_t pages);
  const char* map_range(AllocationId allocation, const RangeRequest& request);
  const char* reserve_address(ProcessId process, AddressChoice at, std::uint64_t base,
                              std::uint64_t bytes, bool zero);
  const char* update_address(AllocationId allocation, const TileRequest& request);
  const char* move_table(AllocationId allocation, std::uint32_t level);
  const char* evict_tables(ProcessId process);
  const char* bring_tables_back(ProcessId process) { return tables_.bring_back(process); }
  /// Whether tables that are evicted are sure to find memory when they are brought back at once.
  [[nodiscard]] bool tables_return(ProcessId process) const {
    return spaces_.has(process) && tables_.are_sure_to_return(process);
  }
  /// Its contexts and allocations are gone, forget() follows: its page tables go one by one.
  const char* end_process(ProcessId process);

  /// What clients are told to wait for with the answers that follow.
  void tell_fence(const PagingFence& fence) { addresses_.tell_fence(fence); }

  /// Updates that are interlocked with rendering.
  [[nodiscard]] CompanionUpdates& updates() { return updates_; }

  // ---- What carries those out.
  /// Null, or why the driver has no such entries.
  [[nodiscard]] const char* unsupported(Protection protection) const;
  using Part = AllocationAddresses::Part;
  /// Writes entries that lead to these pages, all of the allocation's.
  const char* map(const Part& part, const PageRuns& pages);
  /// Writes entries as decided, where the pages of allocations lie now.
  const char* write(const std::vector<Part>& parts);
  /// Where the allocation lies; nothing if it is not resident.
  [[nodiscard]] PageRuns pages_of(AllocationId allocation) const;

  // ---- Power.
  /// Before it goes: no page table of a client is in memory any more.
  void evict_all_tables();
  /// It is off: what memory segments still hold is overwritten; bytes of it.
  std::uint64_t lose_memory() { return spaces_.lose_memory(); }
  /// It is back.
  void restore() { spaces_.write_paging_process_again(); }

  /// It is about to be destroyed: its addresses lead nowhere, and are not its own any more.
  void forget(AllocationId allocation);
  /// All devices of the process are gone: so are its page tables.
  void forget(ProcessId process);
  /// Maps the buffer at its address for its context's process. Null, or why it cannot run.
  const char* map_commands(RenderBuffer& buffer);

  /// Carries out a step that VidMm decided on.
  void carry_out(const vidmm::PagingStep& step);
  /// Fills an allocation that lies in a memory segment.
  void fill_memory(AllocationId allocation, std::uint32_t pattern) {
    contents_.fill_memory(allocation, pattern);
  }
  /// Bytes of resident allocations, from any byte on; null, or why they are not reached.
  const char* fill_bytes(const Mapped& at, std::uint64_t bytes, std::uint32_t pattern) {
    return contents_.fill_bytes(at, pages_of(at.allocation), bytes, pattern);
  }
  const char* transfer_bytes(const Mapped& to, const Mapped& from, std::uint64_t bytes) {
    return contents_.transfer_bytes(to, pages_of(to.allocation), from, pages_of(from.allocation),
                                    bytes);
  }
  /// Copies between places of segments, with no allocation. Null, or why they are not reached.
  const char* transfer(PlaceInSegment from, PlaceInSegment to, std::uint32_t pages) {
    return contents_.transfer(from, to, pages);
  }

 private:
  /// While the paging process's page tables are written.
  void map_paging_buffers();
  [[nodiscard]] const char* need_space(ProcessId process);
  [[nodiscard]] const char* keep_for_driver_again(ProcessId process);
  using Mapping = AllocationAddresses::Mapping;
  [[nodiscard]] bool gives_zeros(AllocationId allocation, ProcessId process) const {
    const Mapping* const mapping = addresses_.newest(allocation, process);
    return mapping != nullptr && mapping->protection == Protection::Zero;
  }
  const char* write_on_all(const std::vector<Part>& parts);
  void let_faults_happen(ProcessId process);
  void lead_to(AllocationId allocation, const PageRuns& pages);
  void lead_nowhere(AllocationId allocation);
  void leave(const vidmm::PagingStep& step);
  /// Tells the driver, where engines reach the allocation by its place in the aperture.
  void change_aperture(const vidmm::PagingStep& step);
  void unmap_ended_commands();
  [[nodiscard]] ProcessId process_of(AllocationId allocation) const {
    return scene_.objects.device(scene_.objects.allocation(allocation).device).process;
  }
  [[nodiscard]] ProcessId process_of(ContextId context) const {
    const ProcessId process = scene_.objects.device(scene_.objects.context(context).device).process;
    return is_companion(context) ? privileged_space_of(process) : process;
  }

  const Adapter& adapter_;
  PagingScene scene_;
  AddressSpaces& spaces_;
  TableRequests tables_;
  PagingWindows& windows_;
  WalkJudge& walks_;
  PagingQueue& queue_;
  JobWaits& waits_;
  VirtualContents contents_;
  ContextAllocations* context_allocations_ = nullptr;
  bool active_ = false;
  AllocationAddresses addresses_;
  PerContext<bool> added_{};    // to the space of its process
  std::set<ProcessId> marked_;  // which lead to the page of the marker, if it is anywhere
  std::set<ProcessId> unkept_;  // without tables of what the driver has reserved in them
  CommandMappings commands_;
  PageRuns paging_buffers_;
  CompanionUpdates updates_{*this, spaces_, tables_, addresses_};
  AllocationEntries entries_{adapter_, scene_, spaces_, tables_, updates_};
  ContextMappings context_mappings_{adapter_, addresses_, spaces_, tables_};
};

}  // namespace wddm::host
