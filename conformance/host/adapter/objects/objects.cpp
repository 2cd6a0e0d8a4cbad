#include "conformance/host/adapter/objects/objects.h"

#include <algorithm>
#include <cstddef>
#include <cstring>

#include "conformance/host/adapter/objects/allocation_frames.h"
#include "conformance/host/adapter/objects/client_data.h"
#include "conformance/host/adapter/objects/data_for_call.h"
#include "conformance/host/adapter/objects/object_handles.h"
#include "conformance/host/adapter/objects/prefilled_allocation.h"
#include "conformance/host/adapter/system_memory_segment.h"
#include "conformance/host/boundary/ddi_call.h"
#include "conformance/host/boundary/decision_seat.h"
#include "reference/gpummu/address.h"

namespace wddm::host {
namespace {

Objects* g_objects = nullptr;

constexpr const char* kDriverRefused = "the driver refused";

// What may lie in a segment of 64 KB pages has whole ones of its own (PGSZ-003).
std::uint32_t in_large_pages(std::uint32_t pages) {
  return (pages + gpummu::kPagesPer64K - 1) / gpummu::kPagesPer64K * gpummu::kPagesPer64K;
}

// More would only exhaust the machine; drivers round sizes up by far less.
constexpr std::uint64_t kMostPages = 1u << 16;

}  // namespace

PVOID handle_data(const DXGKARGCB_GETHANDLEDATA& args) {
  return g_objects == nullptr ? nullptr : g_objects->data_of(args);
}

Objects::Objects(Adapter& adapter, const Processes& processes, const WddmClient* client)
    : adapter_(adapter), processes_(processes), client_(client), contexts_(adapter, *this) {
  if (client_ != nullptr) client_instance_ = client_->create();
  g_objects = this;
  forget_data_of_calls();
}

Objects::~Objects() {
  g_objects = nullptr;
  if (client_instance_ != nullptr) client_->destroy(client_instance_);
}

std::optional<DeviceId> Objects::device_named_by(HANDLE os_handle) {
  const std::uint32_t number = number_named_by(kDeviceHandles, os_handle);
  return number < kSlots + 1 ? std::optional(DeviceId{number}) : std::nullopt;
}

D3DKMT_HANDLE Objects::lent_handle(std::size_t index) {
  return kLentHandles + (static_cast<std::uint32_t>(index) + 1) * kHandleStep;
}

PVOID Objects::data_of(const DXGKARGCB_GETHANDLEDATA& args) const {
  const std::uint32_t kind = args.hObject & 0xf0000000;
  const std::uint32_t index = (args.hObject & 0x0fffffff) / kHandleStep;
  if (args.hObject % kHandleStep != 0 || index == 0) return nullptr;
  if (kind == kLentHandles && index <= lent_.drivers.size() &&
      number_in(args.Type) == DXGK_HANDLE_ALLOCATION) {
    return (args.Flags.DeviceSpecific ? lent_.device_specific : lent_.drivers)[index - 1];
  }
  const AllocationId id{index - 1};
  if (kind != kAllocationHandles || id > kMarkerAllocation) return nullptr;
  if (number_in(args.Type) != DXGK_HANDLE_ALLOCATION) return nullptr;
  const AllocationObject& allocation = allocations_[id];
  return args.Flags.DeviceSpecific ? allocation.device_specific : allocation.driver;
}

bool Objects::create_device(DeviceId id, ProcessId process) {
  DeviceObject& device = devices_[id];
  if (device.live || !may_call(DdiId::CreateDevice)) return false;
  if (adapter_.has_virtual_addresses() && !processes_.live(process)) return false;
  DXGKARG_CREATEDEVICE create{};
  create.hDevice = os_handle(kDeviceHandles, id);
  // Without contexts the device is what renders, and says what it needs for that where the flags
  // are otherwise: in what it is pointed to, or by a pointer of its own.
  DXGK_DEVICEINFO info{};
  if (adapter_.has_contexts()) {
    create.Flags.SystemDevice = id == kSystemDevice;
  } else {
    create.pInfo = &info;
  }
  PrefilledAnswer prefilled(WDDM_ANSWER(DXGK_DEVICEINFO, info, DmaBufferSize, Flags), prefills_);
  create.Pasid = processes_.pasid(process, 0);
  const bool nameless = decisions().commits(OracleFault::DeviceNamesNoProcess);
  create.hKmdProcess = nameless ? nullptr : processes_.driver(process);
  const NTSTATUS status = call_ddi<DdiId::CreateDevice>(id, adapter_.miniport(), &create);
  const bool made = NT_SUCCESS(status);
  prefilled.read_if(made && create.pInfo == &info, DdiId::CreateDevice, id.value, 0);
  const HandleJudged judged =
      made ? judge_handle(create.hDevice, os_handle(kDeviceHandles, id), kAllDevices, devices_)
           : HandleJudged{};
  const bool answers = made && !adapter_.has_contexts() && create.pInfo != nullptr;
  const DXGK_DEVICEINFO answer = answers ? *create.pInfo : DXGK_DEVICEINFO{};
  session().tap(ev::DeviceCreated{.device = id.value,
                                  .status = static_cast<std::uint32_t>(status),
                                  .handle = judged.handle,
                                  .same_as = judged.same_as,
                                  .process = process.value,
                                  .named = create.hKmdProcess ? process.value : kNone,
                                  .dma_segments = answer.DmaBufferSegmentSet,
                                  .dma_bytes = answer.DmaBufferSize});
  if (!made) return false;
  device = {true, process, create.hDevice, answer};
  return true;
}

void Objects::create_system_contexts() {
  if (create_device(kSystemDevice, kSystemProcess)) contexts_.create_those_of_system();
}

bool Objects::private_data(const WddmAllocationRequest& request, PrivateData& out) {
  return ask_client_data(adapter_, client_, client_instance_, request, out);
}

bool Objects::create_allocation(AllocationId id, DeviceId device, std::uint32_t pages, Place place,
                                bool cpu_visible, std::uint32_t physical_adapter, bool shared) {
  refusal_ = allocations_[id].live ? "the slot is in use" : "no such device";
  if (allocations_[id].live || !devices_[device].live) return false;
  refusal_ = client_ != nullptr ? "the client has no such allocation: see allocation_data()"
                                : "without a client: the driver knows no surface of its own";
  if (!may_call(DdiId::CreateAllocation) || !may_call(DdiId::OpenAllocation)) return false;
  if (place == Place::Aperture && !has_aperture(adapter_)) {
    refusal_ = "there is no aperture";
    return false;
  }
  const WddmAllocationRequest request{.size = sizeof(request),
                                      .segment = 0,
                                      .bytes = pages * kPageSize,
                                      .cpu_visible = cpu_visible,
                                      .aperture = place == Place::Aperture,
                                      .shared = shared,
                                      .reserved = 0,
                                      .physical_adapter = physical_adapter};
  PrivateData data;
  if (!private_data(request, data)) return false;
  return make(id, device, std::move(data), request, false);
}

// Whose size and look only the driver knows; its private data go to whoever opens it.
bool Objects::create_primary(AllocationId id, std::uint32_t rows) {
  refusal_ = allocations_[id].live ? "the slot is in use" : "no such device";
  if (allocations_[id].live || !devices_[kFirstDevice].live) return false;
  refusal_ = "the driver has no shared primary";
  if (!may_call(DdiId::CreateAllocation) || !may_call(DdiId::OpenAllocation)) return false;
  PrivateData data;
  const StandardSurface surface{D3DKMDT_STANDARDALLOCATION_SHAREDPRIMARYSURFACE, rows};
  if (!ask_standard_data(adapter_, surface, data)) return false;
  WddmAllocationRequest request{};
  request.shared = 1;
  return make(id, kFirstDevice, std::move(data), request, true);
}

bool Objects::make(AllocationId id, DeviceId device, PrivateData data,
                   const WddmAllocationRequest& request, bool primary) {
  const bool shared = request.shared != 0;
  refusal_ = kDriverRefused;
  DataForCall allocation_data(data.allocation), resource_data(data.resource);
  DXGK_ALLOCATIONINFO info{};
  info.pPrivateDriverData = allocation_data.place();
  info.PrivateDriverDataSize = static_cast<UINT>(data.allocation.size());
  PrefilledAllocation prefilled(info, prefills_);
  DXGKARG_CREATEALLOCATION create{};
  create.NumAllocations = 1;
  create.pAllocationInfo = &info;
  create.pPrivateDriverData = resource_data.place();
  create.PrivateDriverDataSize = static_cast<UINT>(data.resource.size());
  create.Flags.Resource = shared;  // nothing else can be shared
  const NTSTATUS status = call_ddi<DdiId::CreateAllocation>(id, adapter_.miniport(), &create);
  allocation_data.take_back();
  resource_data.take_back();
  prefilled.read_if(NT_SUCCESS(status), id.value);
  if (!NT_SUCCESS(status)) return false;
  describe(id, info, device, request, primary);
  AllocationObject& allocation = allocations_[id];
  allocation.device = device;
  allocation.shared = shared;
  allocation.resource = shared ? create.hResource : nullptr;
  // From here on the driver has it, and what is refused is destroyed.
  allocation.live = true;
  sizes_[id] = allocation.bytes;
  asked_sizes_[id] = std::min(request.bytes, allocation.bytes);
  const bool possible = allocation.bytes != 0 && allocation.pages <= kMostPages &&
                        allocation.pages <= memory::frames_available();
  if (possible) {
    allocation.frames.resize(allocation.pages);
    take_allocation_frames(allocation.frames);
  }
  if (!possible) {
    refusal_ = allocation.bytes == 0 ? "the driver describes an allocation of 0 bytes"
                                     : "the driver describes one that is larger than memory";
  }
  if (possible) allocation.device_specific = call_open(id, device, data, true);
  if (allocation.device_specific == nullptr) {
    destroy_allocation(id);
    return false;
  }
  if (shared) allocation.data = std::move(data);
  return true;
}

bool Objects::open_allocation(AllocationId id, DeviceId device) {
  AllocationObject& allocation = allocations_[id];
  if (!allocation.shared || handle_on(device, id) != nullptr) return false;
  const HANDLE handle = call_open(id, device, allocation.data, false);
  if (handle == nullptr) return false;
  allocation.elsewhere.push_back({device, handle});
  return true;
}

bool Objects::open_again(AllocationId id, DeviceId device) {
  AllocationObject& allocation = allocations_[id];
  const HANDLE stays = call_open(id, device, allocation.data, false);
  if (stays == nullptr) return false;
  close_allocation(id, {device, call_open(id, device, allocation.data, false)});
  close_allocation(id, {device, handle_on(device, id)});
  if (allocation.device == device) allocation.device_specific = stays;
  for (OpenedOn& one : allocation.elsewhere) {
    if (one.device == device) one.handle = stays;
  }
  return true;
}

HANDLE Objects::handle_on(DeviceId device, AllocationId id) const {
  const AllocationObject& allocation = allocations_[id];
  if (allocation.device == device) return allocation.device_specific;
  for (const OpenedOn& opened : allocation.elsewhere) {
    if (opened.device == device) return opened.handle;
  }
  return nullptr;
}

bool Objects::ends_with(DeviceId device, AllocationId id) const {
  const AllocationObject& allocation = allocations_[id];
  return allocation.live && allocation.device == device && allocation.elsewhere.empty();
}

void Objects::describe(AllocationId id, const DXGK_ALLOCATIONINFO& info, DeviceId device,
                       const WddmAllocationRequest& asked, bool primary) {
  const std::uint32_t flags =
      Adapter::knows(InterfaceVersion::Wddm2_0) ? info.FlagsWddm2.Value : info.Flags.Value;
  AllocationObject& allocation = allocations_[id];
  allocation = {};
  allocation.driver = info.hAllocation;
  allocation.pages =
      static_cast<std::uint32_t>(std::min<std::uint64_t>(pages_of(info.Size), kMostPages + 1));
  allocation.write_set = info.SupportedWriteSegmentSet;
  allocation.eviction_set = info.EvictionSegmentSet;
  segments_in_use_ |= info.SupportedReadSegmentSet | allocation.write_set | allocation.eviction_set;
  allocation.preferred = SegmentId{info.PreferredSegment.SegmentId0};
  take_for_aperture(adapter_, allocation);
  allocation.alignment_pages =
      static_cast<std::uint32_t>(std::max<std::uint64_t>(1, pages_of(info.Alignment)));
  if (adapter_.has_64kb_pages(allocation.write_set) && !decisions().sizes_in_small_pages()) {
    allocation.pages = in_large_pages(allocation.pages);
    allocation.alignment_pages = in_large_pages(allocation.alignment_pages);
  }
  allocation.bytes = allocation.pages * kPageSize;
  // Before WDDM 2.0 that member is MaximumRenamingListLength. GPUs that there are not have no
  // memory.
  const bool linked = adapter_.has_virtual_addresses() && info.PhysicalAdapterIndex != 0;
  if (linked && info.PhysicalAdapterIndex < adapter_.physical_adapters()) {
    allocation.physical_adapter = info.PhysicalAdapterIndex;
  }
  allocation.exact = allocation.bytes == asked.bytes;
  allocation.cpu_visible = (flags & 1) != 0;
  allocation.cached = (flags & 4) != 0;
  if (!Adapter::knows(InterfaceVersion::Wddm2_0)) {
    allocation.swizzled = info.Flags.Swizzled != 0;
    allocation.most_instances = info.MaximumRenamingListLength;
    allocation.alternate_view = primary && allocation.cpu_visible && info.Flags.UseAlternateVA != 0;
  }
  allocation.large_pages = info.FlagsWddm2.DisableLargePageMapping == 0;
  allocation.accessed_physically =
      Adapter::knows(InterfaceVersion::Wddm2_0) && info.FlagsWddm2.AccessedPhysically != 0;
  allocation.notify_residency =
      allocation.accessed_physically && info.FlagsWddm2.ExplicitResidencyNotification != 0;
  session().tap(ev::AllocationCreated{
      .size = info.Size,
      .pitch_size = info.PitchAlignedSize,
      .allocation = id.value,
      .has_handle = info.hAllocation != nullptr,
      .priority = info.AllocationPriority,
      .read_set = info.SupportedReadSegmentSet,
      .write_set = info.SupportedWriteSegmentSet,
      .eviction_set = info.EvictionSegmentSet,
      .flags = flags,
      .preferred = info.PreferredSegment.Value,
      .alignment = info.Alignment,
      .renaming = info.MaximumRenamingListLength,
      .asked_pages = static_cast<std::uint32_t>(asked.bytes / kPageSize),
      .asked_place = static_cast<std::uint32_t>(asked.aperture != 0 ? Place::Aperture : Place::Any),
      .asked_cpu_visible = asked.cpu_visible,
      .device = device.value,
      .primary = primary,
      .source = primary ? 0 : kNone});
}

// Null if the driver refuses.
HANDLE Objects::call_open(AllocationId id, DeviceId device, PrivateData& data, bool first) {
  const PrivateData before = data;
  DataForCall allocation_data(data.allocation), resource_data(data.resource);
  DXGK_OPENALLOCATIONINFO info{};
  info.hAllocation = handle(kAllocationHandles, id);
  info.pPrivateDriverData = allocation_data.place();
  info.PrivateDriverDataSize = static_cast<UINT>(data.allocation.size());
  DXGKARG_OPENALLOCATION open{};
  open.NumAllocations = 1;
  open.pOpenAllocation = &info;
  open.pPrivateDriverData = resource_data.place();
  open.PrivateDriverSize = static_cast<UINT>(data.resource.size());
  open.Flags.Create = first;
  PrefilledAnswer prefilled(WDDM_ANSWER(DXGK_OPENALLOCATIONINFO, info, hDeviceSpecificAllocation,
                                        hDeviceSpecificAllocation),
                            prefills_);
  const NTSTATUS status = call_ddi<DdiId::OpenAllocation>(id, devices_[device].driver, &open);
  prefilled.read_if(NT_SUCCESS(status), DdiId::OpenAllocation, id.value,
                    offsetof(DXGK_OPENALLOCATIONINFO, hDeviceSpecificAllocation));
  allocation_data.take_back();
  resource_data.take_back();
  session().tap(
      ev::AllocationOpened{.allocation = id.value,
                           .device = device.value,
                           .status = static_cast<std::uint32_t>(status),
                           .flags = open.Flags.Value,
                           .has_handle = info.hDeviceSpecificAllocation != nullptr,
                           .changed = differences(before.allocation, data.allocation),
                           .resource_changed = differences(before.resource, data.resource),
                           .group = kNone});
  return NT_SUCCESS(status) ? info.hDeviceSpecificAllocation : nullptr;
}

// To the driver it is the same allocation, paged in to one more place: neither CreateAllocation nor
// OpenAllocation is called, and its handles are what they were.
void Objects::rename_allocation(AllocationId id, AllocationId original, std::uint32_t instances) {
  AllocationObject& allocation = allocations_[id];
  allocation = allocations_[original];
  allocation.original = original;
  allocation.linear = false;
  allocation.forms.reset();
  take_allocation_frames(allocation.frames);
  sizes_[id] = sizes_[original];
  asked_sizes_[id] = asked_sizes_[original];
  session().tap(ev::AllocationRenamed{
      .allocation = id.value, .original = original.value, .instances = instances});
}

void Objects::close_allocation(AllocationId id, OpenedOn opened) {
  if (opened.handle == nullptr || !may_call(DdiId::CloseAllocation)) return;
  DXGKARG_CLOSEALLOCATION close{};
  close.NumAllocations = 1;
  close.pOpenHandleList = &opened.handle;
  call_ddi<DdiId::CloseAllocation>(id, devices_[opened.device].driver, &close);
}

void Objects::leave_to_others(AllocationId id, DeviceId device) {
  AllocationObject& allocation = allocations_[id];
  close_allocation(id, {device, handle_on(device, id)});
  std::erase_if(allocation.elsewhere, [=](const OpenedOn& one) { return one.device == device; });
  if (allocation.device != device) return;
  const OpenedOn next = allocation.elsewhere.front();
  allocation.elsewhere.erase(allocation.elsewhere.begin());
  allocation.device = next.device;
  allocation.device_specific = next.handle;
}

void Objects::destroy_allocation(AllocationId id) {
  AllocationObject& allocation = allocations_[id];
  if (!allocation.live) return;
  const bool is_own = allocation.original == kNoAllocation;
  for (const OpenedOn& opened : allocation.elsewhere) close_allocation(id, opened);
  if (is_own) close_allocation(id, {allocation.device, allocation.device_specific});
  if (is_own && may_call(DdiId::DestroyAllocation)) {
    DXGKARG_DESTROYALLOCATION destroy{};
    destroy.NumAllocations = 1;
    destroy.pAllocationList = &allocation.driver;
    destroy.hResource = allocation.resource;
    destroy.Flags.DestroyResource = allocation.shared;
    call_ddi<DdiId::DestroyAllocation>(id, adapter_.miniport(), &destroy);
  }
  memory::frames_free(allocation.frames);
  allocation = {};
  sizes_[id] = asked_sizes_[id] = 0;
}

void Objects::destroy_device(DeviceId id) {
  DeviceObject& device = devices_[id];
  if (!device.live) return;
  contexts_.destroy_those_of(id);
  for (const AllocationId allocation : kAllAllocations) {
    if (ends_with(id, allocation)) {
      destroy_allocation(allocation);
    } else if (allocations_[allocation].live && handle_on(id, allocation) != nullptr) {
      leave_to_others(allocation, id);
    }
  }
  if (may_call(DdiId::DestroyDevice)) call_ddi<DdiId::DestroyDevice>(id, device.driver);
  device = {};
}

}  // namespace wddm::host
