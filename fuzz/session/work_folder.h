// What a campaign and its workers share: a folder. A worker is a process that runs an engine's loop
// (libFuzzer, AFL++) and may be killed by the driver at any moment.
//
//   found/<bucket>   the first input of each bucket, as bytes; appears at once and whole
//   count.<worker>   how far the worker is, mapped by both sides
#pragma once

#include <array>
#include <atomic>
#include <cstdint>
#include <set>
#include <span>
#include <string>
#include <vector>

namespace wddm::fuzz {

/// Environment by which a campaign tells a worker its folder and its number.
inline constexpr const char* kWorkFolderVariable = "WDDM_FUZZ_WORK";
inline constexpr const char* kWorkerVariable = "WDDM_FUZZ_WORKER";

/// Environment by which a target is told what every scenario runs with: settings as --config takes
/// them, and the clause whose seeded fault is in place.
inline constexpr const char* kSettingsVariable = "WDDM_FUZZ_SETTINGS";
inline constexpr const char* kFaultVariable = "WDDM_FUZZ_FAULT";

/// Lies in shared memory. A worker only ever adds.
struct WorkerCount {
  std::atomic<std::uint64_t> executions{0};
  /// Bit i: the i-th clause (all_rules()) has had something to judge.
  std::array<std::atomic<std::uint64_t>, 15> reached{};
};
static_assert(sizeof(WorkerCount) == 128);

class WorkFolder {
 public:
  /// Makes the folder and its parts. False with one line in `error`.
  [[nodiscard]] static bool make(const std::string& path, std::string& error);
  explicit WorkFolder(std::string path) : path_(std::move(path)) {}

  /// The count of one worker, mapped; made if it is not there. Null if that fails.
  [[nodiscard]] WorkerCount* count_of(unsigned worker) const;

  /// Stores an input unless its bucket is there already.
  void store(const std::string& bucket, std::span<const std::uint8_t> input) const;
  /// Buckets stored so far, sorted.
  [[nodiscard]] std::set<std::string> buckets() const;
  [[nodiscard]] std::vector<std::uint8_t> input_of(const std::string& bucket) const;

 private:
  std::string path_;
};

}  // namespace wddm::fuzz
