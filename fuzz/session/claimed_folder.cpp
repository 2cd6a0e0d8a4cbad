#include "fuzz/session/claimed_folder.h"

#include <fcntl.h>
#include <fmt/format.h>
#include <sys/file.h>
#include <unistd.h>

#include <filesystem>
#include <system_error>

namespace wddm::fuzz {
namespace fs = std::filesystem;
namespace {

// Says whose the folder is, and is what processes lock.
constexpr const char* kMark = "wddmcheck.lock";

void clear_out(const fs::path& folder) {
  std::error_code code;
  for (const auto& entry : fs::directory_iterator(folder, code)) {
    if (entry.path().filename() != kMark) fs::remove_all(entry.path(), code);
  }
}

}  // namespace

ClaimedFolder::~ClaimedFolder() {
  if (lock_ >= 0) ::close(lock_);
}

bool ClaimedFolder::claim(const std::string& path, std::string& error) {
  const fs::path mark = fs::path(path) / kMark;
  std::error_code code;
  fs::create_directories(path, code);
  if (code) {
    error = fmt::format("{}: cannot be created: {}", path, code.message());
    return false;
  }
  if (!fs::exists(mark, code) && !fs::is_empty(path, code)) {
    error = path + ": holds files that are not of wddmcheck fuzz; name another --output";
    return false;
  }
  lock_ = ::open(mark.c_str(), O_RDWR | O_CREAT | O_CLOEXEC, 0644);
  if (lock_ < 0) {
    error = fmt::format("{}: {}", mark.string(), std::system_category().message(errno));
    return false;
  }
  if (::flock(lock_, LOCK_EX | LOCK_NB) != 0) {
    error = path + ": another wddmcheck works there; name another --output";
    return false;
  }
  clear_out(path);
  return true;
}

}  // namespace wddm::fuzz
