// Runs a scenario inside a GoogleTest case, as `wddmcheck convert --to gtest` writes them.
#pragma once

#include <span>
#include <string>

#include "reference/trace/op.h"

namespace wddm::runner {

/// Runs the ops in a process of their own on the driver that WDDM_DRIVER, WDDM_DEVICE and
/// WDDM_CLIENT name, or on the built-in one, and gives the verdicts; empty if all is well.
[[nodiscard]] std::string what_fails(std::span<const Op> ops);

}  // namespace wddm::runner
