// The thunk interface, as far as kernel-mode drivers see it.
#ifndef WDDM_DDI_D3DKMTHK_H
#define WDDM_DDI_D3DKMTHK_H

#include "d3dkmdt.h"
#include "d3dkmthk/thunks.h"

#endif
