// What a campaign and its workers share: a folder. A worker is a process that runs an engine's loop
// (libFuzzer, AFL++) and may be killed by the driver at any moment.
//
//   found/<bucket>   the first input of each bucket, as bytes; appears at once and whole
//   fatal/<digest>   empty; an input of that digest ended a worker, and is not run again
//   board.<worker>   how far the worker is and what it is running, mapped by both sides
#pragma once

#include <array>
#include <atomic>
#include <cstdint>
#include <memory>
#include <set>
#include <span>
#include <string>
#include <utility>
#include <vector>

namespace wddm::fuzz {

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
  /// Set when a finding could not be stored.
  std::atomic<bool> lost_a_finding{false};

  void begin(std::span<const std::uint8_t> bytes);
  void end() { running.store(0, std::memory_order_release); }
};

struct UnmapsBoard {
  void operator()(WorkerBoard* board) const;
};
using MappedBoard = std::unique_ptr<WorkerBoard, UnmapsBoard>;

class WorkFolder {
 public:
  /// Makes the folder and its parts, empty. False with one line in `error`.
  [[nodiscard]] static bool make(const std::string& path, std::string& error);
  explicit WorkFolder(std::string path) : path_(std::move(path)) {}
  /// Those parts that are not there. False with one line in `error`.
  [[nodiscard]] bool make_parts(std::string& error) const;
  [[nodiscard]] const std::string& path() const { return path_; }

  /// The board of one worker, mapped; made if it is not there. Null if that fails.
  [[nodiscard]] MappedBoard board_of(unsigned worker) const;

  /// Stores an input unless its bucket is there already. False if it cannot be written.
  [[nodiscard]] bool store(const std::string& bucket, std::span<const std::uint8_t> input) const;
  /// Buckets stored so far, in the order in which they were: which of several that come to one
  /// finding is taken must not depend on when somebody looks.
  [[nodiscard]] std::vector<std::string> buckets() const;
  [[nodiscard]] std::vector<std::uint8_t> input_of(const std::string& bucket) const;
  /// Another input may be stored in its place.
  void forget(const std::string& bucket) const;

  /// Workers that start from now on pass the input over.
  void mark_fatal(std::span<const std::uint8_t> input) const;
  /// Digests (input_file.h) of those.
  [[nodiscard]] std::set<std::string> fatal() const;

 private:
  [[nodiscard]] bool note_order(const std::string& bucket) const;

  std::string path_;
};

}  // namespace wddm::fuzz
