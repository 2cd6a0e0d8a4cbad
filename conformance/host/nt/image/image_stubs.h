// Code for imports that the host doesn't offer. Internal to this folder.
#pragma once

#include <string>
#include <vector>

namespace wddm::nt {

/// One stub for each name, callable with any arguments. They and the names live until the process
/// ends.
[[nodiscard]] std::vector<void*> make_import_stubs(const std::vector<std::string>& names);

}  // namespace wddm::nt
