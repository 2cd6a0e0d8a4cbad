// Types that user-mode and kernel-mode display drivers share.
#ifndef WDDM_DDI_D3DUKMDT_H
#define WDDM_DDI_D3DUKMDT_H

#include "d3d_base.h"
#include "d3dukmdt/display.h"
#include "d3dukmdt/formats.h"
#include "d3dukmdt/gpu_va.h"
#include "d3dukmdt/patch_location.h"
#include "d3dukmdt/queues.h"
#include "d3dukmdt/test_commands.h"

#endif
