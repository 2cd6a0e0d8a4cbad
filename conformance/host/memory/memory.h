// The memory of the simulated machine.
//
// Four kinds, each with its own rules: the arena (one region at a fixed base: pool, stacks, DDI
// structures), physical memory (frames, scattered on purpose), guarded buffers (what Dxgkrnl hands
// to the driver, with inaccessible pages around), and user buffers (revocable at any byte).
#pragma once

#include <cstdint>
#include <span>
#include <vector>

namespace wddm::memory {

/// Fixed base of the arena: maps under ASan, MSan and TSan, and makes addresses repeatable.
inline constexpr std::uint64_t kArenaBase = 0x7e9000000000;
inline constexpr std::uint64_t kArenaSize = 1ull << 30;
/// Where user-mode addresses of the simulated process lie: a fault there is the caller's, so SEH
/// frames of the driver catch it.
inline constexpr std::uint64_t kUserBase = 0x7e8000000000;
inline constexpr std::uint64_t kUserSize = 1ull << 28;

/// What becomes of guarded buffers, user buffers and mappings that are given back.
enum class GivenBack : std::uint8_t {
  Closed,  ///< who touches them still faults
  Open,    ///< they stay accessible, which spares two system calls for each
};

/// Maps arena, physical memory and user region, and installs the fault handlers of fault.h. Calls
/// again in the same process are reset(). Throws nothing; a failed mapping is a HARNESS failure.
///
/// The mappings are shared, so fork copies nothing and a child sees its parent's memory until it
/// calls map(), which then gives it new memory in the initial state. A zygote need not call it.
/// `closed_nth`: of what is given back and stays open, this one is closed all the same (0: none).
void map(GivenBack given_back = GivenBack::Closed, std::uint32_t closed_nth = 0);
/// Back to the initial state, touching only pages that were handed out since map() or reset().
/// Guarded and user buffers that still exist become invalid; destroying them is harmless.
void reset();

/// Bytes from the arena for the host's own use (the World, DDI argument structures), zeroed.
/// Never fails (HARNESS failure when exhausted); aligned to `alignment`; freed by reset() only.
[[nodiscard]] void* arena_allocate(std::uint64_t bytes, std::uint64_t alignment);

/// Bytes of memory that the machine has, and the greatest address among them; video memory is none
/// of it.
[[nodiscard]] std::uint64_t system_memory_bytes();
[[nodiscard]] std::uint64_t highest_system_address();

/// Physical memory: page frames with scattered numbers, backed by one memory file.
using Frame = std::uint64_t;  ///< page frame number (physical address >> 12)
/// Who a frame was given to; devices may only reach frames that somebody owns.
enum class FrameOwner : std::uint8_t {
  Free,
  Driver,
  Allocation,
  DmaBuffer,
  PagingBuffer,
  Dummy,
  Bar,
  User
};
/// Fills `out` with zeroed frames, neither ascending nor adjacent. Deterministic in the order of
/// calls. HARNESS failure if there are not so many: ask frames_available() where a driver asks.
void frames_allocate(std::span<Frame> out, FrameOwner owner);
/// Frames that a driver may still take; the host keeps a reserve.
[[nodiscard]] std::uint64_t frames_available();
enum class FrameContent : std::uint8_t {
  Zero,
  Leftover,  ///< whatever they hold: for who fills all of them at once
};
/// `count` adjacent frames; returns the first, or 0 if there are none. `highest` is the
/// greatest address that a byte of them may have; they lie above 4 GiB wherever it allows. The
/// first frame number is a multiple of `alignment`, a power of two up to 4096.
[[nodiscard]] Frame frames_allocate_contiguous(std::uint64_t count, FrameOwner owner,
                                               std::uint64_t highest, std::uint64_t alignment = 1,
                                               FrameContent content = FrameContent::Zero);
/// Contiguous frames are freed all at once, in ascending order.
void frames_free(std::span<const Frame> frames);
/// All that one call of frames_allocate_contiguous() gave, by the first.
void frames_free_contiguous(Frame first);
/// Arena frames belong to the driver as soon as arena or pool handed the page out.
[[nodiscard]] FrameOwner frame_owner(Frame frame);
/// The host's own view of a frame's bytes (always mapped, page aligned); null if no such frame.
[[nodiscard]] const std::uint8_t* frame_bytes(Frame frame);
/// The same for who is about to write there: it counts as written.
[[nodiscard]] std::uint8_t* frame_bytes_to_write(Frame frame);
/// Reads or writes by physical address across frames. False if any byte has no owner; then
/// nothing was transferred.
[[nodiscard]] bool physical_read(std::uint64_t address, void* buffer, std::uint64_t bytes);
[[nodiscard]] bool physical_write(std::uint64_t address, const void* buffer, std::uint64_t bytes);
/// Alias mapping of frames, adjacent in virtual space, with an inaccessible page behind. Null when
/// address space is exhausted.
[[nodiscard]] void* alias_map(std::span<const Frame> frames, bool writable);
void alias_unmap(void* address);
/// Address space for an alias mapping of up to so many pages, inaccessible until then, with an
/// inaccessible page behind. Null when address space is exhausted, or for no pages.
[[nodiscard]] void* alias_reserve(std::uint64_t pages);
/// Maps frames from the start of reserved address space on, which maps none yet. Never fails.
void alias_map_reserved(void* reserved, std::span<const Frame> frames);
/// It is reserved still, and inaccessible.
void alias_unmap_reserved(void* reserved);
/// Gives back what is reserved and not mapped.
void alias_release(void* reserved);
/// Physical address behind any arena, alias, bus-mapped, user or frame_bytes() address; false if
/// there is none.
[[nodiscard]] bool physical_of(const void* address, std::uint64_t* physical_address);

/// Video memory behind a memory BAR, with physical (bus) addresses of its own.
struct BarMemory {
  std::uint64_t bus_address;
  std::uint8_t* bytes;
  std::uint64_t size;
};
/// What video memory holds before anybody writes to it.
enum class BarContent : std::uint8_t { Zero, Unused };
inline constexpr std::uint32_t kUnusedWord = 0xDEADBEEF;
/// Unused memory of at most kMostUnusedBytes holds kUnusedWord throughout, larger one zero. Every
/// write to it must be told: reset() puts those right, and no more.
inline constexpr std::uint64_t kMostUnusedBytes = 4 << 20;
[[nodiscard]] BarMemory bar_memory_allocate(std::uint64_t size,
                                            BarContent content = BarContent::Zero);
/// Room for all BARs together, each at a multiple of its size.
inline constexpr std::uint64_t kBarMemoryBytes = 1ull << 32;
inline constexpr std::uint64_t kBarRegisterBytes = 0x30000000;
/// Address space for a register BAR: accesses through plain pointers fault.
[[nodiscard]] std::uint64_t bar_registers_allocate(std::uint64_t size);
/// Another bus address, and memory as it is when allocated; at the old one nothing answers any
/// more. False, and all stays as it is, if there is no other place.
[[nodiscard]] bool bar_memory_move(BarMemory& memory, BarContent content);
[[nodiscard]] bool bar_registers_move(std::uint64_t& bus_address, std::uint64_t size);
/// Virtual address through which a driver reaches `bus_address` (BAR memory, registers, RAM); null
/// if nothing answers there. `register_space` tells whether plain pointers fault.
[[nodiscard]] void* bus_map(std::uint64_t bus_address, std::uint64_t bytes, bool* register_space);
void bus_unmap(void* address);
/// BAR and offset behind a mapped register pointer; false if it is not one.
[[nodiscard]] bool register_of(const void* address, std::uint64_t* bus_address);
/// Whether `address` lies in what an alias or bus_map() maps, and how much of it is left.
[[nodiscard]] bool mapping_at(const void* address, std::uint64_t* bytes_left);

/// Frames that were written: by DMA, by whoever says so, or by a driver, which may write whenever
/// it likes to what it has mapped. Not seen: writes to arena, guarded, user and video memory
/// through their own views.
void note_written(Frame frame);
/// ... to these bytes of physical memory or of BARs: their pages. At least one.
void note_written(std::uint64_t address, std::uint64_t bytes);
/// Those since forget_written() or reset(), each once.
[[nodiscard]] std::span<const Frame> written_frames();
void forget_written();
/// The first frame of a range whose bytes may be others than at forget_written(); `end` if there is
/// none. Of RAM those are what was written, and what a driver can still write to unseen, be it by a
/// mapping that it has given back; of all other memory any.
[[nodiscard]] Frame next_that_may_have_changed(Frame first, Frame end);
/// Whether it was written since reset().
[[nodiscard]] bool written_ever(Frame frame);
/// Whether it is RAM that was handed out zeroed, and nobody has had a way to write to it since.
[[nodiscard]] bool known_to_be_zero(Frame frame);

/// A buffer for the driver whose end lies against an inaccessible page, with a canary around; its
/// own bytes are for the caller to fill. Backed by adjacent frames of `owner` unless it says
/// otherwise.
class GuardedBuffer {
 public:
  GuardedBuffer() = default;
  /// `physical`: the GPU gets its address, so it starts on a page, and the page behind its last
  /// one is inaccessible. Else its start is aligned to 16 and its end, rounded up to 16, lies
  /// against the inaccessible page.
  GuardedBuffer(std::uint64_t bytes, bool physical, FrameOwner owner);
  /// One that the GPU is shown page by page: it starts on a page too, and unless it is large its
  /// frames are neither adjacent nor ascending.
  [[nodiscard]] static GuardedBuffer scattered(std::uint64_t bytes, FrameOwner owner);
  /// A physical one that has its place, and is inaccessible until open(): it may never be used.
  [[nodiscard]] static GuardedBuffer sealed(std::uint64_t bytes, FrameOwner owner);
  void open();
  GuardedBuffer(GuardedBuffer&&) noexcept;
  GuardedBuffer& operator=(GuardedBuffer&&) noexcept;
  ~GuardedBuffer();
  [[nodiscard]] std::uint8_t* data() const { return data_; }
  [[nodiscard]] std::uint64_t size() const { return size_; }
  /// Of its first byte.
  [[nodiscard]] std::uint64_t physical_address() const { return physical_; }
  /// Those that it lies in, in order.
  [[nodiscard]] std::vector<Frame> frames() const;
  /// Bytes of canary before data() and behind its end, up to the page boundaries, that were
  /// overwritten; `first` (may be null) gets the offset from data() of the first.
  [[nodiscard]] std::uint64_t damaged(std::int64_t* first) const;

