// What memory must hold after abstract commands ran: predicted contents by allocation.
//
// Checks interpret the commands of a trace here and compare with the bytes the driver's GPU left,
// so the expected contents are known without a second run. Commands run one after the other; where
// several packets may overlap, the caller runs them in an order that the fences allow. Left out:
// where an allocation lies (`shadow_memory.h`), splitting, scheduling, and everything that isn't a
// command. No document describes the commands; they are defined in `command.h`.
#pragma once

#include <array>
#include <cstddef>
#include <cstdint>
#include <optional>
#include <span>
#include <vector>

#include "reference/gpu/command.h"
#include "reference/gpu/content.h"
#include "reference/gpu/effect.h"

namespace wddm::gpu {

/// A range of an allocation that isn't what the commands must have left.
struct Difference {
  AllocationId allocation{};
  std::uint64_t offset = 0;    ///< Bytes into the allocation.
  std::uint64_t length = 0;    ///< Bytes, a multiple of 4.
  std::uint32_t expected = 0;  ///< Predicted first dword of the range.
  std::uint32_t seen = 0;      ///< Actual first dword of the range.

  friend constexpr bool operator==(const Difference&, const Difference&) = default;
};

/// Outcome of a comparison: how many ranges differ (more than fit the caller's buffer are still
/// counted) and how many bytes they make.
struct Comparison {
  std::size_t ranges = 0;
  std::uint64_t bytes = 0;

  [[nodiscard]] bool equal() const { return ranges == 0; }
};

/// How far a stream came.
struct Progress {
  std::size_t executed = 0;      ///< Commands done; the stream goes on with the next one.
  bool waiting = false;          ///< Stopped by the Wait at `executed`.
  std::uint64_t spin_units = 0;  ///< GPU time the executed Spins used, saturating.
};

/// Predicted contents of allocations and values of semaphores.
///
/// Allocates memory in the constructor and in `create` only.
class MemoryModel {
 public:
  /// Allocation ids 0 .. `allocations` - 1.
  explicit MemoryModel(std::size_t allocations = 256);

  /// Begins to predict `allocation`, contents unspecified. The id must be in range and not in use.
  void create(AllocationId allocation, std::uint64_t size_bytes);
  /// Forgets `allocation`; commands that name it do nothing from here on.
  void destroy(AllocationId allocation);
  /// Forgets everything, semaphores too; keeps the memory for reuse.
  void clear();

  [[nodiscard]] bool exists(AllocationId allocation) const;
  /// Size in bytes, 0 if it doesn't exist.
  [[nodiscard]] std::uint64_t size(AllocationId allocation) const;
  /// Size by id, for `effect_of`.
  [[nodiscard]] std::span<const std::uint64_t> sizes() const { return sizes_; }
  [[nodiscard]] std::uint64_t semaphore(std::size_t index) const { return semaphores_.at(index); }

  /// Runs `commands` in order until the end or a Wait that isn't satisfied. To run only the first
  /// n, pass `commands.first(n)`; to go on, pass the rest with the same bindings.
  Progress execute(Bindings& bindings, std::span<const Command> commands);

  /// The CPU wrote `bytes` at `offset`; they must lie inside the allocation.
  void write(AllocationId allocation, std::uint64_t offset, std::span<const std::byte> bytes);
  /// Nothing is predicted any more for the dwords that the range touches.
  void forget(AllocationId allocation, std::uint64_t offset, std::uint64_t size);
  /// The predicted dword at `offset` (a multiple of 4), or nothing if it is unspecified.
  [[nodiscard]] std::optional<std::uint32_t> dword(AllocationId allocation,
                                                   std::uint64_t offset) const;

  /// Holds `actual`, read from `offset` (a multiple of 4) on, against the prediction. The first
  /// `out.size()` differing ranges go to `out`, in ascending order.
  [[nodiscard]] Comparison compare(AllocationId allocation, std::uint64_t offset,
                                   std::span<const std::byte> actual,
                                   std::span<Difference> out) const;

  void validate() const;

 private:
  bool carry_out(Bindings& bindings, const Command& command, Progress& progress);
  [[nodiscard]] Content& content(AllocationId allocation);
  [[nodiscard]] const Content& content(AllocationId allocation) const;

  std::vector<Content> contents_;
  std::vector<std::uint64_t> sizes_;  // 0 = no such allocation
  std::array<std::uint64_t, kSemaphores> semaphores_{};
};

}  // namespace wddm::gpu
