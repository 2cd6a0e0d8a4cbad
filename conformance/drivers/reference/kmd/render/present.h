// DxgkDdiPresent: rectangles of surfaces, as the commands that user mode would write for them.
#pragma once

#include "../kmd_driver.h"

namespace reference_kmd {

class Renderer;

/// Copies or fills, one command for each row of a rectangle. The commands are the same in every
/// pass, and MultipassOffset is the one of Render. What the context had in its registers is lost.
NTSTATUS present(const Renderer& renderer, DXGKARG_PRESENT* request);

}  // namespace reference_kmd
