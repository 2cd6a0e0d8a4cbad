// What the driver says about itself: QueryAdapterInfo (but segments), GetNodeMetadata and Escape.
#include "kmd_adapter.h"
#include "segment_layout.h"

namespace reference_kmd {

namespace {

// There is no display, no list that a slot could be in, and preemption may come at PASSIVE_LEVEL.
void make_compute_only(DXGK_DRIVERCAPS* caps) {
  caps->MiscCaps.ComputeOnly = TRUE;
  caps->MaxAllocationListSlotId = 0;
  caps->ApertureSegmentCommitLimit = 0;
  caps->FlipCaps.FlipOnVSyncMmIo = FALSE;
  caps->SchedulingCaps.LowIrqlPreemptCommand = TRUE;
  caps->SupportRuntimePowerManagement = manages_power();
  caps->SupportSurpriseRemoval = can_be_pulled_out();
  caps->SupportSurpriseRemovalInHibernation = can_be_pulled_out();
  caps->MemoryManagementCaps.IoMmuSecureModeSupported = can_be_isolated();
  // Virtual machines share the device call by call: there are no partitions to hand out.
  caps->MemoryManagementCaps.ParavirtualizationSupported =
      caps->MemoryManagementCaps.GpuMmuSupported;
}

DXGK_ENGINE_TYPE engine_type(UINT node) {
  return node == HW_NODE_RENDER ? DXGK_ENGINE_TYPE_3D : DXGK_ENGINE_TYPE_COPY;
}

}  // namespace

NTSTATUS Adapter::query_info(const DXGKARG_QUERYADAPTERINFO& query) {
  if (query.pOutputData == nullptr) return STATUS_INVALID_PARAMETER;
  switch (query.Type) {
    case DXGKQAITYPE_DRIVERCAPS:
      return fill_caps(query);
    case DXGKQAITYPE_QUERYSEGMENT:
      if (computes_only()) return STATUS_NOT_SUPPORTED;
      return fill_segments<DXGK_QUERYSEGMENTOUT>(query);
    case DXGKQAITYPE_QUERYSEGMENT3:
      if (computes_only()) return STATUS_NOT_SUPPORTED;
      return fill_segments<DXGK_QUERYSEGMENTOUT3>(query);
    case DXGKQAITYPE_HISTORYBUFFERPRECISION: {
      if (query.OutputDataSize < HW_NODE_COUNT * sizeof(DXGKARG_HISTORYBUFFERPRECISION)) {
        return STATUS_INVALID_PARAMETER;
      }
      auto* precision = static_cast<DXGKARG_HISTORYBUFFERPRECISION*>(query.pOutputData);
      for (UINT node = 0; node < HW_NODE_COUNT; ++node) precision[node].PrecisionBits = 64;
      return STATUS_SUCCESS;
    }
    case DXGKQAITYPE_QUERYSEGMENT4: {
      // Without a link whoever asks means this adapter.
      ULONG index = 0;
      if (gpus_of_link() > 1 && query.InputDataSize >= sizeof(DXGK_QUERYSEGMENTIN4)) {
        index = static_cast<const DXGK_QUERYSEGMENTIN4*>(query.pInputData)->PhysicalAdapterIndex;
      }
      Adapter* named = gpu(index);
      return named != nullptr ? named->fill_segments4(query) : STATUS_INVALID_PARAMETER;
    }
    case DXGKQAITYPE_UMDRIVERPRIVATE:
      if (query.OutputDataSize < sizeof(ULONG)) return STATUS_INVALID_PARAMETER;
      *static_cast<ULONG*>(query.pOutputData) = HW_ID_VALUE;
      return STATUS_SUCCESS;
    case DXGKQAITYPE_NUMPOWERCOMPONENTS:
      if (query.OutputDataSize < sizeof(UINT)) return STATUS_INVALID_PARAMETER;
      *static_cast<UINT*>(query.pOutputData) = power_components_.count();
      return STATUS_SUCCESS;
    case DXGKQAITYPE_POWERCOMPONENTINFO:
      if (query.pInputData == nullptr || query.InputDataSize < sizeof(UINT) ||
          query.OutputDataSize < sizeof(DXGK_POWER_RUNTIME_COMPONENT)) {
        return STATUS_INVALID_PARAMETER;
      }
      return power_components_.describe(
          *static_cast<const UINT*>(query.pInputData),
          static_cast<DXGK_POWER_RUNTIME_COMPONENT*>(query.pOutputData));
    case DXGKQAITYPE_FRAMEBUFFERSAVESIZE:
    case DXGKQAITYPE_HARDWARERESERVEDRANGES:
      return query_isolation(query);
    default:
      return query_virtual_info(query);
  }
}

// Video memory is lost with power, and no memory of the system is the hardware's own.
NTSTATUS Adapter::query_isolation(const DXGKARG_QUERYADAPTERINFO& query) {
  if (!can_be_isolated()) return STATUS_NOT_SUPPORTED;
  const bool save_area = query.Type == DXGKQAITYPE_FRAMEBUFFERSAVESIZE;
  const SIZE_T bytes =
      save_area ? sizeof(DXGK_FRAMEBUFFERSAVEAREA) : sizeof(DXGK_HARDWARERESERVEDRANGES);
  if (query.OutputDataSize < bytes) return STATUS_INVALID_PARAMETER;
  if (save_area) {
    static_cast<DXGK_FRAMEBUFFERSAVEAREA*>(query.pOutputData)->MaximumSize = 0;
  } else {
    static_cast<DXGK_HARDWARERESERVEDRANGES*>(query.pOutputData)->NumRanges = 0;
  }
  return STATUS_SUCCESS;
}

NTSTATUS Adapter::fill_caps(const DXGKARG_QUERYADAPTERINFO& query) {
  if (query.OutputDataSize < sizeof(DXGK_DRIVERCAPS)) return STATUS_INVALID_PARAMETER;
  DXGK_DRIVERCAPS& caps = *static_cast<DXGK_DRIVERCAPS*>(query.pOutputData);
  RtlZeroMemory(&caps, sizeof caps);
  caps.WDDMVersion = computes_only() ? DXGKDDI_WDDMv2_6
                     : is_wddm_2()   ? DXGKDDI_WDDMv2
                                     : DXGKDDI_WDDMv1_3;
  caps.HighestAcceptableAddress = physical_address(~0ull >> (64 - settings_.addressable_bits));
  caps.MaxAllocationListSlotId = settings_.slot_count;
  caps.NumberOfSwizzlingRanges = settings_.swizzling_ranges();
  if (segment_id(UMD_SEGMENT_APERTURE) != 0) {
    caps.ApertureSegmentCommitLimit =
        static_cast<SIZE_T>(settings_.aperture_segment_pages) * PAGE_SIZE;
  }
  caps.FlipCaps.FlipOnVSyncMmIo = TRUE;  // mandatory since WDDM 1.2, though nothing flips here

  caps.SchedulingCaps.MultiEngineAware = has_contexts();
  caps.SchedulingCaps.PreemptionAware = settings_.preemption_aware != 0;
  caps.SchedulingCaps.NoDmaPatching = settings_.no_dma_patching != 0;
  caps.SchedulingCaps.CancelCommandAware = has_contexts();
  caps.PreemptionCaps.GraphicsPreemptionGranularity =
      D3DKMDT_GRAPHICS_PREEMPTION_PRIMITIVE_BOUNDARY;
  caps.PreemptionCaps.ComputePreemptionGranularity = D3DKMDT_COMPUTE_PREEMPTION_DISPATCH_BOUNDARY;
  caps.GpuEngineTopology.NbAsymetricProcessingNodes = HW_NODE_COUNT;
  caps.MemoryManagementCaps.PagingNode = settings_.paging_node;
  caps.SupportPerEngineTDR = TRUE;
  if (uses_gpu_virtual_addresses()) add_virtual_caps(&caps);
  if (computes_only()) make_compute_only(&caps);
  return STATUS_SUCCESS;
}

NTSTATUS Adapter::node_metadata(UINT ordinal, DXGKARG_GETNODEMETADATA* metadata) {
  const Adapter* named = gpu(ordinal >> 16);
  if (named == nullptr) return STATUS_INVALID_PARAMETER;
  ordinal &= 0xffff;
  if (ordinal >= HW_NODE_COUNT) return STATUS_INVALID_PARAMETER;
  RtlZeroMemory(metadata, sizeof *metadata);  // an empty FriendlyName: the type says it all
  metadata->GpuMmuSupported = uses_gpu_virtual_addresses() && !io_mmu_alone();
  metadata->IoMmuSupported =
      named->settings_.io_mmu != 0;  // and contexts of the copy engine use it
  metadata->Flags.SupportBuildTestCommandBuffer = tests_in_kernel_mode();
  metadata->EngineType = engine_type(ordinal);
  return STATUS_SUCCESS;
}

// User mode sends what it likes, and may change it meanwhile: each member is read once.
NTSTATUS Adapter::answer_escape(const DXGKARG_ESCAPE& escape) const {
  auto* const data = static_cast<UmdEscapeData*>(escape.pPrivateDriverData);
  if (data == nullptr || escape.PrivateDriverDataSize < sizeof *data) {
    return STATUS_INVALID_PARAMETER;
  }
  const UmdEscapeData asked = *data;
  if (asked.magic != UMD_ESCAPE_MAGIC || asked.version != UMD_VERSION ||
      asked.first >= HW_NODE_COUNT || asked.count > HW_NODE_COUNT - asked.first) {
    return STATUS_INVALID_PARAMETER;
  }
  const SIZE_T room = escape.PrivateDriverDataSize - sizeof *data;
  auto* const answer = reinterpret_cast<HwUint32*>(data + 1);
  if (room < asked.count * sizeof *answer) return STATUS_BUFFER_TOO_SMALL;
  for (UINT i = 0; i < asked.count; ++i) answer[i] = engine_type(asked.first + i);
  return STATUS_SUCCESS;
}

}  // namespace reference_kmd
