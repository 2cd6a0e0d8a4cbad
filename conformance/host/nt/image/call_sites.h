// Who asked for what is left, for messages about leaks.
#pragma once

#include <span>
#include <string>

namespace wddm::nt {

/// ", from Adapter::Start at Adapter.cpp:120": the functions that return addresses lie in, each
/// once and the first few of them, in the order given. Empty for none. Reads files.
[[nodiscard]] std::string from_sites(std::span<const void* const> sites);

}  // namespace wddm::nt
