// DxgkDdiPatch for DMA buffers of Render.
#pragma once

#include "../kmd_driver.h"

namespace reference_kmd {

/// Writes the addresses of the elements that belong to the submission, and nothing outside of it.
/// Depends on its arguments only, so it may be repeated.
void patch_portion(const DXGKARG_PATCH& request);

}  // namespace reference_kmd
