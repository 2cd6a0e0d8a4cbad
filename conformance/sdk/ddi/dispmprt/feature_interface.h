// The interface by which a driver is asked about features, from WDDM 3.2 on: it gives it for this GUID
// when DxgkDdiQueryInterface is called.
#ifndef WDDM_DDI_DISPMPRT_FEATURE_INTERFACE_H
#define WDDM_DDI_DISPMPRT_FEATURE_INTERFACE_H

#include "../d3dkmddi/features.h"

DEFINE_GUID(GUID_WDDM_INTERFACE_FEATURE, 0x94bb3993, 0xc6c3, 0x4da7, 0x89, 0x49, 0xa1, 0x13, 0x82,
            0x32, 0xe7, 0x59);

#define DXGK_FEATURE_INTERFACE_VERSION_1 1

// It begins as every INTERFACE does.
typedef struct _DXGKDDI_FEATURE_INTERFACE {
  USHORT Size;
  USHORT Version;
  PVOID Context;
  PINTERFACE_REFERENCE InterfaceReference;
  PINTERFACE_DEREFERENCE InterfaceDereference;
  PDXGKDDI_QUERYFEATURESUPPORT QueryFeatureSupport;
  PDXGKDDI_QUERYFEATUREINTERFACE QueryFeatureInterface;
} DXGKDDI_FEATURE_INTERFACE;
WDDM_DDI_PARAMETERS(DXGKDDI_FEATURE_INTERFACE);

#endif
