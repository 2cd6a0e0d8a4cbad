// Engine types, node metadata and performance data.
//
// Layouts are those of WDDM 2.7 on x64, whatever DXGKDDI_INTERFACE_VERSION says.
#ifndef WDDM_DDI_D3DKMDT_NODES_H
#define WDDM_DDI_D3DKMDT_NODES_H

#include "../d3d_base.h"

#pragma pack(push, 1)
typedef struct _DXGK_ADAPTER_PERFDATA {
  ULONGLONG MemoryFrequency;
  ULONGLONG MaxMemoryFrequency;
  ULONGLONG MaxMemoryFrequencyOC;
  ULONGLONG MemoryBandwidth;
  ULONGLONG PCIEBandwidth;
  ULONG FanRPM;
  ULONG Power;
  ULONG Temperature;
  UCHAR PowerStateOverride;
} DXGK_ADAPTER_PERFDATA;
#pragma pack(pop)
WDDM_DDI_PARAMETERS(DXGK_ADAPTER_PERFDATA);

#pragma pack(push, 1)
typedef struct _DXGK_ADAPTER_PERFDATACAPS {
  ULONGLONG MaxMemoryBandwidth;
  ULONGLONG MaxPCIEBandwidth;
  ULONG MaxFanRPM;
  ULONG TemperatureMax;
  ULONG TemperatureWarning;
} DXGK_ADAPTER_PERFDATACAPS;
#pragma pack(pop)
WDDM_DDI_PARAMETERS(DXGK_ADAPTER_PERFDATACAPS);

typedef struct _DXGK_GPUCLOCKDATA_FLAGS {
  union {
    struct {
      UINT ContextManagementProcessor : 1;
      UINT Reserved : 31;
    };
    UINT32 Value;
  };
} DXGK_GPUCLOCKDATA_FLAGS;
WDDM_DDI_PARAMETERS(DXGK_GPUCLOCKDATA_FLAGS);

#pragma pack(push, 1)
typedef struct _DXGK_GPUCLOCKDATA {
  UINT64 GpuFrequency;
  UINT64 GpuClockCounter;
  UINT64 CpuClockCounter;
  DXGK_GPUCLOCKDATA_FLAGS Flags;
} DXGK_GPUCLOCKDATA;
#pragma pack(pop)
WDDM_DDI_PARAMETERS(DXGK_GPUCLOCKDATA);

typedef struct _DXGK_GPUVERSION {
  WCHAR BiosVersion[DXGK_MAX_GPUVERSION_NAME_LENGTH];
  WCHAR GpuArchitecture[DXGK_MAX_GPUVERSION_NAME_LENGTH];
} DXGK_GPUVERSION;
WDDM_DDI_PARAMETERS(DXGK_GPUVERSION);

typedef enum _DXGK_ENGINE_TYPE {
  DXGK_ENGINE_TYPE_OTHER = 0,
  DXGK_ENGINE_TYPE_3D = 1,
  DXGK_ENGINE_TYPE_VIDEO_DECODE = 2,
  DXGK_ENGINE_TYPE_VIDEO_ENCODE = 3,
  DXGK_ENGINE_TYPE_VIDEO_PROCESSING = 4,
  DXGK_ENGINE_TYPE_SCENE_ASSEMBLY = 5,
  DXGK_ENGINE_TYPE_COPY = 6,
  DXGK_ENGINE_TYPE_OVERLAY = 7,
  DXGK_ENGINE_TYPE_CRYPTO = 8,
  DXGK_ENGINE_TYPE_VIDEO_CODEC = 9,
  DXGK_ENGINE_TYPE_MAX = 9,
} DXGK_ENGINE_TYPE;
WDDM_DDI_PARAMETERS(DXGK_ENGINE_TYPE);

typedef struct _DXGK_NODEMETADATA_FLAGS {
  union {
    struct {
      UINT ContextSchedulingSupported : 1;
      UINT RingBufferFenceRelease : 1;
      UINT SupportTrackedWorkload : 1;
      UINT UserModeSubmission : 1;             // reserved before WDDM 3.1
      UINT SupportBuildTestCommandBuffer : 1;  // reserved before WDDM 3.2
      UINT Reserved : 11;
      UINT MaxInFlightHwQueueBuffers : 16;
    };
    UINT32 Value;
  };
} DXGK_NODEMETADATA_FLAGS;
WDDM_DDI_PARAMETERS(DXGK_NODEMETADATA_FLAGS);

#pragma pack(push, 1)
typedef struct _DXGK_NODEMETADATA {
  DXGK_ENGINE_TYPE EngineType;
  WCHAR FriendlyName[DXGK_MAX_METADATA_NAME_LENGTH];
  DXGK_NODEMETADATA_FLAGS Flags;
  BOOLEAN GpuMmuSupported;
  BOOLEAN IoMmuSupported;
} DXGK_NODEMETADATA;
#pragma pack(pop)
WDDM_DDI_PARAMETERS(DXGK_NODEMETADATA);

#pragma pack(push, 1)
typedef struct _DXGK_NODE_PERFDATA {
  ULONGLONG Frequency;
  ULONGLONG MaxFrequency;
  ULONGLONG MaxFrequencyOC;
  ULONG Voltage;
  ULONG VoltageMax;
  ULONG VoltageMaxOC;
  ULONGLONG MaxTransitionLatency;
} DXGK_NODE_PERFDATA;
#pragma pack(pop)
WDDM_DDI_PARAMETERS(DXGK_NODE_PERFDATA);
typedef DXGK_NODEMETADATA DXGKARG_GETNODEMETADATA;
WDDM_DDI_PARAMETERS(DXGKARG_GETNODEMETADATA);
typedef DXGK_GPUCLOCKDATA DXGKARG_CALIBRATEGPUCLOCK;
WDDM_DDI_PARAMETERS(DXGKARG_CALIBRATEGPUCLOCK);

#endif
