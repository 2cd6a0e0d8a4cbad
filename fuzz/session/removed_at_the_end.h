#pragma once

#include <filesystem>
#include <string>
#include <system_error>

namespace wddm::fuzz {

/// Takes a folder of work away whatever happens in between. Outlives what works in it.
struct RemovedAtTheEnd {
  const std::string& folder;
  ~RemovedAtTheEnd() {
    std::error_code code;
    std::filesystem::remove_all(folder, code);
  }
};

}  // namespace wddm::fuzz
