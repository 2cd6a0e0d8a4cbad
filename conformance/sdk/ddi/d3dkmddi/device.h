// Processes, devices, contexts and escapes.
//
// Layouts are those of WDDM 2.7 on x64, whatever DXGKDDI_INTERFACE_VERSION says.
#ifndef WDDM_DDI_D3DKMDDI_DEVICE_H
#define WDDM_DDI_D3DKMDDI_DEVICE_H

#include "../d3d_base.h"
#include "../d3dukmdt/queues.h"

// Entries that the lists of a context for GDI must have room for.
#define DXGK_ALLOCATION_LIST_SIZE_GDICONTEXT 256

typedef struct _DXGK_CREATEDEVICEFLAGS {
  union {
    struct {
      UINT SystemDevice : 1;
      UINT GdiDevice : 1;
      UINT Reserved : 29;
      UINT Reserved0 : 1;
    };
    UINT Value;
  };
} DXGK_CREATEDEVICEFLAGS;
WDDM_DDI_PARAMETERS(DXGK_CREATEDEVICEFLAGS);

typedef struct _DXGK_DEVICEINFOFLAGS {
  union {
    struct {
      UINT GuaranteedDmaBufferContract : 1;
      UINT Reserved : 31;
    };
    UINT Value;
  };
} DXGK_DEVICEINFOFLAGS;
WDDM_DDI_PARAMETERS(DXGK_DEVICEINFOFLAGS);

// The same for devices of drivers without contexts.
typedef struct _DXGK_DEVICEINFO {
  UINT DmaBufferSize;
  UINT DmaBufferSegmentSet;
  UINT DmaBufferPrivateDataSize;
  UINT AllocationListSize;
  UINT PatchLocationListSize;
  DXGK_DEVICEINFOFLAGS Flags;
} DXGK_DEVICEINFO;
WDDM_DDI_PARAMETERS(DXGK_DEVICEINFO);

// A device: one client of the adapter.
typedef struct _DXGKARG_CREATEDEVICE {
  HANDLE hDevice;
  union {
    DXGK_CREATEDEVICEFLAGS Flags;
    DXGK_DEVICEINFO* pInfo;
  };
  ULONG Pasid;
  HANDLE hKmdProcess;
} DXGKARG_CREATEDEVICE;
WDDM_DDI_PARAMETERS(DXGKARG_CREATEDEVICE);

typedef struct _DXGK_CREATECONTEXTFLAGS {
  union {
    struct {
      UINT SystemContext : 1;
      UINT GdiContext : 1;
      UINT VirtualAddressing : 1;
      UINT SystemProtectedContext : 1;
      UINT HwQueueSupported : 1;
      UINT TestContext : 1;  // reserved before WDDM 3.2
      UINT Reserved : 26;
    };
    UINT Value;
  };
} DXGK_CREATECONTEXTFLAGS;
WDDM_DDI_PARAMETERS(DXGK_CREATECONTEXTFLAGS);

typedef struct _DXGK_CONTEXTINFO_CAPS {
  union {
    struct {
      UINT NoPatchingRequired : 1;
      UINT DriverManagesResidency : 1;
      UINT UseIoMmu : 1;
      UINT Reserved : 29;
    };
    UINT Value;
  };
} DXGK_CONTEXTINFO_CAPS;
WDDM_DDI_PARAMETERS(DXGK_CONTEXTINFO_CAPS);

// Sizes and segments of the buffers that the kernel allocates for a context.
typedef struct _DXGK_CONTEXTINFO {
  UINT DmaBufferSize;
  UINT DmaBufferSegmentSet;
  UINT DmaBufferPrivateDataSize;
  UINT AllocationListSize;
  UINT PatchLocationListSize;
  UINT Reserved;
  DXGK_CONTEXTINFO_CAPS Caps;
  ULONG PagingCompanionNodeId;
} DXGK_CONTEXTINFO;
WDDM_DDI_PARAMETERS(DXGK_CONTEXTINFO);

// A context: one stream of commands on a node.
typedef struct _DXGKARG_CREATECONTEXT {
  HANDLE hContext;
  UINT NodeOrdinal;
  UINT EngineAffinity;
  DXGK_CREATECONTEXTFLAGS Flags;
  VOID* pPrivateDriverData;
  UINT PrivateDriverDataSize;
  DXGK_CONTEXTINFO ContextInfo;
} DXGKARG_CREATECONTEXT;
WDDM_DDI_PARAMETERS(DXGKARG_CREATECONTEXT);

