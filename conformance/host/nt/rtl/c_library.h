// The functions of the C library that hosted drivers get, ours and not the C library's.
#pragma once

#include <cstddef>
#include <string_view>

namespace wddm::nt {

/// The function that a driver's import of this name is bound to; null if it is none of them.
[[nodiscard]] void* c_library_function(std::string_view name);

/// Those that services use on a driver's behalf: memmove and strlen.
void move_bytes(void* to, const void* from, std::size_t bytes);
[[nodiscard]] std::size_t text_length(const char* text);

}  // namespace wddm::nt
