#include "conformance/host/adapter/allocation_group.h"

#include <algorithm>

#include "conformance/host/adapter/standard_data.h"
#include "conformance/host/boundary/ddi_call.h"

namespace wddm::host {
namespace {

using Bytes = std::vector<std::uint8_t>;

// Texels of a row: not what a pitch is a multiple of.
constexpr std::uint32_t kOddWidth = 1366;

class Group {
 public:
  Group(const Adapter& adapter, Objects& objects, DeviceId device, PrivateData data,
        std::uint32_t count)
      : adapter_(adapter),
        objects_(objects),
        id_(device),
        device_(objects.device(device)),
        resource_(std::move(data.resource)),
        data_(count, std::move(data.allocation)),
        infos_(count),
        drivers_(count),
        handles_(count) {}
  ~Group() { objects_.lend({}); }
  Group(const Group&) = delete;
  Group& operator=(const Group&) = delete;

  NTSTATUS create() {
    for (std::size_t i = 0; i < infos_.size(); ++i) {
      infos_[i].pPrivateDriverData = data_[i].data();
      infos_[i].PrivateDriverDataSize = static_cast<UINT>(data_[i].size());
    }
    DXGKARG_CREATEALLOCATION create{};
    create.NumAllocations = static_cast<UINT>(infos_.size());
    create.pAllocationInfo = infos_.data();
    create.Flags.Resource = 1;
    create.pPrivateDriverData = resource_.empty() ? nullptr : resource_.data();
    create.PrivateDriverDataSize = static_cast<UINT>(resource_.size());
    const NTSTATUS status = call_ddi<DdiId::CreateAllocation>(kNone, adapter_.miniport(), &create);
    driver_resource_ = create.hResource;
    for (std::size_t i = 0; i < infos_.size(); ++i) drivers_[i] = infos_[i].hAllocation;
    objects_.lend({.drivers = drivers_, .device_specific = handles_});
    return status;
  }

  NTSTATUS open(bool creating) {
    const std::size_t count = infos_.size();
    std::vector<DXGK_OPENALLOCATIONINFO> opened(count);
    for (std::size_t i = 0; i < count; ++i) {
      opened[i].hAllocation = Objects::lent_handle(i);
      opened[i].pPrivateDriverData = data_[i].data();
      opened[i].PrivateDriverDataSize = static_cast<UINT>(data_[i].size());
    }
    DXGKARG_OPENALLOCATION open{};
    open.NumAllocations = static_cast<UINT>(count);
    open.pOpenAllocation = opened.data();
    open.pPrivateDriverData = resource_.empty() ? nullptr : resource_.data();
    open.PrivateDriverSize = static_cast<UINT>(resource_.size());
    open.Flags.Create = creating;
    const std::vector<Bytes> before = data_;
    const Bytes resource_before = resource_;
    const NTSTATUS status = call_ddi<DdiId::OpenAllocation>(kNone, device_.driver, &open);
    for (std::size_t i = 0; i < count; ++i) {
      handles_[i] = opened[i].hDeviceSpecificAllocation;
      session().tap(
          ev::AllocationOpened{.allocation = kNone,
                               .device = id_.value,
                               .status = static_cast<std::uint32_t>(status),
                               .flags = open.Flags.Value,
                               .has_handle = handles_[i] != nullptr,
                               .changed = differences(before[i], data_[i]),
                               .resource_changed = differences(resource_before, resource_),
                               .group = static_cast<std::uint32_t>(i)});
    }
    return status;
  }

  NTSTATUS close() {
    DXGKARG_CLOSEALLOCATION close{};
    close.NumAllocations = static_cast<UINT>(handles_.size());
    close.pOpenHandleList = handles_.data();
    return call_ddi<DdiId::CloseAllocation>(kNone, device_.driver, &close);
  }

  NTSTATUS destroy() {
    DXGKARG_DESTROYALLOCATION destroy{};
    destroy.NumAllocations = static_cast<UINT>(drivers_.size());
    destroy.pAllocationList = drivers_.data();
    destroy.hResource = driver_resource_;
    destroy.Flags.DestroyResource = 1;
    return call_ddi<DdiId::DestroyAllocation>(kNone, adapter_.miniport(), &destroy);
  }

