#include "conformance/host/adapter/objects/allocation_calls.h"

#include <algorithm>
#include <cstddef>
#include <deque>

#include "conformance/host/adapter/objects/data_for_call.h"
#include "conformance/host/adapter/objects/object_handles.h"
#include "conformance/host/adapter/objects/prefilled_allocation.h"
#include "conformance/host/boundary/ddi_call.h"
#include "conformance/host/memory/guarded_array.h"

namespace wddm::host {
namespace {

// The data of a call, in memory that is gone behind it.
class DataInCall {
 public:
  explicit DataInCall(std::span<const AllocationInCall> all) {
    for (const AllocationInCall& one : all) allocations_.emplace_back(one.data->allocation);
    resource_.emplace(all.front().data->resource);
  }
  [[nodiscard]] void* of(std::size_t i) const { return allocations_[i].place(); }
  [[nodiscard]] void* of_resource() const { return resource_->place(); }
  void take_back() {
    for (DataForCall& one : allocations_) one.take_back();
    resource_->take_back();
  }

 private:
  std::deque<DataForCall> allocations_;
  std::optional<DataForCall> resource_;
};

UINT size_of(const std::vector<std::uint8_t>& data) {
  return static_cast<UINT>(data.size());
}

}  // namespace

std::vector<std::uint32_t> judged_handles(std::span<const HANDLE> handles) {
  constexpr std::uint32_t kMissing = 0, kOwn = 1, kOfAnother = 2;
  std::vector<std::uint32_t> judged;
  for (auto one = handles.begin(); one != handles.end(); ++one) {
    const bool is_new = std::find(handles.begin(), one, *one) == one;
    judged.push_back(*one == nullptr ? kMissing : is_new ? kOwn : kOfAnother);
  }
  return judged;
}

NTSTATUS call_create(const Adapter& adapter, std::span<const AllocationInCall> all,
                     bool of_resource, bool prefills, std::span<DXGK_ALLOCATIONINFO> infos,
                     HANDLE& resource) {
  DataInCall data(all);
  const memory::GuardedArray given(infos, "array of DXGK_ALLOCATIONINFO");
  std::deque<PrefilledAllocation> prefilled;
  for (std::size_t i = 0; i < all.size(); ++i) {
    given[i].pPrivateDriverData = data.of(i);
    given[i].PrivateDriverDataSize = size_of(all[i].data->allocation);
    prefilled.emplace_back(given[i], prefills);
  }
  DXGKARG_CREATEALLOCATION create{};
  create.NumAllocations = static_cast<UINT>(all.size());
  create.pAllocationInfo = given.data();
  create.pPrivateDriverData = data.of_resource();
  create.PrivateDriverDataSize = size_of(all.front().data->resource);
  create.Flags.Resource = of_resource;
  const NTSTATUS status =
      call_ddi<DdiId::CreateAllocation>(all.front().id, adapter.miniport(), &create);
  data.take_back();
  for (std::size_t i = 0; i < all.size(); ++i) {
    prefilled[i].read_if(NT_SUCCESS(status), all[i].id.value);
  }
  std::ranges::copy(given, infos.begin());
  if (NT_SUCCESS(status)) resource = create.hResource;
  return status;
}

std::vector<HANDLE> call_open(const Objects& objects, DeviceId device,
                              std::span<const AllocationInCall> all, bool first) {
  std::vector<PrivateData> before;
  for (const AllocationInCall& one : all) before.push_back(*one.data);
  DataInCall data(all);
  const memory::GuardedArray infos(std::vector<DXGK_OPENALLOCATIONINFO>(all.size()),
                                   "array of DXGK_OPENALLOCATIONINFO");
  std::deque<PrefilledAnswer> prefilled;
  for (std::size_t i = 0; i < all.size(); ++i) {
    infos[i].hAllocation = handle(kAllocationHandles, all[i].id);
    infos[i].pPrivateDriverData = data.of(i);
    infos[i].PrivateDriverDataSize = size_of(all[i].data->allocation);
    prefilled.emplace_back(WDDM_ANSWER(DXGK_OPENALLOCATIONINFO, infos[i], hDeviceSpecificAllocation,
                                       hDeviceSpecificAllocation),
                           objects.prefills());
  }
  DXGKARG_OPENALLOCATION open{};
  open.NumAllocations = static_cast<UINT>(all.size());
  open.pOpenAllocation = infos.data();
  open.pPrivateDriverData = data.of_resource();
  open.PrivateDriverSize = size_of(all.front().data->resource);
  open.Flags.Create = first;
  const NTSTATUS status =
      call_ddi<DdiId::OpenAllocation>(all.front().id, objects.device(device).driver, &open);
  for (std::size_t i = 0; i < all.size(); ++i) {
    prefilled[i].read_if(NT_SUCCESS(status), DdiId::OpenAllocation, all[i].id.value,
                         offsetof(DXGK_OPENALLOCATIONINFO, hDeviceSpecificAllocation));
  }
  data.take_back();
  const std::uint32_t resource_changed =
      differences(before.front().resource, all.front().data->resource);
  std::vector<HANDLE> handles;
  for (const DXGK_OPENALLOCATIONINFO& info : infos) {
    handles.push_back(info.hDeviceSpecificAllocation);
  }
  const std::vector<std::uint32_t> judged = judged_handles(handles);
  for (std::size_t i = 0; i < all.size(); ++i) {
    session().tap(
        ev::AllocationOpened{.allocation = all[i].id.value,
                             .device = device.value,
                             .status = static_cast<std::uint32_t>(status),
                             .flags = open.Flags.Value,
                             .has_handle = judged[i],
                             .changed = differences(before[i].allocation, all[i].data->allocation),
                             .resource_changed = resource_changed,
                             .group = kNone});
  }
  if (!NT_SUCCESS(status)) handles.clear();
  return handles;
}

void call_close(const Objects& objects, DeviceId device, AllocationId first,
                std::vector<HANDLE> handles) {
  std::erase(handles, nullptr);
  if (handles.empty() || !may_call(DdiId::CloseAllocation)) return;
  const memory::GuardedArray given(handles, "list of handles");
  DXGKARG_CLOSEALLOCATION close{};
  close.NumAllocations = static_cast<UINT>(given.size());
  close.pOpenHandleList = given.data();
  call_ddi<DdiId::CloseAllocation>(first, objects.device(device).driver, &close);
}

void call_destroy(const Adapter& adapter, AllocationId first, std::span<const HANDLE> drivers,
                  HANDLE& resource, bool with_resource) {
  if (!may_call(DdiId::DestroyAllocation)) return;
  const memory::GuardedArray given(drivers, "list of handles");
  DXGKARG_DESTROYALLOCATION destroy{};
  destroy.NumAllocations = static_cast<UINT>(given.size());
  destroy.pAllocationList = given.data();
  destroy.hResource = resource;
  destroy.Flags.DestroyResource = with_resource;
  call_ddi<DdiId::DestroyAllocation>(first, adapter.miniport(), &destroy);
  resource = destroy.hResource;
}

}  // namespace wddm::host
