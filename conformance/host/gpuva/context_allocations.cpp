#include "conformance/host/gpuva/context_allocations.h"

#include <algorithm>
#include <cstring>
#include <utility>

#include "conformance/host/boundary/decision_seat.h"
#include "conformance/host/boundary/session.h"
#include "conformance/host/gpuva/byte_differences.h"
#include "conformance/host/gpuva/context_allocation_request.h"
#include "conformance/host/gpuva/tables/page_table_operations.h"
#include "conformance/host/gpuva/tables/paging_layout.h"
#include "conformance/host/memory/guarded_names.h"

namespace wddm::host {
namespace {

// Kind in the upper bits, number in the lower, as for the handles of objects.cpp.
constexpr std::uintptr_t kContextAllocationHandles = 0x30000000;
constexpr std::uintptr_t kHandleStep = 0x40;

// More would only exhaust the machine.
constexpr std::size_t kMostAllocations = 4096;
constexpr std::uint64_t kMostBytes = kWindowBytes;  // one window shows all of it
constexpr UINT kMostPrivateBytes = 1u << 16;

// What the pages hold beside the allocation and before it is initialized, and what overwrites
// private data: the guards of no driver's data.
constexpr std::uint8_t kGuard = 0xD6;
constexpr std::uint8_t kPoison = 0xE9;

// AccessedPhysically and ExplicitResidencyNotification.
constexpr UINT kNotified = 0x18000;

// ContextAllocationWritten::passed and ContextAllocationUpdated::given. No digest: private data are
// the driver's own structures, with whatever its stack left between their members.
constexpr std::uint64_t kAsGiven = 1;

ContextAllocations* g_context_allocations = nullptr;

HANDLE handle_of(std::uint32_t number) {
  return reinterpret_cast<HANDLE>(kContextAllocationHandles + (number + 1) * kHandleStep);
}

}  // namespace

ContextAllocations& current_context_allocations() {
  return *g_context_allocations;
}

ContextAllocations::ContextAllocations(const Adapter& adapter, const PagingScene& scene,
                                       AddressSpaces& spaces, TablePlaces& places,
                                       PagingQueue& queue, JobWaits& waits)
    : adapter_(adapter),
      scene_(scene),
      spaces_(spaces),
      places_(places),
      queue_(queue),
      waits_(waits) {
  g_context_allocations = this;
}

ContextAllocations::~ContextAllocations() {
  g_context_allocations = nullptr;
}

ContextAllocations::Allocation* ContextAllocations::named_by(HANDLE handle, std::uint32_t* number) {
  for (std::uint32_t i = 0; i < allocations_.size(); ++i) {
    if (!allocations_[i].live || handle_of(i) != handle) continue;
    *number = i;
    return &allocations_[i];
  }
  return nullptr;
}

NTSTATUS ContextAllocations::take(DXGKARGCB_CREATECONTEXTALLOCATION& request,
                                  Allocation& made) const {
  const bool shared = request.ContextAllocationFlags.SharedAcrossContexts;
  const auto context = Objects::context_named_by(request.hContext);
  const auto device = Objects::device_named_by(request.hDevice);
  if (shared ? !device || *device == kSystemDevice : !context || context->value >= kSlots) {
    return STATUS_INVALID_PARAMETER;
  }
  if (request.Size == 0 || request.SupportedSegmentSet == 0) return STATUS_INVALID_PARAMETER;
  if (!adapter_.has_gpu_mmu()) return STATUS_NOT_SUPPORTED;
  // It is in memory of the context's GPU; one of a device is the first GPU's.
  if (!shared) made.physical_adapter = scene_.objects.context(*context).engine.physical_adapter;
  if (made.physical_adapter >= adapter_.physical_adapters()) return STATUS_INVALID_PARAMETER;
  const auto segment = segment_for(request, adapter_, made.physical_adapter);
  if (!segment || request.Size > kMostBytes) return STATUS_NOT_SUPPORTED;
  made.live = true;
  made.driver = request.hDriverAllocation;
  if (!shared) made.context = context;
  if (shared) made.device = *device;
  made.process =
      scene_.objects.device(shared ? *device : scene_.objects.context(*context).device).process;
  made.bytes = request.Size;
  made.alignment = request.Alignment;
  made.segment = *segment;
  made.notified = (request.Flags.Value & kNotified) == kNotified;
  return STATUS_SUCCESS;
}

NTSTATUS ContextAllocations::create(DXGKARGCB_CREATECONTEXTALLOCATION& request) {
  Allocation made;
  NTSTATUS status = take(request, made);
  const auto unused = std::find_if(allocations_.begin(), allocations_.end(),
                                   [](const auto& each) { return !each.live && !each.place; });
  const bool is_new = unused == allocations_.end();
  if (NT_SUCCESS(status) && is_new && allocations_.size() == kMostAllocations) {
    status = STATUS_NO_MEMORY;
  }
  ev::ContextAllocationMade seen{.size = request.Size,
                                 .number = kNone,
                                 .context = made.context ? made.context->value : kNone,
                                 .device = made.context ? kNone : made.device.value,
                                 .segment = made.segment.value,
                                 .alignment = request.Alignment,
                                 .flags = request.Flags.Value,
                                 .status = static_cast<std::uint32_t>(status),
                                 .named = named_how(request, scene_.objects),
                                 .set = request.SupportedSegmentSet};
  if (NT_SUCCESS(status)) {
    seen.number = static_cast<std::uint32_t>(unused - allocations_.begin());
    if (is_new) {
      allocations_.push_back(std::move(made));
    } else {
      *unused = std::move(made);
    }
    request.hAllocation = handle_of(seen.number);
  }
  session().tap(seen);
  return status;
}

// Its memory is free when the VidMm worker comes to it.
NTSTATUS ContextAllocations::destroy(HANDLE handle) {
  std::uint32_t number = 0;
  Allocation* const allocation = named_by(handle, &number);
  if (allocation == nullptr) return STATUS_INVALID_HANDLE;
  allocation->live = false;
  if (!allocation->place) mappings_->give_up(named(number));
  return STATUS_SUCCESS;
}

void ContextAllocations::give_back_ended() {
  for (std::uint32_t i = 0; i < allocations_.size(); ++i) {
    Allocation& allocation = allocations_[i];
    if (allocation.live || !allocation.place) continue;
    mappings_->forget(named(i));
    give_back_former(i);
    places_.give_back(*allocation.place);
    allocation.place.reset();
  }
}

// Nothing is paged any more: entries go with the tables that they stand in.
void ContextAllocations::end() {
  for (std::uint32_t i = 0; i < allocations_.size(); ++i) {
    allocations_[i].live = false;
    mappings_->give_up(named(i));
  }
  give_back_ended();
  allocations_.clear();
}

ContextAllocations::Bytes ContextAllocations::contents(const Allocation& allocation) const {
  const std::uint8_t* const seen =
      places_.cpu_address(*allocation.place, allocation.physical_adapter);
  return seen == nullptr ? Bytes{} : Bytes(seen, seen + allocation.place->pages * kPageSize);
}

const char* ContextAllocations::begin(ContextId context) {
  give_back_ended();
  for (std::uint32_t i = 0; i < allocations_.size(); ++i) {
    const Allocation& allocation = allocations_[i];
    if (!allocation.live || allocation.place || !is_of(allocation, context)) continue;
    if (const char* const why = initialize(i)) return why;
  }
  return nullptr;
}

bool ContextAllocations::is_of(const Allocation& allocation, ContextId context) const {
  return allocation.context ? *allocation.context == context
                            : allocation.device == scene_.objects.context(context).device;
}

// One that was not initialized is not resident either.
const char* ContextAllocations::initialize(std::uint32_t number) {
  Allocation& allocation = allocations_[number];
  TableShape shape{.segment = allocation.segment,
                   .pages = static_cast<std::uint32_t>(pages_of(allocation.bytes)),
                   .alignment = allocation.alignment};
  // Addresses and places are alike inside a page of 64 KB (PGSZ-003).
  if (named(number).pages_64k) {
    constexpr auto kLarge = static_cast<std::uint32_t>(gpummu::kPagesPer64K);
    shape.pages = (shape.pages + kLarge - 1) / kLarge * kLarge;
    shape.alignment = std::max<std::uint32_t>(shape.alignment, gpummu::kPageSize64K);
  }
  allocation.place = places_.take(shape);
  if (!allocation.place) return "there is no memory for a context allocation";
  const char* why = fill(number);
  if (why == nullptr) why = lead_to_place(number);
  if (why != nullptr) {
    places_.give_back(*allocation.place);
    allocation.place.reset();
  }
  return why;
}

const char* ContextAllocations::fill(std::uint32_t number) {
  Allocation& allocation = allocations_[number];
  if (decisions().commits(OracleFault::InitializeAfterUse)) {
    if (allocation.notified) static_cast<void>(tell(allocation, true));
    return nullptr;
  }
  const TablePlace& place = *allocation.place;
  const std::uint32_t gpu = allocation.physical_adapter;
  if (std::uint8_t* const bytes = places_.cpu_address(place, gpu)) {
    std::memset(bytes, kGuard, place.pages * kPageSize);
  }
  const std::uint64_t address =
      adapter_.segment(place.address.segment, gpu).base + place.address.offset;
  waits_.for_paging();
  if (!spaces_.show(kDestination, place, 0, place.pages)) return "it cannot be mapped for paging";
  // The address that only allocations of apertures have leads elsewhere.
  const memory::GuardedBuffer elsewhere(allocation.bytes, false, memory::FrameOwner::Driver);
  std::fill_n(elsewhere.data(), elsewhere.size(), kGuard);
  const PagingOperationPtr operation = context_init_of(allocation.driver, place.address.segment,
                                                       address, kDestination, allocation.bytes);
  operation->args.InitContextResource.Destination.VirtualAddress = elsewhere.data();
  Execution execution;
  carry_out(allocation, operation, false, execution);
  if (waits_.abandoned()) return nullptr;
  execution.astray = static_cast<std::uint32_t>(
      std::count_if(elsewhere.data(), elsewhere.data() + elsewhere.size(),
                    [](std::uint8_t byte) { return byte != kGuard; }));
  report(number, DXGK_OPERATION_INIT_CONTEXT_RESOURCE, execution, nullptr);
  if (!NT_SUCCESS(execution.status)) return "the driver does not initialize it";
  if (allocation.notified) static_cast<void>(tell(allocation, true));
  return nullptr;
}

// -- addresses

ContextMappings::Named ContextAllocations::named(std::uint32_t number) const {
  const Allocation& allocation = allocations_[number];
  const auto& segment = adapter_.segment(allocation.segment, allocation.physical_adapter);
  return {.number = number,
          .process = allocation.process,
          .pages = pages_of(allocation.bytes),
          .pages_64k = segment.flags.Use64KBPages != 0};
}

NTSTATUS ContextAllocations::map(const DXGKARGCB_MAPCONTEXTALLOCATION& request,
                                 D3DGPU_VIRTUAL_ADDRESS* address) {
  std::uint32_t number = 0;
  if (named_by(request.hAllocation, &number) == nullptr) return STATUS_INVALID_HANDLE;
  return mappings_->ask(named(number), request, address);
}

const char* ContextAllocations::lead_to_place(std::uint32_t number) {
  const TablePlace& place = *allocations_[number].place;
  gpummu::PhysicalAddress at = place.address;
  at.adapter = gpummu::PhysicalAdapterIndex{
      static_cast<std::uint16_t>(allocations_[number].physical_adapter)};
  return mappings_->lead_to(named(number), {{at, place.pages * kPageSize}});
}

const char* ContextAllocations::write_mappings(ProcessId process) {
  if (mappings_->unwritten().empty()) return nullptr;
  const std::vector<std::uint32_t> unwritten = mappings_->unwritten();
  for (const std::uint32_t number : unwritten) {
    const Allocation& allocation = allocations_[number];
    if (!allocation.live || !allocation.place || allocation.process != process) continue;
    if (const char* const why = lead_to_place(number)) return why;
  }
  return nullptr;
}

// -- operations

void ContextAllocations::carry_out(Allocation& allocation, const PagingOperationPtr& operation,
                                   bool poison, Execution& execution) {
  execution.before = contents(allocation);
  operation->physical_adapter = allocation.physical_adapter;
  PagingQueue::Buffers buffers = queue_.build(operation);
  execution.status = static_cast<NTSTATUS>(operation->status);
  execution.passed = std::equal(given_.begin(), given_.end(), private_data_.data()) ? kAsGiven : 0;
  if (poison) std::fill_n(private_data_.data(), given_.size(), kPoison);
  queue_.queue(std::move(buffers));
  waits_.for_paging();
  if (!waits_.abandoned()) execution.after = contents(allocation);
}

void ContextAllocations::report(std::uint32_t number, DXGK_BUILDPAGINGBUFFER_OPERATION operation,
                                const Execution& execution, const Execution* before) const {
  const std::uint64_t end = execution.after.size();
  const std::uint64_t size = std::min(allocations_[number].bytes, end);
  const Differences inside = compare(execution.before, execution.after, 0, size);
  const Differences outside = compare(execution.before, execution.after, size, end);
  const Differences unlike =
      before != nullptr ? compare(before->after, execution.after, 0, end) : Differences{};
  const bool updated = operation == DXGK_OPERATION_UPDATE_CONTEXT_ALLOCATION;
  session().tap(
      ev::ContextAllocationWritten{.size = allocations_[number].bytes,
                                   .passed = updated ? execution.passed : 0,
                                   .operation = static_cast<std::uint32_t>(operation),
                                   .number = number,
                                   .status = static_cast<std::uint32_t>(execution.status),
                                   .bytes = updated ? static_cast<std::uint32_t>(given_.size()) : 0,
                                   .changed = end == 0 ? kNone : inside.count,
                                   .outside = outside.count,
                                   .first_outside = outside.first,
                                   .unlike = unlike.count,
                                   .first_unlike = unlike.first,
                                   .astray = execution.astray});
}

// -- updates

void ContextAllocations::thread(void* context) {
  static_cast<ContextAllocations*>(context)->work();
}

void ContextAllocations::work() {
  for (;;) {
    asked_.wait_for_work("an update of a context allocation");
    carry_out_update();
    done_.set();
  }
}

NTSTATUS ContextAllocations::update(const DXGKARGCB_UPDATECONTEXTALLOCATION& request) {
  std::uint32_t number = 0;
  const Allocation* const allocation = named_by(request.hAllocation, &number);
  if (allocation == nullptr) return STATUS_INVALID_HANDLE;
  if (request.PrivateDriverDataSize > kMostPrivateBytes ||
      (request.PrivateDriverDataSize != 0 && request.pPrivateDriverData == nullptr)) {
    return STATUS_INVALID_PARAMETER;
  }
  if (!spaces_.setting() || !allocation->place) return STATUS_NOT_SUPPORTED;
  // One at a time: a driver may ask again from within the operation that this one becomes.
  if (std::exchange(at_work_, true)) return STATUS_DEVICE_BUSY;
  const std::uint32_t setting = spaces_.setting()->value;
  updated_ = number;
  const auto* const data = static_cast<const std::uint8_t*>(request.pPrivateDriverData);
  given_.assign(data, data + request.PrivateDriverDataSize);
  private_data_ = memory::GuardedBuffer(std::max(request.PrivateDriverDataSize, 1u), false,
                                        memory::FrameOwner::Driver);
  memory::name_buffer(private_data_, "context allocation's private data");
  if (!started_) nt::spawn_host_thread("context allocations", &ContextAllocations::thread, this);
  started_ = true;
  ev::ContextAllocationUpdated seen{.given = kAsGiven,
                                    .number = number,
                                    .bytes = request.PrivateDriverDataSize,
                                    .setting = setting};
  const bool returns_early = decisions().commits(OracleFault::ReturnBeforeUpdate);
  if (returns_early) session().tap(seen);
  asked_.set();
  done_.wait("an update of a context allocation");
  at_work_ = false;
  seen.status = static_cast<std::uint32_t>(result_);
  if (!returns_early) session().tap(seen);
  return result_;
}

void ContextAllocations::carry_out_update() {
  Allocation& allocation = allocations_[updated_];
  look_at_former(updated_, FormerPlace::Occasion::WorkEnded);
  result_ = STATUS_UNSUCCESSFUL;
  waits_.for_paging();
  const TablePlace& place = *allocation.place;
  if (waits_.abandoned() || !spaces_.show(kDestination, place, 0, place.pages)) return;
  const auto update = [&] {
    std::copy(given_.begin(), given_.end(), private_data_.data());
    return context_update_of(kDestination, allocation.bytes, private_data_.data(),
                             static_cast<std::uint32_t>(given_.size()));
  };
  Execution first, second;
  carry_out(allocation, update(), true, first);
  if (waits_.abandoned()) return;
  report(updated_, DXGK_OPERATION_UPDATE_CONTEXT_ALLOCATION, first, nullptr);
  result_ = first.status;
  if (!NT_SUCCESS(result_) || first.before.empty()) return;
  std::memcpy(places_.cpu_address(place, allocation.physical_adapter), first.before.data(),
              first.before.size());
  carry_out(allocation, update(), false, second);
  if (waits_.abandoned()) return;
  report(updated_, DXGK_OPERATION_UPDATE_CONTEXT_ALLOCATION, second, &first);
  result_ = second.status;
}

}  // namespace wddm::host
