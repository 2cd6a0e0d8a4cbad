// Which mutant plays in the loaded images that have some: one choice for the process, which children
// take along when they are forked.
#pragma once

#include <span>
#include <string>

#include "conformance/mutants/mutant_control.h"

namespace wddm::harness {

/// host::load() has loaded the images. False with one line in `error` if one has no mutants.
[[nodiscard]] bool take_control(std::span<const std::string> images, std::string& error);
/// What those images look at.
[[nodiscard]] WddmMutantControl& mutant_control();

}  // namespace wddm::harness
