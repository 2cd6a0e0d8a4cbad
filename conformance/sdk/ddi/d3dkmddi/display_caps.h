// Display capabilities inside DXGK_DRIVERCAPS and their queries.
//
// Layouts are those of WDDM 2.7 on x64, whatever DXGKDDI_INTERFACE_VERSION says.
#ifndef WDDM_DDI_D3DKMDDI_DISPLAY_CAPS_H
#define WDDM_DDI_D3DKMDDI_DISPLAY_CAPS_H

#include "../d3d_base.h"
#include "../d3dkmdt/monitors.h"
#include "../d3dkmdt/vidpn.h"

typedef struct _DXGK_POINTERFLAGS {
  union {
    struct {
      UINT Monochrome : 1;
      UINT Color : 1;
      UINT MaskedColor : 1;
      UINT Reserved : 29;
    };
    UINT Value;
  };
} DXGK_POINTERFLAGS;
WDDM_DDI_PARAMETERS(DXGK_POINTERFLAGS);

typedef struct _DXGK_GAMMARAMPCAPS {
  union {
    struct {
      UINT Gamma_Rgb256x3x16 : 1;
      UINT Reserved : 31;
    };
    UINT Value;
  };
} DXGK_GAMMARAMPCAPS;
WDDM_DDI_PARAMETERS(DXGK_GAMMARAMPCAPS);

typedef struct _DXGK_COLORTRANSFORMCAPS {
  union {
    struct {
      UINT Gamma_Rgb256x3x16 : 1;
      UINT Gamma_Dxgi1 : 1;
      UINT Transform_3x4Matrix : 1;
      UINT Transform_3x4Matrix_WideColor : 1;
      UINT Transform_3x4Matrix_HighColor : 1;
      UINT Transform_Matrix_V2 : 1;
      UINT Reserved : 26;
    };
    UINT Value;
  };
} DXGK_COLORTRANSFORMCAPS;
WDDM_DDI_PARAMETERS(DXGK_COLORTRANSFORMCAPS);

typedef struct _DXGK_PRESENTATIONCAPS {
  union {
    struct {
      UINT NoScreenToScreenBlt : 1;
      UINT NoOverlapScreenBlt : 1;
      UINT SupportKernelModeCommandBuffer : 1;
      UINT NoSameBitmapAlphaBlend : 1;
      UINT NoSameBitmapStretchBlt : 1;
      UINT NoSameBitmapTransparentBlt : 1;
      UINT NoSameBitmapOverlappedAlphaBlend : 1;
      UINT NoSameBitmapOverlappedStretchBlt : 1;
      UINT DriverSupportsCddDwmInterop : 1;
      UINT Reserved0 : 1;
      UINT AlignmentShift : 4;
      UINT MaxTextureWidthShift : 3;
      UINT MaxTextureHeightShift : 3;
      UINT SupportAllBltRops : 1;
      UINT SupportMirrorStretchBlt : 1;
      UINT SupportMonoStretchBltModes : 1;
      UINT StagingRectStartPitchAligned : 1;
      UINT NoSameBitmapBitBlt : 1;
      UINT NoSameBitmapOverlappedBitBlt : 1;
      UINT Reserved1 : 1;
      UINT NoTempSurfaceForClearTypeBlend : 1;
      UINT SupportSoftwareDeviceBitmaps : 1;
      UINT NoCacheCoherentApertureMemory : 1;
      UINT SupportLinearHeap : 1;
      UINT Reserved : 1;
    };
    UINT Value;
  };
} DXGK_PRESENTATIONCAPS;
WDDM_DDI_PARAMETERS(DXGK_PRESENTATIONCAPS);

typedef struct _DXGK_FLIPCAPS {
  union {
    struct {
      UINT FlipOnVSyncWithNoWait : 1;
      UINT FlipOnVSyncMmIo : 1;
      UINT FlipInterval : 1;
      UINT FlipImmediateMmIo : 1;
      UINT FlipIndependent : 1;
      UINT DdiPresentForIFlip : 1;
      UINT FlipImmediateOnHSync : 1;
      UINT Reserved : 25;
    };
    UINT Value;
  };
} DXGK_FLIPCAPS;
WDDM_DDI_PARAMETERS(DXGK_FLIPCAPS);

