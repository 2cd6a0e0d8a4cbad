// A folder that one process works in, emptied: nobody else's files, and no two processes at once.
#pragma once

#include <string>

namespace wddm::fuzz {

class ClaimedFolder {
 public:
  ClaimedFolder() = default;
  ~ClaimedFolder();
  ClaimedFolder(const ClaimedFolder&) = delete;
  ClaimedFolder& operator=(const ClaimedFolder&) = delete;

  /// Makes the folder or empties one that was claimed before; it is ours until the object or the
  /// process ends. False with one line in `error` if the folder holds what nobody claimed, if
  /// another process works in it, or if it cannot be made.
  [[nodiscard]] bool claim(const std::string& path, std::string& error);

 private:
  int lock_ = -1;
};

}  // namespace wddm::fuzz
