// The kernel-mode display driver interface: structures, function types and callbacks.
#ifndef WDDM_DDI_D3DKMDDI_H
#define WDDM_DDI_D3DKMDDI_H

#include "d3dkmddi/allocation.h"
#include "d3dkmddi/device.h"
#include "d3dkmddi/display_caps.h"
#include "d3dkmddi/display_targets.h"
#include "d3dkmddi/features.h"
#include "d3dkmddi/gpummu.h"
#include "d3dkmddi/handle_callbacks.h"
#include "d3dkmddi/history_buffer.h"
#include "d3dkmddi/interrupts.h"
#include "d3dkmddi/memory_callbacks.h"
#include "d3dkmddi/memory_caps.h"
#include "d3dkmddi/monitor_interface.h"
#include "d3dkmddi/overlay_entries.h"
#include "d3dkmddi/overlays.h"
#include "d3dkmddi/paging.h"
#include "d3dkmddi/power.h"
#include "d3dkmddi/query_adapter_info.h"
#include "d3dkmddi/render.h"
#include "d3dkmddi/render_gdi.h"
#include "d3dkmddi/reset.h"
#include "d3dkmddi/scheduling.h"
#include "d3dkmddi/segments.h"
#include "d3dkmddi/submission.h"
#include "d3dkmddi/vidpn_entries.h"
#include "d3dkmddi/vidpn_mode_sets.h"
#include "d3dkmddi/vidpn_topology.h"
#include "d3dkmdt.h"
#include "d3dkmthk.h"

#endif