 private:
  void settle(std::uint8_t* base, bool physical);
  void place(std::uint8_t* base, bool physical);
  void surround();

  std::uint8_t* base_ = nullptr;
  std::uint64_t mapped_ = 0;
  bool sealed_ = false;
  std::uint8_t* data_ = nullptr;
  std::uint64_t size_ = 0;
  std::uint64_t physical_ = 0;
  std::uint32_t generation_ = 0;
};

/// A zeroed buffer in the user region, ending against an inaccessible page.
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
  /// inaccessible pages, with its contents kept. Disarms a change. Returns the new start.
  std::uint8_t* revoke_after(std::uint64_t accessible);
  /// The same in two steps: moves the buffer, all of which can be touched until revoke().
  std::uint8_t* ready_to_revoke(std::uint64_t accessible);
  void revoke();
  /// Whether somebody tried to access what revoke_after() took away, since the last call.
  [[nodiscard]] bool take_revoked_access() const;
  /// Arms a change: right after the first instruction that reads the byte at `offset` the bytes
  /// there become `replacement`, at most 4096 (page protection and single step; the driver sees it
  /// as a racing thread). Moves the buffer, so that this byte starts a page, and undoes
  /// revoke_after(); the end then lies against no inaccessible page. Returns the new start.
  std::uint8_t* change_after_first_read(std::uint64_t offset,
                                        std::span<const std::uint8_t> replacement);
  /// Whether an armed change has happened.
  [[nodiscard]] bool changed() const;

 private:
  std::uint8_t* lay_across_boundary(std::uint64_t front);

  std::uint8_t* base_ = nullptr;
  std::uint64_t half_ = 0;  // bytes on each side of the boundary
  std::uint8_t* data_ = nullptr;
  std::uint64_t size_ = 0;
  std::uint32_t generation_ = 0;
};

/// How many bytes from `address` on can be touched: 0 outside of user buffers and in what was
/// revoked. Pages that wait for a change count as accessible.
[[nodiscard]] std::uint64_t user_accessible(const void* address);

}  // namespace wddm::memory
