// The display port driver interface: initialization tables, start, callbacks.
#ifndef WDDM_DDI_DISPMPRT_H
#define WDDM_DDI_DISPMPRT_H

#include "acpiioct.h"
#include "d3dkmddi.h"
#include "dispmprt/children.h"
#include "dispmprt/diagnostics.h"
#include "dispmprt/feature_interface.h"
#include "dispmprt/initialization_data.h"
#include "dispmprt/interface.h"
#include "dispmprt/port_callbacks.h"
#include "dispmprt/port_entries.h"
#include "dispmprt/start.h"
#include "video.h"

WDDM_EXTERN_C_BEGIN
/// DriverEntry ends with this: registers a full, render-only or compute-only driver.
NTSTATUS DxgkInitialize(PDRIVER_OBJECT DriverObject, PUNICODE_STRING RegistryPath,
                        PDRIVER_INITIALIZATION_DATA DriverInitializationData);
/// Undoes DxgkInitialize; call it from the unload routine.
NTSTATUS DxgkUnInitialize(PDRIVER_OBJECT DriverObject);
/// Registers a display-only driver.
NTSTATUS DxgkInitializeDisplayOnlyDriver(PDRIVER_OBJECT DriverObject, PUNICODE_STRING RegistryPath,
                                         PKMDDOD_INITIALIZATION_DATA KmdDodInitializationData);
WDDM_EXTERN_C_END

#endif
