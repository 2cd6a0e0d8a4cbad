#include "conformance/host/adapter/objects/resource_calls.h"

#include <algorithm>
#include <cstddef>

#include "conformance/host/adapter/objects/prefilled_allocation.h"
#include "conformance/host/boundary/ddi_call.h"
#include "conformance/host/memory/buffer_copies.h"
#include "conformance/host/memory/guarded_array.h"

namespace wddm::host {
namespace {

using Bytes = std::vector<std::uint8_t>;

constexpr const char* kAllocationData = "private driver data of an allocation";

Bytes contents(const memory::GuardedBuffer& buffer) {
  return {buffer.data(), buffer.data() + buffer.size()};
}

std::uint32_t damage_of(const memory::GuardedBuffer& buffer) {
  return buffer.size() == 0 ? 0 : static_cast<std::uint32_t>(buffer.damaged(nullptr));
}

}  // namespace

bool has_resource_calls(const Objects& objects, DeviceId device) {
  return objects.device(device).live && may_call(DdiId::CreateAllocation) &&
         may_call(DdiId::OpenAllocation) && may_call(DdiId::CloseAllocation) &&
         may_call(DdiId::DestroyAllocation);
}

bool unplaced_data(Objects& objects, std::uint32_t bytes, PrivateData& out, bool shared) {
  WddmAllocationRequest request{};
  request.size = sizeof(request);
  request.bytes = bytes;
  request.shared = shared;
  return objects.private_data(request, out);
}

ResourceCalls::ResourceCalls(const Adapter& adapter, Objects& objects, DeviceId device,
                             const PrivateData& data, std::uint32_t count)
    : adapter_(adapter),
      objects_(objects),
      id_(device),
      other_(device),
      resource_(memory::guarded_copy(data.resource, kAllocationData)),
      data_(count),
      infos_(count),
      drivers_(count),
      handles_(count) {
  give(data.allocation);
}

ResourceCalls::~ResourceCalls() {
  objects_.lend({});
}

void ResourceCalls::give(const Bytes& data) {
  for (memory::GuardedBuffer& one : data_) one = memory::guarded_copy(data, kAllocationData);
}

void ResourceCalls::give_resource(const Bytes& data) {
  resource_ = memory::guarded_copy(data, kAllocationData);
}

void ResourceCalls::give_last(const Bytes& data) {
  data_.back() = memory::guarded_copy(data, kAllocationData);
}

std::uint32_t ResourceCalls::damaged() const {
  std::uint32_t bytes = damage_of(resource_);
  for (const memory::GuardedBuffer& one : data_) bytes += damage_of(one);
  return bytes;
}

// From WDDM 2.0 on the write set alone counts, and an allocation names its GPU.
std::uint32_t ResourceCalls::impossible() const {
  constexpr std::uint32_t kUnknownSegment = 1, kNoSegment = 2, kNoBytes = 4, kUnknownGpu = 8;
  const bool newer = Adapter::knows(InterfaceVersion::Wddm2_0);
  std::uint32_t found = 0;
  for (const DXGK_ALLOCATIONINFO& info : infos_) {
    const std::uint32_t gpu = newer ? info.PhysicalAdapterIndex : 0;
    if (info.Size == 0) found |= kNoBytes;
    if (gpu >= adapter_.physical_adapters()) {
      found |= kUnknownGpu;
      continue;
    }
    const std::uint64_t there = (std::uint64_t{1} << adapter_.segments(gpu).size()) - 1;
    const UINT named = info.SupportedWriteSegmentSet | (newer ? 0 : info.SupportedReadSegmentSet);
    if (named == 0) found |= kNoSegment;
    if ((named & ~there) != 0) found |= kUnknownSegment;
  }
  return found;
}

// What fails leaves the resource as it was: what it was called before goes on.
NTSTATUS ResourceCalls::create(Part part) {
  const std::span<DXGK_ALLOCATIONINFO> infos = std::span(infos_).subspan(part.first, part.count);
  const memory::GuardedArray given(infos, "array of DXGK_ALLOCATIONINFO");
  std::vector<PrefilledAllocation> prefilled;
  prefilled.reserve(part.count);
  for (std::size_t i = 0; i < part.count; ++i) {
    given[i].pPrivateDriverData = data_[part.first + i].data();
    given[i].PrivateDriverDataSize = static_cast<UINT>(data_[part.first + i].size());
    prefilled.emplace_back(given[i], objects_.prefills());
  }
  DXGKARG_CREATEALLOCATION create{};
  create.NumAllocations = static_cast<UINT>(part.count);
  create.pAllocationInfo = given.data();
  create.hResource = driver_resource_;
  create.Flags.Resource = 1;
  create.pPrivateDriverData = resource_.data();
  create.PrivateDriverDataSize = static_cast<UINT>(resource_.size());
  const NTSTATUS status = call_ddi<DdiId::CreateAllocation>(kNone, adapter_.miniport(), &create);
  for (PrefilledAllocation& answer : prefilled) answer.read_if(NT_SUCCESS(status), kNone);
  if (NT_SUCCESS(status)) {
    std::ranges::copy(given, infos.begin());
    driver_resource_ = create.hResource;
    for (std::size_t i = 0; i < part.count; ++i) drivers_[part.first + i] = infos[i].hAllocation;
  }
  objects_.lend({.drivers = drivers_, .device_specific = handles_});
  return status;
}

NTSTATUS ResourceCalls::open_elsewhere(DeviceId other) {
  other_ = other;
  elsewhere_.assign(infos_.size(), nullptr);
  return open_on(other, {0, infos_.size()}, false, elsewhere_);
}

NTSTATUS ResourceCalls::close_elsewhere() {
  const NTSTATUS status = close_on(other_, elsewhere_);
  elsewhere_.assign(infos_.size(), nullptr);
  return status;
}

NTSTATUS ResourceCalls::open_on(DeviceId device, Part part, bool creating,
                                std::vector<HANDLE>& handles) {
  const memory::GuardedArray opened(std::vector<DXGK_OPENALLOCATIONINFO>(part.count),
                                    "array of DXGK_OPENALLOCATIONINFO");
  std::vector<Bytes> before(part.count);
  std::vector<PrefilledAnswer> prefilled;
  prefilled.reserve(part.count);
  for (std::size_t i = 0; i < part.count; ++i) {
    const memory::GuardedBuffer& data = data_[part.first + i];
    opened[i].hAllocation = Objects::lent_handle(part.first + i);
    opened[i].pPrivateDriverData = data.data();
    opened[i].PrivateDriverDataSize = static_cast<UINT>(data.size());
    before[i] = contents(data);
    prefilled.emplace_back(WDDM_ANSWER(DXGK_OPENALLOCATIONINFO, opened[i],
                                       hDeviceSpecificAllocation, hDeviceSpecificAllocation),
                           objects_.prefills());
  }
  const Bytes resource_before = contents(resource_);
  DXGKARG_OPENALLOCATION open{};
  open.NumAllocations = static_cast<UINT>(part.count);
  open.pOpenAllocation = opened.data();
  open.pPrivateDriverData = resource_.data();
  open.PrivateDriverSize = static_cast<UINT>(resource_.size());
  open.Flags.Create = creating;
  const NTSTATUS status =
      call_ddi<DdiId::OpenAllocation>(kNone, objects_.device(device).driver, &open);
  for (PrefilledAnswer& answer : prefilled) {
    answer.read_if(NT_SUCCESS(status), DdiId::OpenAllocation, kNone,
                   offsetof(DXGK_OPENALLOCATIONINFO, hDeviceSpecificAllocation));
  }
  for (std::size_t i = 0; i < part.count; ++i) {
    const std::size_t place = part.first + i;
    handles[place] = opened[i].hDeviceSpecificAllocation;
    session().tap(
        ev::AllocationOpened{.allocation = kNone,
                             .device = device.value,
                             .status = static_cast<std::uint32_t>(status),
                             .flags = open.Flags.Value,
                             .has_handle = handles[place] != nullptr,
                             .changed = differences(before[i], contents(data_[place])),
                             .resource_changed = differences(resource_before, contents(resource_)),
                             .group = static_cast<std::uint32_t>(place)});
  }
  return status;
}

std::vector<HANDLE> ResourceCalls::of_part(const std::vector<HANDLE>& handles, Part part) {
  const auto first = static_cast<std::ptrdiff_t>(part.first);
  const auto end = static_cast<std::ptrdiff_t>(part.first + part.count);
  if (part.from_end) return {handles.rbegin() + first, handles.rbegin() + end};
  return {handles.begin() + first, handles.begin() + end};
}

// Another one may be called so from here on.
void ResourceCalls::forget(std::vector<HANDLE>& handles, Part part) {
  const std::size_t first = part.from_end ? handles.size() - part.first - part.count : part.first;
  std::fill_n(handles.begin() + static_cast<std::ptrdiff_t>(first), part.count, nullptr);
}

NTSTATUS ResourceCalls::close(Part part) {
  const NTSTATUS status = close_on(id_, of_part(handles_, part));
  forget(handles_, part);
  return status;
}

NTSTATUS ResourceCalls::close_on(DeviceId device, const std::vector<HANDLE>& handles) {
  const memory::GuardedArray given(handles, "list of handles");
  DXGKARG_CLOSEALLOCATION close{};
  close.NumAllocations = static_cast<UINT>(given.size());
  close.pOpenHandleList = given.data();
  return call_ddi<DdiId::CloseAllocation>(kNone, objects_.device(device).driver, &close);
}

// A resource that stays may have another handle afterwards.
NTSTATUS ResourceCalls::destroy(Part part, bool with_resource) {
  const memory::GuardedArray drivers(of_part(drivers_, part), "list of handles");
  DXGKARG_DESTROYALLOCATION destroy{};
  destroy.NumAllocations = static_cast<UINT>(drivers.size());
  destroy.pAllocationList = drivers.data();
  destroy.hResource = driver_resource_;
  destroy.Flags.DestroyResource = with_resource;
  const NTSTATUS status = call_ddi<DdiId::DestroyAllocation>(kNone, adapter_.miniport(), &destroy);
  driver_resource_ = destroy.hResource;
  forget(drivers_, part);
  return status;
}

std::uint64_t ResourceCalls::smallest() const {
  return std::min_element(infos_.begin(), infos_.end(),
                          [](const auto& one, const auto& other) { return one.Size < other.Size; })
      ->Size;
}

void ResourceCalls::tell(const ev::ShapeDescribed& asked) const {
  for (std::size_t i = 0; i < infos_.size(); ++i) {
    const DXGK_ALLOCATIONINFO& info = infos_[i];
    ev::ShapeDescribed said = asked;
    said.place = static_cast<std::uint32_t>(i);
    said.has_handle = info.hAllocation != nullptr;
    said.size = info.Size;
    said.pitch_size = info.PitchAlignedSize;
    said.priority = info.AllocationPriority;
    said.read_set = info.SupportedReadSegmentSet;
    said.write_set = info.SupportedWriteSegmentSet;
    said.eviction_set = info.EvictionSegmentSet;
    said.flags = info.Flags.Value;
    said.preferred = info.PreferredSegment.Value;
    said.alignment = info.Alignment;
    said.renaming = info.MaximumRenamingListLength;
    session().tap(said);
  }
}

std::uint32_t ResourceCalls::flags() const {
  std::uint32_t all = 0;
  for (const DXGK_ALLOCATIONINFO& info : infos_) all |= info.Flags.Value;
  return all;
}

std::uint32_t ResourceCalls::write_set() const {
  std::uint32_t all = 0;
  for (const DXGK_ALLOCATIONINFO& info : infos_) all |= info.SupportedWriteSegmentSet;
  return all;
}

// Handles that are there, each counted once.
std::uint32_t ResourceCalls::distinct(std::vector<HANDLE> handles) {
  std::sort(handles.begin(), handles.end());
  handles.erase(std::unique(handles.begin(), handles.end()), handles.end());
  return static_cast<std::uint32_t>(handles.size() -
                                    std::count(handles.begin(), handles.end(), nullptr));
}

}  // namespace wddm::host
