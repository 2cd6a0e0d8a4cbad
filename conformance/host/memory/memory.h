// The memory of the simulated machine.
//
// Four kinds, each with its own rules: the arena (one region at a fixed base: pool, stacks, DDI
// structures), physical memory (frames, scattered on purpose), guarded buffers (what Dxgkrnl hands
// to the driver, with inaccessible pages around), and user buffers (revocable at any byte).
#pragma once

#include <cstdint>
#include <span>

namespace wddm::memory {

/// Fixed base of the arena: maps under ASan, MSan and TSan, and makes addresses repeatable.
inline constexpr std::uint64_t kArenaBase = 0x7e9000000000;
inline constexpr std::uint64_t kArenaSize = 1ull << 30;
/// Where user-mode addresses of the simulated process lie: a fault there is the caller's, so SEH
/// frames of the driver catch it.
inline constexpr std::uint64_t kUserBase = 0x7e8000000000;
inline constexpr std::uint64_t kUserSize = 1ull << 28;

/// Maps arena, physical memory and user region. Once per process, before the driver image is
/// loaded. Throws nothing; a failed mapping is a HARNESS failure.
void map();
/// Back to the initial state, touching only pages that were dirtied since map() or reset().
void reset();

/// Bytes from the arena for the host's own use (fiber stacks, DDI argument structures). Never
/// fails (HARNESS failure when exhausted); aligned to `alignment`; freed by reset() only.
[[nodiscard]] void* arena_allocate(std::uint64_t bytes, std::uint64_t alignment);

/// Physical memory: page frames with scattered numbers, backed by one memory file.
using Frame = std::uint64_t;  ///< page frame number (physical address >> 12)
/// Who a frame was given to; devices may only reach frames that somebody owns.
enum class FrameOwner : std::uint8_t { Free, Driver, Allocation, DmaBuffer, PagingBuffer, Dummy, Bar };
/// `count` frames that are neither ascending nor adjacent. Deterministic in the order of calls.
void frames_allocate(std::span<Frame> out, FrameOwner owner);
/// `count` adjacent frames; returns the first. `highest` limits the last byte's address.
[[nodiscard]] Frame frames_allocate_contiguous(std::uint64_t count, FrameOwner owner,
                                               std::uint64_t highest);
void frames_free(std::span<const Frame> frames);
[[nodiscard]] FrameOwner frame_owner(Frame frame);
/// The host's own view of a frame's bytes (always mapped, page aligned); null if no such frame.
[[nodiscard]] std::uint8_t* frame_bytes(Frame frame);
/// Host view of `count` frames from `first`, which must be adjacent.
[[nodiscard]] std::uint8_t* contiguous_bytes(Frame first, std::uint64_t count);
/// Reads or writes by physical address across frames. False if any byte has no owner.
[[nodiscard]] bool physical_read(std::uint64_t address, void* buffer, std::uint64_t bytes);
[[nodiscard]] bool physical_write(std::uint64_t address, const void* buffer, std::uint64_t bytes);
/// Alias mapping of frames, adjacent in virtual space, with an inaccessible page behind. Null when
/// address space is exhausted.
[[nodiscard]] void* alias_map(std::span<const Frame> frames, bool writable);
void alias_unmap(void* address);
/// Frame and offset behind any arena, alias or contiguous address; false if not physical memory.
[[nodiscard]] bool physical_of(const void* address, std::uint64_t* physical_address);

/// Video memory behind a memory BAR, with physical (bus) addresses of its own.
struct BarMemory {
  std::uint64_t bus_address;
  std::uint8_t* bytes;
  std::uint64_t size;
};
[[nodiscard]] BarMemory bar_memory_allocate(std::uint64_t size);
/// Address space for a register BAR: accesses through plain pointers fault.
[[nodiscard]] std::uint64_t bar_registers_allocate(std::uint64_t size);
/// Virtual address through which a driver reaches `bus_address` (BAR memory, registers, RAM); null
/// if nothing answers there. `register_space` tells whether plain pointers fault.
[[nodiscard]] void* bus_map(std::uint64_t bus_address, std::uint64_t bytes, bool* register_space);
void bus_unmap(void* address);
/// BAR and offset behind a mapped register pointer; false if it is not one.
[[nodiscard]] bool register_of(const void* address, std::uint64_t* bus_address);

/// A buffer for the driver whose end lies against an inaccessible page, filled with a canary.
class GuardedBuffer {
 public:
  GuardedBuffer() = default;
  /// `physical`: backed by adjacent frames of `owner`, so that the GPU can reach it.
  GuardedBuffer(std::uint64_t bytes, bool physical, FrameOwner owner);
  GuardedBuffer(GuardedBuffer&&) noexcept;
  GuardedBuffer& operator=(GuardedBuffer&&) noexcept;
  ~GuardedBuffer();
  [[nodiscard]] std::uint8_t* data() const { return data_; }
  [[nodiscard]] std::uint64_t size() const { return size_; }
  [[nodiscard]] std::uint64_t physical_address() const { return physical_; }
  /// Bytes of canary between the page boundary and data(), or behind a size that is not a multiple
  /// of the alignment, that were overwritten; `first` gets the offset from data() of the first.
  [[nodiscard]] std::uint64_t damaged(std::int64_t* first) const;

 private:
  std::uint8_t* base_ = nullptr;
  std::uint64_t mapped_ = 0;
  std::uint8_t* data_ = nullptr;
  std::uint64_t size_ = 0;
  std::uint64_t physical_ = 0;
};

/// A buffer in the user region, ending against an inaccessible page.
class UserBuffer {
 public:
  UserBuffer() = default;
  explicit UserBuffer(std::uint64_t bytes);
  UserBuffer(UserBuffer&&) noexcept;
  UserBuffer& operator=(UserBuffer&&) noexcept;
  ~UserBuffer();
  [[nodiscard]] std::uint8_t* data() const { return data_; }
  [[nodiscard]] std::uint64_t size() const { return size_; }
  /// Moves the buffer so that only its first `accessible` bytes can be touched: the rest lies on
  /// an inaccessible page. Returns the new start.
  std::uint8_t* revoke_after(std::uint64_t accessible);
  /// Arms a change: right after the first read of the byte at `offset` the bytes there become
  /// `replacement` (page protection and single step; the driver sees it as a racing thread).
  void change_after_first_read(std::uint64_t offset, std::span<const std::uint8_t> replacement);
  /// Whether an armed change has happened.
  [[nodiscard]] bool changed() const;

 private:
  std::uint8_t* base_ = nullptr;
  std::uint64_t mapped_ = 0;
  std::uint8_t* data_ = nullptr;
  std::uint64_t size_ = 0;
};

}  // namespace wddm::memory
