// Requests for GPU virtual addresses between ops, oracle and trace: protections as the oracle has
// them, refusals in words, and what was asked as an event.
#pragma once

#include "reference/gpummu/caps.h"
#include "reference/gpuva/va_request.h"
#include "reference/trace/event.h"
#include "reference/trace/op.h"

namespace wddm::host {

[[nodiscard]] gpuva::Protection protection_of(Protection protection);
/// Null, or why a driver with these caps has no such entries.
[[nodiscard]] const char* not_in(const gpummu::GpuMmuCaps& caps, Protection protection);
[[nodiscard]] const char* text_of(gpuva::VaRefusal why);
/// Without its answer, and whose it is.
[[nodiscard]] ev::AddressAnswered told_of(const gpuva::VaInput& input);

}  // namespace wddm::host
