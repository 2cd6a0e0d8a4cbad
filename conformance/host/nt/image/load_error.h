// What the dynamic linker's words about a library mean for who built it.
#pragma once

#include <string>
#include <string_view>

namespace wddm::nt {

/// `error` as dlerror() gives it. Where a sanitizer's run time is what is missing, what it was
/// compiled with and which wddmcheck loads it stands before that: one line all the same.
[[nodiscard]] std::string explained_load_error(std::string_view error);

}  // namespace wddm::nt
