// What the executable itself defines, as opposed to its libraries and the drivers that it loads.
#pragma once

namespace wddm::nt {

/// Address of the executable's own function or object of that name; null where it has none, be
/// there one in a library.
[[nodiscard]] void* executable_symbol(const char* name);

}  // namespace wddm::nt
