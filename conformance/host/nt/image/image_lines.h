// Where in its sources a code address of a loaded library lies.
#pragma once

#include <string>

namespace wddm::nt {

/// "Patch.cpp:120", by the library's debug information; empty without. The folder is left out,
/// since it differs from machine to machine. Reads files: not for signal handlers.
[[nodiscard]] std::string source_line(const void* code);

}  // namespace wddm::nt
