// What the host plays of a driver's model, and the page sizes that its page tables have, in lines
// for `wddmcheck info`. No part of a record: it says what wddmcheck makes of one.
#pragma once

#include <string>
#include <vector>

#include "reference/platform.h"

namespace wddm::harness {

/// "host plays             patch lists"
[[nodiscard]] std::vector<std::string> played_lines(const Platform& platform);

}  // namespace wddm::harness