typedef union _DXGK_STANDARD_COLORIMETRY_FLAGS {
  struct {
    UINT BT2020YCC : 1;
    UINT BT2020RGB : 1;
    UINT ST2084 : 1;
    UINT Reserved : 29;
  };
  ULONG Value;
} DXGK_STANDARD_COLORIMETRY_FLAGS;
WDDM_DDI_PARAMETERS(DXGK_STANDARD_COLORIMETRY_FLAGS);

typedef struct _DXGK_COLORIMETRY {
  D3DKMDT_2DOFFSET RedPoint;
  D3DKMDT_2DOFFSET GreenPoint;
  D3DKMDT_2DOFFSET BluePoint;
  D3DKMDT_2DOFFSET WhitePoint;
  ULONG MinLuminance;
  ULONG MaxLuminance;
  ULONG MaxFullFrameLuminance;
  D3DKMDT_WIRE_FORMAT_AND_PREFERENCE FormatBitDepths;
  DXGK_STANDARD_COLORIMETRY_FLAGS StandardColorimetryFlags;
} DXGK_COLORIMETRY;
WDDM_DDI_PARAMETERS(DXGK_COLORIMETRY);

typedef struct _DXGK_DISPLAY_DRIVERCAPS_EXTENSION {
  union {
    struct {
      UINT SecureDisplaySupport : 1;
      UINT VirtualModeSupport : 1;
      UINT HdrFP16ScanoutSupport : 1;
      UINT HdrARGB10ScanoutSupport : 1;
      UINT Hdr10MetadataSupport : 1;
      UINT Reserved : 27;
    };
    UINT Value;
  };
} DXGK_DISPLAY_DRIVERCAPS_EXTENSION;
WDDM_DDI_PARAMETERS(DXGK_DISPLAY_DRIVERCAPS_EXTENSION);

typedef enum _DXGK_GAMMA_DATA_TYPE {
  DXGK_GAMMA_DATA_TYPE_FIXED_POINT = 0,
  DXGK_GAMMA_DATA_TYPE_FLOAT = 1,
} DXGK_GAMMA_DATA_TYPE;
WDDM_DDI_PARAMETERS(DXGK_GAMMA_DATA_TYPE);

typedef struct _DKGK_GAMMA_DATA_CAP {
  DXGK_GAMMA_DATA_TYPE DataType;
  union {
    struct {
      UINT BitCountOfInteger : 6;
      UINT BitCountOfFraction : 6;
    };
    struct {
      UINT BitCountOfExponent : 6;
      UINT BitCountOfMantissa : 6;
    };
    UINT Value;
  };
  float NumericRangeMin;
  float NumericRangeMax;
} DKGK_GAMMA_DATA_CAP;
WDDM_DDI_PARAMETERS(DKGK_GAMMA_DATA_CAP);

typedef struct _DXGK_GAMMA_1DLUT_CAP {
  UINT NumberOfLUTEntries;
  DKGK_GAMMA_DATA_CAP GammaDataCap;
} DXGK_GAMMA_1DLUT_CAP;
WDDM_DDI_PARAMETERS(DXGK_GAMMA_1DLUT_CAP);

typedef struct _DXGK_GAMMA_MATRIX_CAP {
  union {
    struct {
      UINT MatrixSizeX : 10;
      UINT MatrixSizeY : 10;
    };
    UINT Value;
  };
  DKGK_GAMMA_DATA_CAP GammaDataCap;
} DXGK_GAMMA_MATRIX_CAP;
WDDM_DDI_PARAMETERS(DXGK_GAMMA_MATRIX_CAP);

typedef enum _DXGK_DISPLAYPANELORIENTATION {
  DXGK_DPO_0 = 0,
  DXGK_DPO_90 = 1,
  DXGK_DPO_180 = 2,
  DXGK_DPO_270 = 3,
} DXGK_DISPLAYPANELORIENTATION;
WDDM_DDI_PARAMETERS(DXGK_DISPLAYPANELORIENTATION);

typedef union _DXGK_INTEGRATEDDISPLAYFLAGS {
  struct {
    DXGK_DISPLAYPANELORIENTATION UndockedOrientation : 2;
    DXGK_DISPLAYPANELORIENTATION DockedOrientation : 2;
    UINT Reserved : 28;
  };
  UINT Value;
} DXGK_INTEGRATEDDISPLAYFLAGS;
WDDM_DDI_PARAMETERS(DXGK_INTEGRATEDDISPLAYFLAGS);

