// A driver and a device that do as a test tells them, and remember what they were asked.
//
// The driver sits where faults of the boundary do: the host calls it through the wire, and no
// library is loaded. Left out: threads, interrupts and memory of its own; a test makes the reports
// of an interrupt itself.
#pragma once

#include <cstdint>
#include <cstring>
#include <functional>
#include <map>
#include <string>
#include <vector>

#include "conformance/host/interposer.h"
#include "conformance/sdk/device.h"

extern "C" NTSTATUS DxgkInitialize(PDRIVER_OBJECT object, PUNICODE_STRING path,
                                   PDRIVER_INITIALIZATION_DATA data);

namespace wddm::host {

/// Has every entry point of ddi.def, and takes each call with success.
class SilentDriver : public Interposer {
 public:
  SilentDriver() {
    table.Version = DXGKDDI_INTERFACE_VERSION_WDDM2_7;
#define FIELD(...)
#define EXPORT(...)
#define DDI(name, ...)  \
  table.DxgkDdi##name = \
      reinterpret_cast<decltype(table.DxgkDdi##name)>(reinterpret_cast<void*>(&never_called));
#include "reference/trace/ddi.def"
#undef DDI
#undef EXPORT
  }

  /// What DriverEntry gives to DxgkInitialize.
  DRIVER_INITIALIZATION_DATA table{};
  /// The names of all calls, in order.
  std::vector<std::string> calls;
  /// What an entry point returns; success where there is none.
  std::map<DdiId, NTSTATUS> answers;

  NTSTATUS DriverEntry(PDRIVER_INITIALIZE, PDRIVER_OBJECT object, PUNICODE_STRING path) override {
    const NTSTATUS status = DxgkInitialize(object, path, &table);
    const NTSTATUS answer = called(DdiId::DriverEntry, "DriverEntry");
    return NT_SUCCESS(status) ? answer : status;
  }
#define EXPORT(...)
#define DDI(name, since, irql, level, presence, object, result, parameters, arguments, ...) \
  result name parameters override {                                                         \
    unused arguments;                                                                       \
    return static_cast<result>(called(DdiId::name, #name));                                 \
  }
#include "reference/trace/ddi.def"
#undef DDI
#undef EXPORT
#undef FIELD

 protected:
  NTSTATUS called(DdiId ddi, const char* name) {
    calls.emplace_back(name);
    const auto answer = answers.find(ddi);
    return answer == answers.end() ? STATUS_SUCCESS : answer->second;
  }
  static void never_called() {}

 private:
  template <class... Arguments>
  static void unused(const Arguments&...) {}
};

/// An adapter of one node or more, with a segment of its own and an aperture. What the host says of
/// packets is kept.
class FakeDriver : public SilentDriver {
 public:
  FakeDriver() {
    caps.WDDMVersion = DXGKDDI_WDDMv2;
    caps.MaxAllocationListSlotId = 16;
    caps.GpuEngineTopology.NbAsymetricProcessingNodes = 1;
    caps.SchedulingCaps.MultiEngineAware = 1;
    segments.resize(2);
    segments[0].BaseAddress.QuadPart = kLocalBase;
    segments[0].Size = kLocalPages * 4096;
    segments[0].CommitLimit = segments[0].Size;
    segments[1].BaseAddress.QuadPart = kApertureBase;
    segments[1].Size = kAperturePages * 4096;
    segments[1].CommitLimit = segments[1].Size;
    segments[1].Flags.Aperture = 1;
    table.DxgkDdiLinkDevice = nullptr;
  }
  static constexpr std::uint64_t kLocalBase = 0x10000000, kApertureBase = 0x20000000;
  static constexpr std::uint64_t kLocalPages = 16, kAperturePages = 16;

  // -- what it answers
  DXGK_DRIVERCAPS caps{};
  std::vector<DXGK_SEGMENTDESCRIPTOR4> segments;
  /// No GPU virtual addresses unless a test says so: use_gpu_mmu().
  DXGK_GPUMMUCAPS gpummu_caps{};
  std::vector<DXGK_PAGE_TABLE_LEVEL_DESC> page_table_levels;
  UINT paging_bytes = 4096;
  UINT paging_segment = 0;        ///< PagingBufferSegmentId
  UINT dma_segments = 0;          ///< DmaBufferSegmentSet of its contexts
  DXGK_DEVICEINFO device_info{};  ///< of one without contexts
  ULONG links = 0;  ///< see use_link()
  ULONG lead = 0;   ///< the call of LinkDevice, counted from 1, whose adapter leads; 0: none does
  ULONG linked = 0;            ///< calls of LinkDevice
  std::vector<PVOID> started;  ///< contexts that StartDevice was called for
  bool knows_segment4 = true;
  /// Runs at the end of QueryAdapterInfo.
  std::function<void(const DXGKARG_QUERYADAPTERINFO&)> on_query;
  /// Size of the next allocations.
  std::uint64_t allocation_bytes = 4096;
  /// SupportedWriteSegmentSet and PreferredSegment of the next allocations.
  UINT segment_set = 1, preferred_segment = 1;
  UINT eviction_set = 0;  ///< EvictionSegmentSet of those
  /// Handles that CreateAllocation and OpenAllocation give, counted up from these; null: none.
  std::uintptr_t next_allocation = 0xa000, next_open = 0xb000;
  std::uintptr_t next_process = 0xc000;
  /// Stands in for BuildPagingBuffer.
  std::function<NTSTATUS(DXGKARG_BUILDPAGINGBUFFER&)> builds;
  /// Run at the end of Patch and of SubmitCommand.
  std::function<void(const DXGKARG_PATCH&)> on_patch;
  std::function<void(const DXGKARG_SUBMITCOMMAND&)> on_submit;
  /// LastAbortedFenceId of ResetEngine, and what runs in it.
  UINT last_aborted = 0;
  std::function<void()> on_reset_engine;

  /// Its adapters come in links of so many.
  void use_link(ULONG adapters) {
    links = adapters;
    table.DxgkDdiLinkDevice = reinterpret_cast<PDXGKDDI_LINK_DEVICE>(reinterpret_cast<void*>(&never_called));
  }
  /// Two levels of 9 and 4 bits in segment 1.
  void use_gpu_mmu() {
    caps.MemoryManagementCaps.VirtualAddressingSupported = 1;
    caps.MemoryManagementCaps.GpuMmuSupported = 1;
    gpummu_caps.VirtualAddressBitCount = 25;
    gpummu_caps.PageTableLevelCount = 2;
    page_table_levels = {{.PageTableIndexBitCount = 9,
                          .PageTableSegmentId = 1,
                          .PagingProcessPageTableSegmentId = 1,
                          .PageTableSizeInBytes = 4096,
                          .PageTableAlignmentInBytes = 4096},
                         {.PageTableIndexBitCount = 4,
                          .PageTableSegmentId = 1,
                          .PagingProcessPageTableSegmentId = 1,
                          .PageTableSizeInBytes = 4096,
                          .PageTableAlignmentInBytes = 4096}};
  }

  // -- what it was asked
  std::vector<UINT> queries;  ///< types of QueryAdapterInfo
  std::vector<std::vector<std::uint8_t>> context_data, allocation_data, resource_data;
  std::vector<HANDLE> destroyed, closed;
  std::vector<DXGKARG_BUILDPAGINGBUFFER> built;
  std::vector<DXGKARG_PATCH> patched;
  std::vector<std::vector<DXGK_ALLOCATIONLIST>> patch_lists;  // of each, gone behind its call
  std::vector<DXGKARG_SUBMITCOMMAND> submitted;
  std::vector<DXGKARG_PREEMPTCOMMAND> preempted;
  std::vector<DXGKARG_CREATEPROCESS> processes;
  std::vector<DXGKARG_CREATEDEVICE> created_devices;
  std::vector<HANDLE> ended_processes;
  HANDLE device_handle = nullptr;  ///< that of the callbacks
  DXGKRNL_INTERFACE callbacks{};

  static constexpr std::uintptr_t kMiniport = 0x5000, kDevice = 0x6000, kContext = 0x7000;

  NTSTATUS AddDevice(PDEVICE_OBJECT physical, PVOID* context) override {
    const NTSTATUS status = SilentDriver::AddDevice(physical, context);
    if (NT_SUCCESS(status)) *context = reinterpret_cast<PVOID>(kMiniport + linked);
    return status;
  }
  NTSTATUS LinkDevice(PDEVICE_OBJECT physical, PVOID context, LINKED_DEVICE* link) override {
    link->NumberOfLinksInChain = links;
    link->LeadLink = ++linked == lead;
    return SilentDriver::LinkDevice(physical, context, link);
  }
  NTSTATUS StartDevice(PVOID context, PDXGK_START_INFO info, PDXGKRNL_INTERFACE interface,
                       PULONG sources, PULONG children) override {
    started.push_back(context);
    callbacks = *interface;
    device_handle = interface->DeviceHandle;
    return SilentDriver::StartDevice(context, info, interface, sources, children);
  }
  NTSTATUS CreateProcess(HANDLE adapter, DXGKARG_CREATEPROCESS* create) override {
    const NTSTATUS status = SilentDriver::CreateProcess(adapter, create);
    processes.push_back(*create);
    if (NT_SUCCESS(status)) create->hKmdProcess = reinterpret_cast<HANDLE>(next_process++);
    return status;
  }
  NTSTATUS DestroyProcess(HANDLE adapter, HANDLE process) override {
    ended_processes.push_back(process);
    return SilentDriver::DestroyProcess(adapter, process);
  }
  NTSTATUS QueryAdapterInfo(HANDLE adapter, const DXGKARG_QUERYADAPTERINFO* query) override {
    queries.push_back(query->Type);
    const NTSTATUS status = SilentDriver::QueryAdapterInfo(adapter, query);
    if (!NT_SUCCESS(status)) return status;
    const NTSTATUS answer = answer_query(*query);
    if (on_query) on_query(*query);
    return answer;
  }
  NTSTATUS answer_query(const DXGKARG_QUERYADAPTERINFO& query) const {
    switch (query.Type) {
      case DXGKQAITYPE_DRIVERCAPS:
        std::memcpy(query.pOutputData, &caps, sizeof(caps));
        return STATUS_SUCCESS;
      case DXGKQAITYPE_GPUMMUCAPS:
        std::memcpy(query.pOutputData, &gpummu_caps, sizeof(gpummu_caps));
        return gpummu_caps.PageTableLevelCount == 0 ? STATUS_INVALID_PARAMETER : STATUS_SUCCESS;
      case DXGKQAITYPE_PAGETABLELEVELDESC: {
        const auto& of = *static_cast<const DXGK_QUERYPAGETABLELEVELDESCIN*>(query.pInputData);
        if (of.LevelIndex >= page_table_levels.size()) return STATUS_INVALID_PARAMETER;
        std::memcpy(query.pOutputData, &page_table_levels[of.LevelIndex],
                    sizeof(DXGK_PAGE_TABLE_LEVEL_DESC));
        return STATUS_SUCCESS;
      }
      case DXGKQAITYPE_QUERYSEGMENT4: {
        if (!knows_segment4) return STATUS_NOT_SUPPORTED;
        auto& out = *static_cast<DXGK_QUERYSEGMENTOUT4*>(query.pOutputData);
        if (out.pSegmentDescriptor == nullptr) {
          out.NbSegment = static_cast<UINT>(segments.size());
          return STATUS_SUCCESS;
        }
        out.PagingBufferSegmentId = paging_segment;
        out.PagingBufferSize = paging_bytes;
        out.PagingBufferPrivateDataSize = 16;
        std::memcpy(out.pSegmentDescriptor, segments.data(), segments.size() * sizeof(segments[0]));
        return STATUS_SUCCESS;
      }
      default:
        return STATUS_NOT_SUPPORTED;
    }
  }

  NTSTATUS CreateDevice(HANDLE adapter, DXGKARG_CREATEDEVICE* create) override {
    created_devices.push_back(*create);
    create->hDevice = reinterpret_cast<HANDLE>(kDevice);
    if (device_info.DmaBufferSize != 0) create->pInfo = &device_info;
    return SilentDriver::CreateDevice(adapter, create);
  }
  NTSTATUS CreateContext(HANDLE device, DXGKARG_CREATECONTEXT* create) override {
    const auto* const data = static_cast<const std::uint8_t*>(create->pPrivateDriverData);
    context_data.emplace_back(data, data + create->PrivateDriverDataSize);
    create->hContext = reinterpret_cast<HANDLE>(kContext + create->NodeOrdinal);
    create->ContextInfo.DmaBufferSize = 4096;
    create->ContextInfo.PatchLocationListSize = 64;
    create->ContextInfo.DmaBufferSegmentSet = dma_segments;
    return SilentDriver::CreateContext(device, create);
  }
  NTSTATUS CreateAllocation(HANDLE adapter, DXGKARG_CREATEALLOCATION* create) override {
    const auto* const of_resource = static_cast<const std::uint8_t*>(create->pPrivateDriverData);
    resource_data.emplace_back(of_resource, of_resource + create->PrivateDriverDataSize);
    for (UINT i = 0; i < create->NumAllocations; ++i) {
      DXGK_ALLOCATIONINFO& info = create->pAllocationInfo[i];
      const auto* const data = static_cast<const std::uint8_t*>(info.pPrivateDriverData);
      allocation_data.emplace_back(data, data + info.PrivateDriverDataSize);
      info.Size = allocation_bytes;
      info.SupportedWriteSegmentSet = info.SupportedReadSegmentSet = segment_set;
      info.EvictionSegmentSet = eviction_set;
      info.PreferredSegment.Value = preferred_segment;
      info.hAllocation = reinterpret_cast<HANDLE>(next_allocation++);
    }
    return SilentDriver::CreateAllocation(adapter, create);
  }
  NTSTATUS OpenAllocation(HANDLE device, const DXGKARG_OPENALLOCATION* open) override {
    const NTSTATUS status = SilentDriver::OpenAllocation(device, open);
    for (UINT i = 0; NT_SUCCESS(status) && i < open->NumAllocations; ++i) {
      open->pOpenAllocation[i].hDeviceSpecificAllocation = reinterpret_cast<HANDLE>(next_open++);
    }
    return status;
  }
  NTSTATUS CloseAllocation(HANDLE device, const DXGKARG_CLOSEALLOCATION* close) override {
    closed.insert(closed.end(), close->pOpenHandleList,
                  close->pOpenHandleList + close->NumAllocations);
    return SilentDriver::CloseAllocation(device, close);
  }
  NTSTATUS DestroyAllocation(HANDLE adapter, const DXGKARG_DESTROYALLOCATION* destroy) override {
    destroyed.insert(destroyed.end(), destroy->pAllocationList,
                     destroy->pAllocationList + destroy->NumAllocations);
    return SilentDriver::DestroyAllocation(adapter, destroy);
  }
  NTSTATUS BuildPagingBuffer(HANDLE adapter, DXGKARG_BUILDPAGINGBUFFER* build) override {
    built.push_back(*build);
    const NTSTATUS status = SilentDriver::BuildPagingBuffer(adapter, build);
    return builds ? builds(*build) : status;
  }
  NTSTATUS Patch(HANDLE adapter, const DXGKARG_PATCH* patch) override {
    patched.push_back(*patch);
    patch_lists.emplace_back(patch->pAllocationList,
                             patch->pAllocationList + patch->AllocationListSize);
    const NTSTATUS status = SilentDriver::Patch(adapter, patch);
    if (on_patch) on_patch(*patch);
    return status;
  }
  NTSTATUS SubmitCommand(HANDLE adapter, const DXGKARG_SUBMITCOMMAND* submit) override {
    submitted.push_back(*submit);
    const NTSTATUS status = SilentDriver::SubmitCommand(adapter, submit);
    if (on_submit) on_submit(*submit);
    return status;
  }
  NTSTATUS ResetEngine(HANDLE adapter, DXGKARG_RESETENGINE* reset) override {
    if (on_reset_engine) on_reset_engine();
    reset->LastAbortedFenceId = last_aborted;
    return SilentDriver::ResetEngine(adapter, reset);
  }
  NTSTATUS PreemptCommand(HANDLE adapter, const DXGKARG_PREEMPTCOMMAND* preempt) override {
    preempted.push_back(*preempt);
    return SilentDriver::PreemptCommand(adapter, preempt);
  }
};

/// A device with a BAR of memory. One at a time: a table's functions carry no context of ours.
class FakeDevice {
 public:
  FakeDevice() {
    g_device = this;
    bars[0] = {.size = 8192, .memory = 1, .reports_writes = 0};
    table.size = sizeof(table);
    table.version = WDDM_DEVICE_VERSION;
    table.name = "fake device";
    table.bars = bars;
    table.bar_count = WDDM_DEVICE_MAX_BARS;
    table.bar_stride = sizeof(WddmBar);
    table.vendor_id = 0x1234;
    table.device_id = 0x5678;
    table.create = [](const WddmDeviceHost* services, void* const*) -> void* {
      g_device->host = services;
      return g_device;
    };
    table.destroy = [](void*) {};
    table.advance = [](void*, std::uint32_t units) {
      g_device->advanced += units;
      return g_device->on_advance ? g_device->on_advance(units) : 0;
    };
  }
  ~FakeDevice() { g_device = nullptr; }
  FakeDevice(const FakeDevice&) = delete;
  FakeDevice& operator=(const FakeDevice&) = delete;

  /// It has memory that no BAR shows, and reads it for who asks.
  void has_unseen_memory(std::uint64_t base, std::uint64_t bytes) {
    unseen_base = base;
    unseen.assign(bytes, 0);
    table.memory_read = [](void*, std::uint64_t address, void* buffer, std::uint32_t count) {
      const std::uint64_t at = address - g_device->unseen_base;
      if (at > g_device->unseen.size() || count > g_device->unseen.size() - at) return -1;
      std::memcpy(buffer, g_device->unseen.data() + at, count);
      return 0;
    };
  }

  WddmBar bars[WDDM_DEVICE_MAX_BARS]{};
  WddmDevice table{};
  std::uint64_t unseen_base = 0;
  std::vector<std::uint8_t> unseen;
  const WddmDeviceHost* host = nullptr;
  std::uint64_t advanced = 0;  ///< units in all
  /// Returns the units used; 0 where there is none.
  std::function<std::uint32_t(std::uint32_t units)> on_advance;

 private:
  static inline FakeDevice* g_device = nullptr;
};

}  // namespace wddm::host
