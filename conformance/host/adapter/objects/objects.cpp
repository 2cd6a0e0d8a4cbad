#include "conformance/host/adapter/objects/objects.h"

#include <algorithm>
#include <utility>

#include "conformance/host/adapter/objects/allocation_calls.h"
#include "conformance/host/adapter/objects/allocation_frames.h"
#include "conformance/host/adapter/objects/client_data.h"
#include "conformance/host/adapter/objects/data_for_call.h"
#include "conformance/host/adapter/objects/described_allocation.h"
#include "conformance/host/adapter/objects/object_handles.h"
#include "conformance/host/adapter/prefilled_answer.h"
#include "conformance/host/adapter/system_memory_segment.h"
#include "conformance/host/boundary/ddi_call.h"
#include "conformance/host/boundary/decision_seat.h"

namespace wddm::host {
namespace {

Objects* g_objects = nullptr;

constexpr const char* kDriverRefused = "the driver refused";

// Of allocations in ascending order those that lie in slots one behind the other.
std::vector<std::span<const AllocationId>> neighbours_in(std::span<const AllocationId> ids) {
  std::vector<std::span<const AllocationId>> runs;
  for (std::size_t first = 0, i = 1; i <= ids.size(); ++i) {
    if (i < ids.size() && ids[i].value == ids[i - 1].value + 1) continue;
    runs.push_back(ids.subspan(first, i - first));
    first = i;
  }
  return runs;
}

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
                                bool cpu_visible, std::uint32_t physical_adapter, bool shared,
                                std::uint32_t together) {
  const bool is_free = all_free(id, together);
  refusal_ = is_free ? "no such device" : "the slot is in use";
  if (!is_free || !devices_[device].live) return false;
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
  return make(id, together, device, data, request, false);
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
  return make(id, 1, kFirstDevice, data, request, true);
}

bool Objects::create_surface(AllocationId id, const StandardSurface& surface) {
  refusal_ = allocations_[id].live ? "the slot is in use" : "no such device";
  if (allocations_[id].live || !devices_[kFirstDevice].live) return false;
  refusal_ = "the driver has no such surface: see GetStandardAllocationDriverData";
  if (!asks_for(adapter_, surface.type)) return false;
  PrivateData data;
  SurfaceShape shape{.width = surface.width, .rows = surface.rows};
  if (!ask_standard_data(adapter_, surface, data, &shape.pitch)) return false;
  if (!make(id, 1, kFirstDevice, data, {}, false)) return false;
  AllocationObject& allocation = allocations_[id];
  const bool whole = shape.pitch >= shape.width * kTexelBytes &&
                     std::uint64_t{shape.pitch} * shape.rows <= allocation.bytes;
  if (whole && !allocation.swizzled) allocation.surface = shape;
  return true;
}

bool Objects::all_free(AllocationId first, std::uint32_t count) const {
  for (std::uint32_t i = 0; i < count; ++i) {
    if (allocations_[AllocationId{first.value + i}].live) return false;
  }
  return true;
}

bool Objects::make(AllocationId first, std::uint32_t count, DeviceId device,
                   const PrivateData& data, const WddmAllocationRequest& request, bool primary) {
  const bool shared = request.shared != 0;
  const bool of_resource = shared || count > 1;  // nothing else can be shared
  refusal_ = kDriverRefused;
  std::vector<PrivateData> own(count, data);
  std::vector<AllocationInCall> all;
  for (std::uint32_t i = 0; i < count; ++i) {
    all.push_back({AllocationId{first.value + i}, &own[i]});
  }
  std::vector<DXGK_ALLOCATIONINFO> infos(count);
  HANDLE resource = nullptr;
  const NTSTATUS status = call_create(adapter_, all, of_resource, prefills_, infos, resource);
  if (!NT_SUCCESS(status)) return false;
  std::vector<HANDLE> handles;
  for (const DXGK_ALLOCATIONINFO& info : infos) handles.push_back(info.hAllocation);
  const std::vector<std::uint32_t> judged = judged_handles(handles);
  for (std::uint32_t i = 0; i < count; ++i) {
    const DXGK_ALLOCATIONINFO& info = infos[i];
    const AllocationId id = all[i].id;
    AllocationObject& allocation = allocations_[id];
    allocation = described(adapter_, info, request, primary);
    segments_in_use_ |=
        info.SupportedReadSegmentSet | info.SupportedWriteSegmentSet | info.EvictionSegmentSet;
    ev::AllocationCreated created = told(id, device, info, request, primary);
    created.has_handle = judged[i];
    session().tap(created);
    allocation.device = device;
    allocation.shared = shared;
    allocation.resource = of_resource ? resource : nullptr;
    if (count > 1) allocation.first_of_resource = first;
    // From here on the driver has it, and what is refused is destroyed.
    allocation.live = true;
    sizes_[id] = allocation.bytes;
    asked_sizes_[id] = std::min(request.bytes, allocation.bytes);
  }
  const bool have_frames = std::all_of(all.begin(), all.end(), [this](const AllocationInCall& one) {
    return take_frames(allocations_[one.id]);
  });
  if (!have_frames || !open_first(device, all)) {
    destroy_allocation(first);
    return false;
  }
  for (std::uint32_t i = 0; shared && i < count; ++i) {
    allocations_[all[i].id].data = std::move(own[i]);
  }
  return true;
}

bool Objects::take_frames(AllocationObject& allocation) {
  if (allocation.bytes == 0) {
    refusal_ = "the driver describes an allocation of 0 bytes";
    return false;
  }
  if (allocation.pages > kMostPages || allocation.pages > memory::frames_available()) {
    refusal_ = "the driver describes one that is larger than memory";
    return false;
  }
  allocation.frames.resize(allocation.pages);
  take_allocation_frames(allocation.frames);
  return true;
}

// Who opens some of them has opened none.
std::vector<HANDLE> Objects::open_on(DeviceId device, std::span<const AllocationInCall> all,
                                     bool first) {
  std::vector<HANDLE> handles = call_open(*this, device, all, first);
  if (std::find(handles.begin(), handles.end(), nullptr) == handles.end()) return handles;
  call_close(*this, device, all.front().id, handles);
  return {};
}

bool Objects::open_first(DeviceId device, std::span<const AllocationInCall> all) {
  const std::vector<HANDLE> handles = open_on(device, all, true);
  for (std::size_t i = 0; i < handles.size(); ++i) {
    allocations_[all[i].id].device_specific = handles[i];
  }
  return !handles.empty();
}

std::vector<AllocationInCall> Objects::in_call(std::span<const AllocationId> ids) {
  std::vector<AllocationInCall> all;
  for (const AllocationId id : ids) all.push_back({id, &allocations_[id].data});
  return all;
}

bool Objects::open_allocation(AllocationId id, DeviceId device) {
  if (!allocations_[id].shared || handle_on(device, id) != nullptr) return false;
  const std::vector<AllocationId> ids = of_one_resource(id);
  const std::vector<HANDLE> handles = open_on(device, in_call(ids), false);
  for (std::size_t i = 0; i < handles.size(); ++i) {
    allocations_[ids[i]].elsewhere.push_back({device, handles[i]});
  }
  return !handles.empty();
}

bool Objects::open_again(AllocationId id, DeviceId device) {
  const std::vector<AllocationId> ids = of_one_resource(id);
  const std::vector<HANDLE> stay = open_on(device, in_call(ids), false);
  if (stay.empty()) return false;
  call_close(*this, device, ids.front(), open_on(device, in_call(ids), false));
  close_on(device, ids);
  for (std::size_t i = 0; i < stay.size(); ++i) {
    AllocationObject& allocation = allocations_[ids[i]];
    if (allocation.device == device) allocation.device_specific = stay[i];
    for (OpenedOn& one : allocation.elsewhere) {
      if (one.device == device) one.handle = stay[i];
    }
  }
  return true;
}

std::vector<AllocationId> Objects::of_one_resource(AllocationId id) const {
  const AllocationId first = allocations_[id].first_of_resource;
  if (first == kNoAllocation) return {id};
  std::vector<AllocationId> all;
  for (const AllocationId other : kScenarioAllocations) {
    if (allocations_[other].live && allocations_[other].first_of_resource == first) {
      all.push_back(other);
    }
  }
  return all;
}

std::vector<AllocationId> Objects::goes_with(AllocationId id) const {
  if (allocations_[id].first_of_resource == id) return of_one_resource(id);
  return {id};
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

// To the driver it is the same allocation, paged in to one more place: neither CreateAllocation nor
// OpenAllocation is called, and its handles are what they were.
void Objects::rename_allocation(AllocationId id, AllocationId original, std::uint32_t instances) {
  AllocationObject& allocation = allocations_[id];
  allocation = allocations_[original];
  allocation.original = original;
  allocation.first_of_resource = kNoAllocation;
  allocation.linear = false;
  allocation.forms.reset();
  take_allocation_frames(allocation.frames);
  sizes_[id] = sizes_[original];
  asked_sizes_[id] = asked_sizes_[original];
  session().tap(ev::AllocationRenamed{
      .allocation = id.value, .original = original.value, .instances = instances});
}

void Objects::close_on(DeviceId device, std::span<const AllocationId> ids) const {
  std::vector<HANDLE> handles;
  for (const AllocationId id : ids) handles.push_back(handle_on(device, id));
  call_close(*this, device, ids.front(), std::move(handles));
}

void Objects::leave_to_others(AllocationId id, DeviceId device) {
  AllocationObject& allocation = allocations_[id];
  close_on(device, std::span(&id, 1));
  std::erase_if(allocation.elsewhere, [=](const OpenedOn& one) { return one.device == device; });
  if (allocation.device != device) return;
  const OpenedOn next = allocation.elsewhere.front();
  allocation.elsewhere.erase(allocation.elsewhere.begin());
  allocation.device = next.device;
  allocation.device_specific = next.handle;
}

void Objects::destroy_allocation(AllocationId id) {
  if (!allocations_[id].live) return;
  const std::vector<AllocationId> all = goes_with(id);
  if (allocations_[id].original == kNoAllocation) destroy_together(all);
  for (const AllocationId one : all) {
    memory::frames_free(allocations_[one].frames);
    allocations_[one] = {};
    sizes_[one] = asked_sizes_[one] = 0;
  }
}

// Whoever has them open closes them first. The resource goes with the last of them that are listed,
// if they are all.
void Objects::destroy_together(std::span<const AllocationId> all) {
  const AllocationObject& any = allocations_[all.front()];
  const bool with_resource =
      any.first_of_resource == kNoAllocation ? any.shared : any.first_of_resource == all.front();
  HANDLE resource = any.resource;
  for (const std::span<const AllocationId> ids : neighbours_in(all)) {
    for (const OpenedOn& opened : allocations_[ids.front()].elsewhere) close_on(opened.device, ids);
    close_on(allocations_[ids.front()].device, ids);
    std::vector<HANDLE> drivers;
    for (const AllocationId one : ids) drivers.push_back(allocations_[one].driver);
    const bool are_last = ids.back() == all.back();
    call_destroy(adapter_, ids.front(), drivers, resource, with_resource && are_last);
  }
  for (const AllocationId one : of_one_resource(all.front())) allocations_[one].resource = resource;
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
