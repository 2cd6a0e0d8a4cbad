#include "conformance/host/gpuva/context_allocations.h"

#include <algorithm>
#include <cstring>
#include <utility>

#include "conformance/host/boundary/decision_seat.h"
#include "conformance/host/boundary/session.h"
#include "conformance/host/gpuva/context_allocation_request.h"
#include "conformance/host/gpuva/context_departure.h"
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

// How many bytes of a range differ, and the first that does.
struct Differences {
  std::uint32_t count = 0;
  std::uint32_t first = 0;
};
Differences compare(const std::vector<std::uint8_t>& one, const std::vector<std::uint8_t>& other,
                    std::uint64_t from, std::uint64_t end) {
  Differences found;
  for (std::uint64_t i = from; i < end; ++i) {
    if (one[i] == other[i]) continue;
    if (found.count++ == 0) found.first = static_cast<std::uint32_t>(i);
  }
  return found;
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
  const auto segment = segment_for(request, adapter_);
  if (!segment || request.Size > kMostBytes) return STATUS_NOT_SUPPORTED;
  made.live = true;
  made.driver = request.hDriverAllocation;
  if (!shared) made.context = context;
  if (shared) made.device = *device;
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
  return STATUS_SUCCESS;
}

void ContextAllocations::give_back_ended() {
  for (std::uint32_t i = 0; i < allocations_.size(); ++i) {
    Allocation& allocation = allocations_[i];
    if (allocation.live || !allocation.place) continue;
    give_back_former(i);
    places_.give_back(*allocation.place);
    allocation.place.reset();
  }
}

void ContextAllocations::end() {
  for (Allocation& allocation : allocations_) allocation.live = false;
  give_back_ended();
  allocations_.clear();
}

// The context's alone touches it; one of a device is the first GPU's.
std::uint32_t ContextAllocations::gpu_of(const Allocation& allocation) const {
  if (!allocation.context) return 0;
  return scene_.objects.context(*allocation.context).engine.physical_adapter;
}

ContextAllocations::Bytes ContextAllocations::contents(const Allocation& allocation) const {
  const std::uint8_t* const seen = places_.cpu_address(*allocation.place, gpu_of(allocation));
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
  allocation.place = places_.take({.segment = allocation.segment,
                                   .pages = static_cast<std::uint32_t>(pages_of(allocation.bytes)),
                                   .alignment = allocation.alignment});
  if (!allocation.place) return "there is no memory for a context allocation";
  const char* const why = fill(number);
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
  const std::uint32_t gpu = gpu_of(allocation);
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

// -- operations

void ContextAllocations::carry_out(Allocation& allocation, const PagingOperationPtr& operation,
                                   bool poison, Execution& execution) {
  execution.before = contents(allocation);
  operation->physical_adapter = gpu_of(allocation);
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
  std::memcpy(places_.cpu_address(place, gpu_of(allocation)), first.before.data(),
              first.before.size());
  carry_out(allocation, update(), false, second);
  if (waits_.abandoned()) return;
  report(updated_, DXGK_OPERATION_UPDATE_CONTEXT_ALLOCATION, second, &first);
  result_ = second.status;
}

// -- moves

const char* ContextAllocations::move(ContextId context) {
  if (adapter_.physical_adapters() > 1) return "context allocations of a link stay where they are";
  const char* why = "the context has no allocation whose place its driver is told of";
  const DeviceId device = scene_.objects.context(context).device;
  waits_.for_work_of(scene_.objects, scene_.objects.device(device).process);
  give_back_ended();
  if (const char* const refused = leave_contexts(device, adapter_, scene_, queue_)) return refused;
  waits_.for_paging();
  bool moved = false;
  for (std::uint32_t i = 0; i < allocations_.size() && !waits_.abandoned(); ++i) {
    const Allocation& allocation = allocations_[i];
    const bool can_move = allocation.live && allocation.place && allocation.notified;
    if (!can_move || !is_of(allocation, context)) continue;
    const char* const refused = move(i);
    if (refused != nullptr) why = refused;
    moved |= refused == nullptr;
  }
  return moved ? nullptr : why;
}

const char* ContextAllocations::move(std::uint32_t number) {
  Allocation& allocation = allocations_[number];
  give_back_former(number);
  TablePlace& from = *allocation.place;
  std::optional<TablePlace> to = places_.take(from);
  if (!to) return "there is no other place for it";
  const NTSTATUS gone = tell(allocation, false);
  if (!spaces_.show(kSource, from, 0, from.pages) ||
      !spaces_.show(kDestination, *to, 0, to->pages)) {
    places_.give_back(*to);
    static_cast<void>(tell(allocation, true));
    return "it cannot be mapped for paging";
  }
  const PagingOperationPtr transfer = virtual_transfer_of(
      scene_, {}, from.pages * kPageSize, kSource, kDestination, Direction::WithinLocal);
  transfer->args.TransferVirtual.hAllocation = allocation.driver;
  const Bytes before = contents(allocation);
  queue_.queue(transfer);
  waits_.for_paging();
  if (waits_.abandoned()) {
    places_.give_back(*to);
    return "work was given up";
  }
  const std::uint64_t left = from.address.offset;
  allocation.former = std::make_unique<FormerPlace>(places_, std::move(from));
  allocation.place = std::move(to);
  const Bytes after = contents(allocation);
  const gpummu::PhysicalAddress& now = allocation.place->address;
  const std::uint64_t seen =
      std::min<std::uint64_t>({before.size(), after.size(), allocation.bytes});
  const std::uint32_t unlike = seen == 0 ? kNone : compare(before, after, 0, seen).count;
  const NTSTATUS come = tell(allocation, true);
  session().tap(
      ev::ContextAllocationMoved{.from = left,
                                 .to = now.offset,
                                 .number = number,
                                 .context = allocation.context ? allocation.context->value : kNone,
                                 .device = allocation.context ? kNone : allocation.device.value,
                                 .segment = now.segment.value,
                                 .gone = static_cast<std::uint32_t>(gone),
                                 .come = static_cast<std::uint32_t>(come),
                                 .unlike = unlike});
  if (decisions().commits(OracleFault::InitializeAgain)) static_cast<void>(fill(number));
  return nullptr;
}

NTSTATUS ContextAllocations::tell(const Allocation& allocation, bool resident) {
  const gpummu::PhysicalAddress& now = allocation.place->address;
  const PagingOperationPtr notice =
      context_notice_of(allocation.driver, resident, resident ? now : gpummu::PhysicalAddress{});
  queue_.queue(notice);
  waits_.for_paging();
  return static_cast<NTSTATUS>(notice->status);
}

void ContextAllocations::look_at_former(std::uint32_t number,
                                        FormerPlace::Occasion occasion) const {
  const Allocation& allocation = allocations_[number];
  const std::uint32_t context = allocation.context ? allocation.context->value : kNone;
  if (allocation.former) allocation.former->look(number, context, occasion);
}

void ContextAllocations::give_back_former(std::uint32_t number) {
  look_at_former(number, FormerPlace::Occasion::GivenBack);
  allocations_[number].former.reset();
}

}  // namespace wddm::host