typedef struct _DXGK_QAISOURCEIN {
  ULONG Source;
} DXGK_QAISOURCEIN;
WDDM_DDI_PARAMETERS(DXGK_QAISOURCEIN);

typedef struct _DXGK_QAITARGETIN {
  D3DDDI_VIDEO_PRESENT_TARGET_ID TargetId;
} DXGK_QAITARGETIN;
WDDM_DDI_PARAMETERS(DXGK_QAITARGETIN);

typedef struct _DXGK_QUERYDISPLAYIDIN {
  D3DDDI_VIDEO_PRESENT_TARGET_ID TargetId;
} DXGK_QUERYDISPLAYIDIN;
WDDM_DDI_PARAMETERS(DXGK_QUERYDISPLAYIDIN);

typedef struct _DXGK_QUERYDISPLAYIDOUT {
  UINT Length;
  BYTE* pDescriptor;
} DXGK_QUERYDISPLAYIDOUT;
WDDM_DDI_PARAMETERS(DXGK_QUERYDISPLAYIDOUT);

typedef struct _DXGK_QUERYINTEGRATEDDISPLAYOUT {
  DXGK_INTEGRATEDDISPLAYFLAGS Flags;
  D3DKMDT_VIDEO_SIGNAL_INFO NativeTiming;
  DXGK_MONITORLINKINFO_CAPABILITIES LinkCapabilities;
  DXGK_COLORIMETRY Colorimetry;
  DXGK_DISPLAY_TECHNOLOGY DisplayTechnology;
  DXGK_DISPLAY_USAGE IntendedUsage;
  BYTE Instance;
  DXGK_DISPLAY_DESCRIPTOR_TYPE DescriptorType;
  BYTE Descriptor[1];
} DXGK_QUERYINTEGRATEDDISPLAYOUT;
WDDM_DDI_PARAMETERS(DXGK_QUERYINTEGRATEDDISPLAYOUT);

typedef struct _DXGK_QUERYINTEGRATEDDISPLAYOUT2 {
  DXGK_INTEGRATEDDISPLAYFLAGS Flags;
  D3DKMDT_VIDEO_SIGNAL_INFO NativeTiming;
  DXGK_MONITORLINKINFO_CAPABILITIES LinkCapabilities;
  DXGK_COLORIMETRY Colorimetry;
  DXGK_DISPLAY_TECHNOLOGY DisplayTechnology;
  DXGK_DISPLAY_USAGE IntendedUsage;
  BYTE Instance;
  DXGK_DISPLAY_DESCRIPTOR_TYPE DescriptorType;
  D3DKMDT_WIRE_FORMAT_AND_PREFERENCE DitheringSupport;
} DXGK_QUERYINTEGRATEDDISPLAYOUT2;
WDDM_DDI_PARAMETERS(DXGK_QUERYINTEGRATEDDISPLAYOUT2);

typedef struct _DXGK_QUERY_SCANOUT_CAPS_OUT {
  UINT Caps;
} DXGK_QUERY_SCANOUT_CAPS_OUT;
WDDM_DDI_PARAMETERS(DXGK_QUERY_SCANOUT_CAPS_OUT);

typedef enum _DXGK_TARGET_GAMMA_CAPS_VERSION {
  DXGK_TARGET_GAMMA_CAPS_VERSION_DEFALUT = 0,
  DXGK_TARGET_GAMMA_CAPS_VERSION_1 = 1,
  DXGK_TARGET_GAMMA_CAPS_VERSION_NOT_SUPPORTED = 0,
} DXGK_TARGET_GAMMA_CAPS_VERSION;
WDDM_DDI_PARAMETERS(DXGK_TARGET_GAMMA_CAPS_VERSION);

typedef struct _DXGK_TARGET_GAMMA_CAPS {
  DXGK_TARGET_GAMMA_CAPS_VERSION Version;
  DXGK_GAMMA_1DLUT_CAP LookupTable1DDegammaCap;
  DXGK_GAMMA_MATRIX_CAP ColorMatrix3x3Cap;
  DXGK_GAMMA_1DLUT_CAP LookupTable1DRegammaCap;
} DXGK_TARGET_GAMMA_CAPS;
WDDM_DDI_PARAMETERS(DXGK_TARGET_GAMMA_CAPS);

#endif
