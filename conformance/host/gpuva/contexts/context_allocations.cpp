#include "conformance/host/gpuva/contexts/context_allocations.h"

#include <algorithm>
#include <utility>

#include "conformance/host/adapter/objects/object_handles.h"
#include "conformance/host/boundary/decision_seat.h"
#include "conformance/host/boundary/session.h"
#include "conformance/host/gpuva/contexts/context_allocation_request.h"
#include "conformance/host/gpuva/contexts/context_departure.h"
#include "conformance/host/gpuva/tables/paging_layout.h"

namespace wddm::host {
namespace {

// Kind in the upper bits, number in the lower, as for those of object_handles.h.
constexpr std::uintptr_t kContextAllocationHandles = 0x30000000;

// More would only exhaust the machine.
constexpr std::size_t kMostAllocations = 4096;
constexpr UINT kMostPrivateBytes = 1u << 16;

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
                                       PagingQueue& queue, JobWaits& waits, Residency& residency,
                                       const PredictedMemory& memory)
    : adapter_(adapter),
      scene_(scene),
      places_(places),
      queue_(queue),
      waits_(waits),
      operations_(adapter, spaces, places, queue, waits),
      apertures_(scene, residency, memory, queue, waits),
      moves_(scene, spaces, places, queue, waits, operations_, apertures_),
      updates_(spaces, operations_) {
  g_context_allocations = this;
}

ContextAllocations::~ContextAllocations() {
  g_context_allocations = nullptr;
}

ContextAllocation* ContextAllocations::named_by(HANDLE handle) {
  for (ContextAllocation& allocation : allocations_) {
    if (allocation.live && handle_of(allocation.named.number) == handle) return &allocation;
  }
  return nullptr;
}

NTSTATUS ContextAllocations::take(DXGKARGCB_CREATECONTEXTALLOCATION& request,
                                  ContextAllocation& made) const {
  const bool shared = request.ContextAllocationFlags.SharedAcrossContexts;
  const auto context = Contexts::named_by(request.hContext);
  const auto device = Objects::device_named_by(request.hDevice);
  if (shared ? !device || *device == kSystemDevice : !context || context->value >= kSlots) {
    return STATUS_INVALID_PARAMETER;
  }
  if (request.Size == 0 || request.SupportedSegmentSet == 0) return STATUS_INVALID_PARAMETER;
  if (!adapter_.has_gpu_mmu()) return STATUS_NOT_SUPPORTED;
  // It is in memory of the context's GPU; for one of a device no other than the driver can say.
  made.physical_adapter = shared ? request.PhysicalAdapterIndex
                                 : scene_.objects.context(*context).engine.physical_adapter;
  if (made.physical_adapter >= adapter_.physical_adapters()) return STATUS_INVALID_PARAMETER;
  const auto segment = segment_for(request, adapter_, made.physical_adapter);
  if (!segment || request.Size > kWindowBytes) return STATUS_NOT_SUPPORTED;
  made.live = true;
  made.driver = request.hDriverAllocation;
  if (!shared) made.context = context;
  made.device = shared ? *device : scene_.objects.context(*context).device;
  made.bytes = request.Size;
  made.alignment = request.Alignment;
  made.segment = *segment;
  made.named.process = scene_.objects.device(made.device).process;
  made.named.pages = pages_of(request.Size);
  made.named.pages_64k = adapter_.segment(*segment, made.physical_adapter).flags.Use64KBPages != 0;
  made.named.cached = request.Flags.Cached != 0;
  made.in_aperture = adapter_.segment(*segment, made.physical_adapter).flags.Aperture != 0;
  made.accessed_physically = request.Flags.AccessedPhysically != 0;
  made.wants_notices = request.Flags.ExplicitResidencyNotification != 0;
  made.has_cpu_address = has_cpu_address(request, adapter_, made.physical_adapter);
  return STATUS_SUCCESS;
}

NTSTATUS ContextAllocations::create(DXGKARGCB_CREATECONTEXTALLOCATION& request) {
  ContextAllocation made;
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
                                 .set = request.SupportedSegmentSet,
                                 .preferred = request.PreferredSegment.Value};
  if (NT_SUCCESS(status)) {
    seen.number = static_cast<std::uint32_t>(unused - allocations_.begin());
    made.named.number = seen.number;
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
  ContextAllocation* const allocation = named_by(handle);
  if (allocation == nullptr) return STATUS_INVALID_HANDLE;
  allocation->live = false;
  if (!allocation->place) mappings_->give_up(allocation->named);
  return STATUS_SUCCESS;
}

void ContextAllocations::give_back_ended() {
  for (std::uint32_t i = 0; i < allocations_.size(); ++i) {
    ContextAllocation& allocation = allocations_[i];
    if (allocation.live || !allocation.place) continue;
    mappings_->forget(allocation.named);
    apertures_.hide(allocation);
    allocation.give_back_former();
    places_.give_back(*allocation.place);
    allocation.place.reset();
    allocation.evicted = false;
  }
}

// Nothing is paged any more: entries go with the tables that they stand in.
void ContextAllocations::end() {
  updates_.give_up();
  for (ContextAllocation& allocation : allocations_) {
    allocation.live = false;
    mappings_->give_up(allocation.named);
    apertures_.forget(allocation);
  }
  give_back_ended();
  allocations_.clear();
}

const char* ContextAllocations::begin(ContextId context) {
  give_back_ended();
  for (std::uint32_t i = 0; i < allocations_.size(); ++i) {
    ContextAllocation& allocation = allocations_[i];
    if (!allocation.live || allocation.place || !is_of(allocation, context)) continue;
    if (const char* const why = initialize(allocation)) return why;
  }
  return nullptr;
}

bool ContextAllocations::is_of(const ContextAllocation& allocation, ContextId context) const {
  return allocation.context ? *allocation.context == context
                            : allocation.device == scene_.objects.context(context).device;
}

// One that was not initialized is not resident either.
const char* ContextAllocations::initialize(ContextAllocation& allocation) {
  TableShape shape{.segment = allocation.in_aperture ? kNoSegment : allocation.segment,
                   .pages = static_cast<std::uint32_t>(pages_of(allocation.bytes)),
                   .alignment = allocation.alignment};
  // Addresses and places are alike inside a page of 64 KB (PGSZ-003).
  if (allocation.named.pages_64k) {
    constexpr auto kLarge = static_cast<std::uint32_t>(gpummu::kPagesPer64K);
    shape.pages = (shape.pages + kLarge - 1) / kLarge * kLarge;
    shape.alignment = std::max<std::uint32_t>(shape.alignment, gpummu::kPageSize64K);
  }
  allocation.place = places_.take(shape);
  if (!allocation.place) return "there is no memory for a context allocation";
  const bool shown = allocation.in_aperture && allocation.accessed_physically;
  const char* why = shown ? apertures_.show(allocation) : nullptr;
  if (why == nullptr) why = operations_.initialize(allocation);
  if (why == nullptr) why = mappings_->lead_to(allocation.named, allocation.pages());
  if (why != nullptr) {
    apertures_.hide(allocation);
    places_.give_back(*allocation.place);
    allocation.place.reset();
  }
  return why;
}

const char* ContextAllocations::leave(DeviceId device) {
  waits_.for_work_of(scene_.objects, scene_.objects.device(device).process);
  give_back_ended();
  if (const char* const refused = leave_contexts(device, adapter_, scene_, queue_)) return refused;
  waits_.for_paging();
  return nullptr;
}

// What an engine may still save its state in has to stay, and nothing makes this engine leave.
const char* ContextAllocations::evict(ContextId context) {
  const ContextObject& object = scene_.objects.context(context);
  // What a driver builds itself is submitted without being prepared by VidMm.
  if (object.is_test) return "it is a test context";
  const DeviceId device = object.device;
  waits_.for_work_of(scene_.objects, scene_.objects.device(device).process);
  const bool stays = !adapter_.preemption_aware() && is_entered(device, adapter_, scene_, queue_);
  if (stays) return "an engine is in the context, and the driver has no packets that leave it";
  return take_elsewhere(context, Elsewhere::InSystem);
}

// In what goes without power no engine keeps anything of a context.
void ContextAllocations::evict_all() {
  for (std::uint32_t i = 0; i < allocations_.size() && !waits_.abandoned(); ++i) {
    ContextAllocation& allocation = allocations_[i];
    if (!allocation.resident() || !allocation.has_to_leave()) continue;
    if (leave(allocation.device) == nullptr) static_cast<void>(moves_.evict(allocation));
  }
}

void ContextAllocations::restore() {
  for (std::uint32_t i = 0; i < allocations_.size() && !waits_.abandoned(); ++i) {
    ContextAllocation& allocation = allocations_[i];
    const bool unprepared =
        !allocation.context || scene_.objects.context(*allocation.context).is_test;
    if (!allocation.live || !allocation.evicted || !unprepared) continue;
    static_cast<void>(moves_.bring_back(allocation));
  }
}

const char* ContextAllocations::bring_back(ContextId context) {
  if (decisions().commits(OracleFault::RunWithoutItsMemory)) return nullptr;
  for (std::uint32_t i = 0; i < allocations_.size() && !waits_.abandoned(); ++i) {
    ContextAllocation& allocation = allocations_[i];
    if (!allocation.live || !allocation.evicted || !is_of(allocation, context)) continue;
    if (const char* const why = moves_.bring_back(allocation)) return why;
  }
  return nullptr;
}

const char* ContextAllocations::take_elsewhere(ContextId context, Elsewhere where) {
  const char* why =
      "the context has no allocation that would be found at another place: one that "
      "DxgkCbMapContextAllocation has given an address, or of which its driver is told";
  if (const char* const refused = leave(scene_.objects.context(context).device)) return refused;
  bool moved = false;
  for (std::uint32_t i = 0; i < allocations_.size() && !waits_.abandoned(); ++i) {
    ContextAllocation& allocation = allocations_[i];
    const bool can_move = allocation.resident() && allocation.can_move();
    if (!can_move || !is_of(allocation, context)) continue;
    const bool evicts = where == Elsewhere::InSystem;
    // Packets of companions are of the device too, and are prepared by nobody.
    if (evicts && !allocation.context) continue;
    const char* const refused = evicts ? moves_.evict(allocation) : moves_.move(allocation);
    if (refused != nullptr) why = refused;
    moved |= refused == nullptr;
  }
  return moved ? nullptr : why;
}

// -- addresses

NTSTATUS ContextAllocations::map(const DXGKARGCB_MAPCONTEXTALLOCATION& request,
                                 D3DGPU_VIRTUAL_ADDRESS* address) {
  ContextAllocation* const allocation = named_by(request.hAllocation);
  if (allocation == nullptr) return STATUS_INVALID_HANDLE;
  const NTSTATUS status = mappings_->ask(allocation->named, request, address);
  allocation->has_addresses |= NT_SUCCESS(status);
  return status;
}

const char* ContextAllocations::write_mappings(ProcessId process) {
  if (mappings_->unwritten().empty()) return nullptr;
  const std::vector<std::uint32_t> unwritten = mappings_->unwritten();
  for (const std::uint32_t number : unwritten) {
    const ContextAllocation& allocation = allocations_[number];
    if (!allocation.resident() || allocation.named.process != process) continue;
    if (const char* const why = mappings_->lead_to(allocation.named, allocation.pages())) {
      return why;
    }
  }
  return nullptr;
}

// -- updates

NTSTATUS ContextAllocations::update(const DXGKARGCB_UPDATECONTEXTALLOCATION& request) {
  ContextAllocation* const allocation = named_by(request.hAllocation);
  if (allocation == nullptr) return STATUS_INVALID_HANDLE;
  if (request.PrivateDriverDataSize > kMostPrivateBytes ||
      (request.PrivateDriverDataSize != 0 && request.pPrivateDriverData == nullptr)) {
    return STATUS_INVALID_PARAMETER;
  }
  return updates_.update(*allocation, request);
}

const char* ContextAllocations::provide(ContextAllocation& allocation) {
  return allocation.place ? nullptr : initialize(allocation);
}

}  // namespace wddm::host
