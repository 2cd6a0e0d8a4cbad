// Types of the kernel-mode display driver interface: engines, faults, standard allocations, VidPns.
#ifndef WDDM_DDI_D3DKMDT_H
#define WDDM_DDI_D3DKMDT_H

#include "d3dkmdt/faults.h"
#include "d3dkmdt/monitors.h"
#include "d3dkmdt/nodes.h"
#include "d3dkmdt/preemption.h"
#include "d3dkmdt/standard_allocations.h"
#include "d3dkmdt/vidpn.h"
#include "d3dukmdt.h"

#endif