  [[nodiscard]] std::uint32_t described() const { return distinct(drivers_); }
  [[nodiscard]] std::uint32_t opened() const { return distinct(handles_); }
  [[nodiscard]] std::uint64_t smallest() const {
    return std::min_element(
               infos_.begin(), infos_.end(),
               [](const auto& one, const auto& other) { return one.Size < other.Size; })
        ->Size;
  }
  [[nodiscard]] bool has_resource() const { return driver_resource_ != nullptr; }

 private:
  // Handles that are there, each counted once.
  static std::uint32_t distinct(std::vector<HANDLE> handles) {
    std::sort(handles.begin(), handles.end());
    handles.erase(std::unique(handles.begin(), handles.end()), handles.end());
    return static_cast<std::uint32_t>(handles.size() -
                                      std::count(handles.begin(), handles.end(), nullptr));
  }

  const Adapter& adapter_;
  Objects& objects_;
  const DeviceId id_;
  const DeviceObject& device_;
  Bytes resource_;
  std::vector<Bytes> data_;
  std::vector<DXGK_ALLOCATIONINFO> infos_;
  std::vector<HANDLE> drivers_;  // what the driver calls them, and opened
  std::vector<HANDLE> handles_;
  HANDLE driver_resource_ = nullptr;
};

bool data_for(const Adapter& adapter, Objects& objects, std::uint32_t standard, PrivateData& out) {
  if (standard != 0) {
    if (!asks_for(adapter, standard)) return false;
    return ask_standard_data(adapter, {.type = standard, .rows = 4, .width = kOddWidth}, out);
  }
  const WddmAllocationRequest request{.size = sizeof(request),
                                      .segment = 0,
                                      .bytes = kGroupBytes,
                                      .cpu_visible = 0,
                                      .aperture = 0,
                                      .shared = 0,
                                      .reserved = 0,
                                      .physical_adapter = 0};
  return objects.private_data(request, out);
}

bool can_try(const Objects& objects, DeviceId device) {
  return objects.device(device).live && may_call(DdiId::CreateAllocation) &&
         may_call(DdiId::OpenAllocation) && may_call(DdiId::CloseAllocation) &&
         may_call(DdiId::DestroyAllocation);
}

}  // namespace

void try_allocation_group(const Adapter& adapter, Objects& objects, std::uint32_t count,
                          std::uint32_t standard) {
  PrivateData data;
  if (!can_try(objects, kFirstDevice) || !data_for(adapter, objects, standard, data)) return;
  Group group(adapter, objects, kFirstDevice, std::move(data), count);
  const nt::PoolUsage before = nt::pool_usage();
  ev::AllocationGroup seen{.asked = kGroupBytes, .count = count, .standard = standard};
  NTSTATUS status = group.create();
  seen.status = static_cast<std::uint32_t>(status);
  if (NT_SUCCESS(status)) {
    seen.size = group.smallest();
    seen.described = group.described();
    seen.has_resource = group.has_resource();
    status = group.open(true);
    seen.open_status = static_cast<std::uint32_t>(status);
    if (NT_SUCCESS(status)) {
      seen.opened = group.opened();
      seen.close_status = static_cast<std::uint32_t>(group.close());
    }
    seen.destroy_status = static_cast<std::uint32_t>(group.destroy());
  }
  const nt::PoolUsage after = nt::pool_usage();
  seen.left_bytes = static_cast<std::int32_t>(after.bytes - before.bytes);
  seen.left_blocks = static_cast<std::int32_t>(after.blocks - before.blocks);
  session().tap(seen);
}

void make_and_destroy_one(const Adapter& adapter, Objects& objects, DeviceId device) {
  PrivateData data;
  if (!can_try(objects, device) || !data_for(adapter, objects, 0, data)) return;
  Group group(adapter, objects, device, std::move(data), 1);
  if (!NT_SUCCESS(group.create())) return;
  if (NT_SUCCESS(group.open(true))) group.close();
  group.destroy();
}

}  // namespace wddm::host