typedef NTSTATUS DXGKDDI_CREATEDEVICE(IN_CONST_HANDLE hAdapter,
                                      INOUT_PDXGKARG_CREATEDEVICE pCreateDevice);
typedef DXGKDDI_CREATEDEVICE* PDXGKDDI_CREATEDEVICE;

typedef struct _DXGKARG_ESCAPE {
  HANDLE hDevice;
  D3DDDI_ESCAPEFLAGS Flags;
  VOID* pPrivateDriverData;
  UINT PrivateDriverDataSize;
  HANDLE hContext;
  HANDLE hKmdProcessHandle;
} DXGKARG_ESCAPE;
WDDM_DDI_PARAMETERS(DXGKARG_ESCAPE);

typedef NTSTATUS DXGKDDI_ESCAPE(IN_CONST_HANDLE hAdapter, IN_CONST_PDXGKARG_ESCAPE pEscape);
typedef DXGKDDI_ESCAPE* PDXGKDDI_ESCAPE;

typedef NTSTATUS DXGKDDI_DESTROYDEVICE(IN_CONST_HANDLE hDevice);
typedef DXGKDDI_DESTROYDEVICE* PDXGKDDI_DESTROYDEVICE;

typedef NTSTATUS DXGKDDI_CREATECONTEXT(IN_CONST_HANDLE hDevice,
                                       INOUT_PDXGKARG_CREATECONTEXT pCreateContext);
typedef DXGKDDI_CREATECONTEXT* PDXGKDDI_CREATECONTEXT;

typedef NTSTATUS DXGKDDI_DESTROYCONTEXT(IN_CONST_HANDLE hContext);
typedef DXGKDDI_DESTROYCONTEXT* PDXGKDDI_DESTROYCONTEXT;

typedef struct _DXGK_CREATEPROCESSFLAGS {
  union {
    struct {
      UINT SystemProcess : 1;
      UINT GdiProcess : 1;
      UINT VirtualMachineProcess : 1;
      UINT VirtualMachineWorkerProcess : 1;
      UINT SessionIsolatedContainer : 1;
      UINT Reserved : 27;
    };
    UINT Value;
  };
} DXGK_CREATEPROCESSFLAGS;
WDDM_DDI_PARAMETERS(DXGK_CREATEPROCESSFLAGS);

// A process that uses the adapter.
typedef struct _DXGKARG_CREATEPROCESS {
  HANDLE hDxgkProcess;
  HANDLE hKmdProcess;
  DXGK_CREATEPROCESSFLAGS Flags;
  UINT NumPasid;
  ULONG* pPasid;
  HANDLE hKmdVmWorkerProcess;
  UINT ProcessNameLength;
  WCHAR* pProcessName;
} DXGKARG_CREATEPROCESS;
WDDM_DDI_PARAMETERS(DXGKARG_CREATEPROCESS);

typedef NTSTATUS DXGKDDI_CREATEPROCESS(IN_CONST_HANDLE hAdapter,
                                       INOUT_PDXGKARG_CREATEPROCESS pArgs);
typedef DXGKDDI_CREATEPROCESS* PDXGKDDI_CREATEPROCESS;

typedef NTSTATUS DXGKDDI_DESTROYPROCESS(IN_CONST_HANDLE hAdapter, IN_CONST_HANDLE hKmdProcess);
typedef DXGKDDI_DESTROYPROCESS* PDXGKDDI_DESTROYPROCESS;

typedef struct _DXGKARG_CREATEPROTECTEDSESSION {
  HANDLE hProtectedSession;
  PVOID pPrivateDriverData;
  UINT PrivateDriverDataSize;
} DXGKARG_CREATEPROTECTEDSESSION;
WDDM_DDI_PARAMETERS(DXGKARG_CREATEPROTECTEDSESSION);

typedef NTSTATUS DXGKDDI_CREATEPROTECTEDSESSION(
    IN_CONST_HANDLE hAdapter, INOUT_PDXGKARG_CREATEPROTECTEDSESSION pCreateProtectedSession);
typedef DXGKDDI_CREATEPROTECTEDSESSION* PDXGKDDI_CREATEPROTECTEDSESSION;

typedef NTSTATUS DXGKDDI_DESTROYPROTECTEDSESSION(IN_CONST_HANDLE hAdapter,
                                                 IN_CONST_HANDLE hProtectedSession);
typedef DXGKDDI_DESTROYPROTECTEDSESSION* PDXGKDDI_DESTROYPROTECTEDSESSION;

#endif
