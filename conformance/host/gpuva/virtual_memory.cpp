#include "conformance/host/gpuva/virtual_memory.h"

#include <algorithm>
#include <utility>

#include "conformance/host/boundary/decision_seat.h"
#include "conformance/host/gpuva/address_requests.h"
#include "conformance/host/gpuva/contexts/context_allocations.h"
#include "conformance/host/gpuva/entry_pages.h"
#include "conformance/host/gpuva/moving_parts.h"
#include "conformance/host/gpuva/out_of_reach.h"
#include "conformance/host/gpuva/tables/paging_layout.h"

namespace wddm::host {

void VirtualMemory::use(ContextAllocations& allocations) {
  context_allocations_ = &allocations;
  allocations.use(context_mappings_);
}

const char* VirtualMemory::begin() {
  active_ = false;
  context_mappings_.begin();
  added_.fill(false);
  marked_.clear();
  unkept_.clear();
  commands_.clear();
  updates_.begin();
  if (adapter_.gpummu() && adapter_.gpummu()->geometry) {
    const gpummu::Geometry& geometry = *adapter_.gpummu()->geometry;
    addresses_.begin(geometry, own_addresses(geometry, adapter_.caps()));
    walks_.begin(geometry);
  }
  // Of every node: any may be told to page.
  std::uint32_t nodes = std::min(adapter_.nodes() * adapter_.physical_adapters(), kMostNodes);
  for (const ContextId context : kSystemContexts) {
    if (nodes-- == 0) break;
    if (!scene_.objects.context(context).live) return "there is no system context to page in";
  }
  if (const char* const why = spaces_.open(kSystemProcess)) return why;
  walks_.reserve(kSystemProcess, spaces_.reserved_by_driver(kSystemProcess));
  if (!spaces_.space(kSystemProcess).geometry().root_is_resizable()) {
    if (const char* const why = tables_.keep_for_driver(kSystemProcess)) return why;
  }
  active_ = spaces_.keep_windows();
  if (!active_) return "there is no memory for the paging process's page tables";
  map_paging_buffers();
  const char* const unmapped = spaces_.map_own_tables();
  active_ = unmapped == nullptr;
  if (!active_) return unmapped;
  spaces_.paging_process_started();
  for (const ContextId context : kSystemContexts) {
    if (scene_.objects.context(context).live) add_context(context);
  }
  return nullptr;
}

void VirtualMemory::end() {
  context_allocations_->end();
  spaces_.close_all();
  walks_.report();
  walks_.end();
  windows_.end();
  active_ = false;
}

void VirtualMemory::map_paging_buffers() {
  const std::uint32_t bytes =
      std::min<std::uint32_t>(std::max(adapter_.paging_buffer_bytes(), 1u), kPagingBuffers.bytes);
  windows_.begin(kPagingBuffers, bytes);
  paging_buffers_.clear();
  for (const PagingWindows::Window& window : windows_.lowest_first()) {
    paging_buffers_.push_back({{.offset = window.memory.physical_address()}, whole_pages(bytes)});
  }
  contents_.show(kPagingBuffers.first, paging_buffers_, {});
}

const char* VirtualMemory::need_space(ProcessId process) {
  if (spaces_.has(process)) return keep_for_driver_again(process);
  if (is_privileged(process)) return updates_.open(process, paging_buffers_);
  addresses_.keep_for_driver(process, spaces_.reserved_by_driver(process));
  if (const char* const why = spaces_.open(process)) return why;
  walks_.reserve(process, spaces_.reserved_by_driver(process));
  unkept_.insert(process);
  return keep_for_driver_again(process);
}

// There may be memory for it now.
const char* VirtualMemory::keep_for_driver_again(ProcessId process) {
  if (!unkept_.contains(process)) return nullptr;
  if (const char* const why = tables_.keep_for_driver(process)) return why;
  unkept_.erase(process);
  return nullptr;
}

const char* VirtualMemory::add_context(ContextId context) {
  if (!scene_.objects.context(context).live) return "there is no such context";
  const ProcessId process = process_of(context);
  if (const char* const why = need_space(process)) return why;
  if (const char* const why = tables_.bring_back(process)) return why;
  if (const char* const why = context_allocations_->begin(context)) return why;
  added_[context] = true;
  spaces_.step(process, gpummu::AddContext{context});
  const bool of_kernel = process == kSystemProcess || is_privileged(process);
  if (of_kernel || !scene_.objects.allocation(kMarkerAllocation).live) return nullptr;
  // Commands of every process end with a mark. User mode that builds may know its address by now.
  if (addresses_.need(kMarkerAllocation, process) && marked_.insert(process).second) {
    lead_to(kMarkerAllocation, pages_of(kMarkerAllocation));
  }
  return nullptr;
}

// Its context may be in the making: there were no page tables of its process so far.
const char* VirtualMemory::update_context_allocation() {
  ContextUpdates& updates = context_allocations_->updates();
  ContextAllocation* const allocation = updates.take();
  if (allocation == nullptr) return nullptr;
  const ProcessId process = allocation->named.process;
  const char* why = need_space(process);
  if (why == nullptr) why = tables_.bring_back(process);
  if (why == nullptr) why = context_allocations_->provide(*allocation);
  if (why != nullptr) {
    updates.refuse(STATUS_NO_MEMORY);
  } else {
    updates.carry_out();
  }
  return why;
}

// One that waited for its root when work was given up was never added.
void VirtualMemory::remove_context(ContextId context) {
  const ProcessId process = process_of(context);
  const bool added = std::exchange(added_[context], false);
  if (added && spaces_.has(process)) spaces_.step(process, gpummu::RemoveContext{context});
}

// -- addresses

const char* VirtualMemory::cannot_bind(ContextId context, AllocationId allocation) {
  const bool own = allocation == kMarkerAllocation || process_of(context) == process_of(allocation);
  const DeviceId device = scene_.objects.context(context).device;
  if (!own && scene_.objects.handle_on(device, allocation) == nullptr) {
    return "the allocation is another process's";
  }
  if (scene_.objects.context(context).info.Caps.UseIoMmu &&
      !in_system_memory(adapter_, scene_.objects.allocation(allocation).write_set)) {
    return "the IOMMU does not reach memory segments";
  }
  const gpummu::GpuVirtualAddress address = address_of(allocation, context);
  if (address.value == 0) return "the allocation has no address";
  const auto gpu = updates_.gpu_at(process_of(context), address);
  const bool elsewhere = gpu && *gpu != scene_.objects.context(context).engine.physical_adapter;
  return elsewhere ? "its address was mapped by another GPU of the link, for itself" : nullptr;
}

gpummu::GpuVirtualAddress VirtualMemory::address_of(AllocationId allocation, ContextId context) {
  const ProcessId process = process_of(context);
  addresses_.need(allocation, process);
  return addresses_.for_commands_of(allocation, process);
}

void VirtualMemory::forget(AllocationId allocation) {
  const ProcessId process = process_of(allocation);
  for (const Part& part : addresses_.forget(allocation)) static_cast<void>(entries_.unmap(part));
  updates_.forget(allocation);
  if (allocation == kMarkerAllocation) marked_.clear();
  if (spaces_.has(process)) tables_.fit_root(process);
}

const char* VirtualMemory::end_process(ProcessId process) {
  if (!spaces_.has(process)) return nullptr;
  commands_.forget(process);
  const ProcessId privileged = privileged_space_of(process);
  if (spaces_.has(privileged)) spaces_.end(privileged);
  spaces_.end(process);
  return nullptr;
}

void VirtualMemory::forget(ProcessId process) {
  if (!is_privileged(process)) forget(privileged_space_of(process));
  updates_.forget(process);
  spaces_.close(process);
  addresses_.forget(process);
  marked_.erase(process);
  unkept_.erase(process);
  commands_.forget(process);
}

void VirtualMemory::submitted(EngineId engine, FenceId fence, std::optional<ContextId> context) {
  walks_.submitted(engine, fence, context ? process_of(*context) : kSystemProcess);
  // Windows of a privileged space show each GPU its own tables, at one place.
  if (!context || adapter_.physical_adapters() == 1 || is_companion(*context)) return;
  spaces_.compare_instances(process_of(*context));
}

// The ring of addresses comes around: what was there before may still be at work.
const char* VirtualMemory::map_commands(RenderBuffer& buffer) {
  unmap_ended_commands();
  const ProcessId process = process_of(buffer.context);
  if (uses_addresses_of_others(addresses_, process, buffer)) {
    return "an address that it uses is another allocation's by now";
  }
  tell_out_of_reach(addresses_, process, scene_, buffer);
  const gpummu::VaRange range{buffer.address, whole_pages(buffer.dma.size())};
  const PageRuns pages = {{{.offset = buffer.dma.physical_address()}, range.bytes}};
  if (!spaces_.has(process)) return "its process has no address space";
  // ... nor memory of its own, which has to be initialized before anything runs (CTX-008).
  if (!added_[buffer.context]) return "there was no memory for its context";
  if (const char* const why = tables_.bring_back(process)) return why;
  if (const char* const why = tables_.cover(process, range)) return why;
  if (const char* const why = context_allocations_->bring_back(buffer.context)) return why;
  if (const char* const why = context_allocations_->write_mappings(process)) return why;
  if (commands_.are_in(process, range)) {
    waits_.for_earlier_work();
    unmap_ended_commands();
  }
  // Whether the CPU caches what it writes commands to is the client's choice: here by turns.
  const gpummu::Map step{
      .range = range, .pages = pages, .protection = {.cache_coherent = buffer.render % 2 == 1}};
  if (!buffer.stray && !spaces_.step(process, step)) {
    return "there is no memory for the page tables of its process";
  }
  foretell_faults(addresses_, process, scene_,
                  spaces_.has_tables() ? &spaces_.space(process) : nullptr, buffer);
  buffer.mapping = std::make_shared<char>();
  const bool faults = buffer.must_fault || !buffer.out_of_reach.empty();
  commands_.add({process, range, buffer.mapping, faults});
  return nullptr;
}

void VirtualMemory::unmap_ended_commands() {
  for (const CommandMappings::Mapping& mapped : commands_.take_ended()) {
    if (!spaces_.has(mapped.process)) continue;
    spaces_.step(mapped.process, gpummu::Unmap{.range = mapped.range});
  }
}

// -- pages

const char* VirtualMemory::map(const Part& part, const PageRuns& pages) {
  if (const char* const why = need_space(part.process)) return why;
  return entries_.map(part, pages);
}

// Whether addresses lead anywhere was foretold when the buffer was submitted.
void VirtualMemory::let_faults_happen(ProcessId process) {
  if (commands_.fault_in(process)) waits_.for_earlier_work();
}

const char* VirtualMemory::write(const std::vector<Part>& parts) {
  for (const Part& part : parts) {
    let_faults_happen(part.process);
    const bool mapped = part.state.kind == gpuva::PageKind::Mapped;
    const PageRuns pages = mapped ? pages_of(part.state.allocation) : PageRuns{};
    updates_.at(part);
    if (AllocationEntries::need_space(part, pages)) {
      if (const char* const why = need_space(part.process)) return why;
    }
    if (const char* const why = entries_.write(part, pages)) return why;
  }
  return nullptr;
}

const char* VirtualMemory::write_on_all(const std::vector<Part>& parts) {
  updates_.are_of_all(parts);
  return write(parts);
}

// All addresses that lead to its pages, in whatever process (PT-005).
void VirtualMemory::lead_to(AllocationId allocation, const PageRuns& pages) {
  if (pages.empty()) return;
  if (allocation != kMarkerAllocation) addresses_.need(allocation, process_of(allocation));
  const AddressSpaces::FlushesWait wait(spaces_);
  for (const Part& part : moving_parts(addresses_, allocation)) {
    if (updates_.is_pending(part)) continue;
    let_faults_happen(part.process);
    map(part, pages);
  }
}

void VirtualMemory::lead_nowhere(AllocationId allocation) {
  const AddressSpaces::FlushesWait wait(spaces_);
  for (const Part& part : moving_parts(addresses_, allocation)) {
    if (!updates_.is_pending(part)) static_cast<void>(entries_.unmap(part));
  }
}

PageRuns VirtualMemory::pages_of(AllocationId allocation) const {
  const PlaceInSegment place = scene_.residency.planned(allocation);
  const AllocationObject& object = scene_.objects.allocation(allocation);
  if (place.segment == kNoSegment) return {};
  if (scene_.residency.is_aperture(place.segment))
    return contents_.in_system(allocation, 0, object.pages);
  return run_at(place, 0, object.pages, object.physical_adapter);
}

// -- requests

const char* VirtualMemory::unsupported(Protection protection) const {
  return not_in(adapter_.gpummu()->geometry->caps(), protection);
}

const char* VirtualMemory::map_address(AllocationId allocation, AddressPlace at, std::uint32_t bit,
                                       Protection protection, std::uint64_t driver_protection) {
  const ProcessId process = process_of(allocation);
  if (const char* const why = need_space(process)) return why;
  // Commands count on zeros where an address gave them when they were built.
  if (gives_zeros(allocation, process)) waits_.for_work_of(scene_.objects, process);
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
  if (decisions().commits(OracleFault::FreedStaysMapped)) return nullptr;
  for (const Part& part : answer.parts) {
    if (const char* const why = entries_.unmap(part)) return why;
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
  const Protection protection = zero ? Protection::Zero : Protection::ReadWrite;
  if (const char* const why = unsupported(protection)) return why;
  if (const char* const why = need_space(process)) return why;
  const AllocationAddresses::Answer answer = addresses_.reserve(process, at, base, bytes, zero);
  return answer.refused != nullptr ? answer.refused : write_on_all(answer.parts);
}

const char* VirtualMemory::update_address(AllocationId allocation, const TileRequest& request) {
  if (const char* const why = unsupported(protection_of(request))) return why;
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
  tables_.evict_all();
}

// -- paging

// One that moves has come to its new place by then.
void VirtualMemory::leave(const vidmm::PagingStep& step) {
  if (decisions().evicts_at_once()) {
    waits_.for_paging();
  } else {
    waits_.for_earlier_work();
  }
  const PlaceInSegment now = scene_.residency.planned(step.allocation);
  if (now == PlaceInSegment{step.segment, step.page}) lead_nowhere(step.allocation);
}

void VirtualMemory::change_aperture(const vidmm::PagingStep& step) {
  if (!scene_.objects.allocation(step.allocation).accessed_physically) {
    return queue_.take_effect(StepEffect{step});
  }
  queue_.queue_physical(step);
  waits_.for_earlier_work();
}

void VirtualMemory::carry_out(const vidmm::PagingStep& step) {
  switch (step.kind) {
    case vidmm::StepKind::Fill:
    case vidmm::StepKind::TransferIn:
    case vidmm::StepKind::TransferWithin:
      contents_.bring_in(step);
      waits_.for_earlier_work();
      return lead_to(step.allocation, contents_.in_segment(step, 0, step.pages));
    case vidmm::StepKind::TransferOut:
      leave(step);
      return contents_.take_out(step);
    case vidmm::StepKind::Discard:
      leave(step);
      contents_.tell(step, false);
      return queue_.take_effect(StepEffect{step});
    case vidmm::StepKind::MapAperture:
      change_aperture(step);
      return lead_to(step.allocation, contents_.in_system(step.allocation, 0, step.pages));
    case vidmm::StepKind::UnmapAperture:
      leave(step);
      return change_aperture(step);
  }
}

}  // namespace wddm::host
