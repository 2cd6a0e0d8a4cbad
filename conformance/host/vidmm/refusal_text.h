// Why VidMm refuses something, for the event of a skipped op.
#pragma once

#include "reference/vidmm/step.h"

namespace wddm::host {

[[nodiscard]] const char* text_of(vidmm::Refusal refusal);

}  // namespace wddm::host
