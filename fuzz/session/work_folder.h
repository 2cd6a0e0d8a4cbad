// What a campaign and its workers share: a folder. A worker is a process that runs an engine's loop
// (libFuzzer, AFL++) and may be killed by the driver at any moment.
//
//   found/<bucket>   the first input of each bucket, as bytes; appears at once and whole
//   board.<worker>   how far the worker is and what it is running, mapped by both sides
#pragma once

#include <array>
#include <atomic>
#include <cstdint>
#include <set>
#include <span>
#include <string>
#include <utility>
#include <vector>

namespace wddm::fuzz {

/// Environment by which a campaign tells a worker its folder and its number.
inline constexpr const char* kWorkFolderVariable = "WDDM_FUZZ_WORK";
inline constexpr const char* kWorkerVariable = "WDDM_FUZZ_WORKER";

/// Environment by which a target is told what every scenario runs with: settings as --config takes
/// them, and the clause whose seeded fault is in place.
inline constexpr const char* kSettingsVariable = "WDDM_FUZZ_SETTINGS";
inline constexpr const char* kFaultVariable = "WDDM_FUZZ_FAULT";

/// Longest input that a board has room for; longer ones lose their end there.
inline constexpr std::size_t kMostInput = 1u << 16;

/// Lies in shared memory, so that it outlives a worker that the driver ends in whatever way.
struct WorkerBoard {
  std::atomic<std::uint64_t> executions{0};
  /// Bit i: the i-th clause (all_rules()) has had something to judge.
  std::array<std::atomic<std::uint64_t>, 15> reached{};
  /// Bytes of the input that is running; 0: none is.
  std::atomic<std::uint32_t> running{0};
  std::array<std::uint8_t, kMostInput> input{};

  void begin(std::span<const std::uint8_t> bytes);
  void end() { running.store(0, std::memory_order_release); }
};

class WorkFolder {
 public:
  /// Makes the folder and its parts, empty. False with one line in `error`.
  [[nodiscard]] static bool make(const std::string& path, std::string& error);
  explicit WorkFolder(std::string path) : path_(std::move(path)) {}
  [[nodiscard]] const std::string& path() const { return path_; }

  /// The board of one worker, mapped; made if it is not there. Null if that fails.
  [[nodiscard]] WorkerBoard* board_of(unsigned worker) const;

  /// Stores an input unless its bucket is there already.
  void store(const std::string& bucket, std::span<const std::uint8_t> input) const;
  /// Buckets stored so far, sorted.
  [[nodiscard]] std::set<std::string> buckets() const;
  [[nodiscard]] std::vector<std::uint8_t> input_of(const std::string& bucket) const;

 private:
  std::string path_;
};

}  // namespace wddm::fuzz
