#include "fuzz/session/work_folder.h"

#include <fcntl.h>
#include <fmt/format.h>
#include <sys/mman.h>
#include <unistd.h>

#include <algorithm>
#include <filesystem>
#include <fstream>

#include "fuzz/session/input_file.h"

namespace wddm::fuzz {
namespace fs = std::filesystem;

namespace {

std::set<std::string> names_in(const fs::path& folder) {
  std::set<std::string> names;
  std::error_code code;
  for (const auto& entry : fs::directory_iterator(folder, code)) {
    names.insert(entry.path().filename().string());
  }
  return names;
}

}  // namespace

void WorkerBoard::begin(std::span<const std::uint8_t> bytes) {
  const std::size_t size = std::min(bytes.size(), input.size());
  std::copy_n(bytes.begin(), size, input.begin());
  // An empty input is some input too: an op that is none stands for it.
  running.store(static_cast<std::uint32_t>(std::max<std::size_t>(size, 1)),
                std::memory_order_release);
}

void UnmapsBoard::operator()(WorkerBoard* board) const {
  ::munmap(board, sizeof(WorkerBoard));
}

bool WorkFolder::make(const std::string& path, std::string& error) {
  std::error_code code;
  fs::remove_all(path, code);
  return WorkFolder(path).make_parts(error);
}

bool WorkFolder::make_parts(std::string& error) const {
  std::error_code code;
  for (const char* part : {"found", "fatal"}) {
    if (!code) fs::create_directories(fs::path(path_) / part, code);
  }
  if (code) error = fmt::format("{}: cannot be created: {}", path_, code.message());
  return !code;
}

MappedBoard WorkFolder::board_of(unsigned worker) const {
  const std::string file = fmt::format("{}/board.{}", path_, worker);
  const int fd = ::open(file.c_str(), O_RDWR | O_CREAT | O_CLOEXEC, 0644);
  if (fd < 0) return nullptr;
  void* memory = MAP_FAILED;
  // Not a hole, which a full disk would leave one: whoever writes to it then is ended.
  if (::posix_fallocate(fd, 0, sizeof(WorkerBoard)) == 0) {
    memory = ::mmap(nullptr, sizeof(WorkerBoard), PROT_READ | PROT_WRITE, MAP_SHARED, fd, 0);
  }
  ::close(fd);
  // All bytes zero is an empty board, so what an earlier process of the worker left is kept.
  return MappedBoard(memory == MAP_FAILED ? nullptr : static_cast<WorkerBoard*>(memory));
}

bool WorkFolder::store(const std::string& bucket, std::span<const std::uint8_t> input) const {
  const fs::path target = fs::path(path_) / "found" / bucket;
  std::error_code code;
  if (fs::exists(target, code)) return true;
  const fs::path draft = fmt::format("{}/draft.{}", path_, ::getpid());
  if (!write_input(draft, input)) return false;
  fs::rename(draft, target, code);
  return !code && note_order(bucket);
}

// A line is written at once, whatever other workers write.
bool WorkFolder::note_order(const std::string& bucket) const {
  const int fd = ::open((path_ + "/order").c_str(), O_WRONLY | O_APPEND | O_CREAT | O_CLOEXEC, 0644);
  if (fd < 0) return false;
  const std::string line = bucket + '\n';
  const bool written = ::write(fd, line.data(), line.size()) == static_cast<ssize_t>(line.size());
  ::close(fd);
  return written;
}

std::vector<std::string> WorkFolder::buckets() const {
  const std::set<std::string> stored = names_in(fs::path(path_) / "found");
  std::vector<std::string> ordered;
  std::ifstream order(path_ + "/order");
  for (std::string bucket; std::getline(order, bucket);) {
    const bool listed = std::find(ordered.begin(), ordered.end(), bucket) != ordered.end();
    if (!listed && stored.contains(bucket)) ordered.push_back(bucket);
  }
  return ordered;
}

std::vector<std::uint8_t> WorkFolder::input_of(const std::string& bucket) const {
  return read_input(fs::path(path_) / "found" / bucket);
}

void WorkFolder::forget(const std::string& bucket) const {
  std::error_code code;
  fs::remove(fs::path(path_) / "found" / bucket, code);
}

void WorkFolder::mark_fatal(std::span<const std::uint8_t> input) const {
  write_input(fs::path(path_) / "fatal" / digest_of(input), {});
}

std::set<std::string> WorkFolder::fatal() const {
  return names_in(fs::path(path_) / "fatal");
}

}  // namespace wddm::fuzz
