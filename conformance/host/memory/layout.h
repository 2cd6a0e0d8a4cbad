// Where everything lies: the zones of the memory file, their physical addresses and host views.
//
// One memory file backs arena, user region, RAM and video memory, so that any of its pages can be
// mapped again elsewhere. A *slot* is a page of that file, a *frame* the physical page number that
// driver and device see. Zones that model ordinary RAM number their frames by a fixed permutation,
// so that code which takes neighbours in virtual space for neighbours in physical space breaks.
// Internal to this folder.
#pragma once

#include <array>
#include <cstdint>
#include <span>

#include "conformance/host/memory/memory.h"
#include "reference/types.h"

namespace wddm::memory::internal {

inline constexpr unsigned kPageShift = 12;

/// Host views and regions, one below the other in the area that all sanitizers leave to us.
inline constexpr std::uint64_t kRamBase = 0x7e9100000000;
inline constexpr std::uint64_t kGuardedBase = 0x7e9180000000;
inline constexpr std::uint64_t kBarBase = 0x7e9200000000;
inline constexpr std::uint64_t kBarSize = kBarMemoryBytes;
inline constexpr std::uint64_t kAliasBase = 0x7e9400000000;
inline constexpr std::uint64_t kAliasSize = 1ull << 34;

/// Register BARs: bus addresses below 4 GiB, without memory behind them.
inline constexpr std::uint64_t kRegisterBus = 0xc0000000;
inline constexpr std::uint64_t kRegisterBusSize = kBarRegisterBytes;

/// A bijection on [0, 2^bits): multiply and fold, twice. Both steps have an exact inverse.
struct Permutation {
  unsigned bits;

  constexpr std::uint64_t mask() const { return (1ull << bits) - 1; }
  // A fold by at least half of the bits is its own inverse.
  constexpr std::uint64_t fold(std::uint64_t x) const { return x ^ (x >> ((bits + 1) / 2)); }
  constexpr std::uint64_t forward(std::uint64_t x) const {
    x = fold((x * kFirst + kOffset) & mask());
    return fold((x * kSecond) & mask());
  }
  constexpr std::uint64_t backward(std::uint64_t x) const {
    x = (fold(x) * inverse(kSecond)) & mask();
    return ((fold(x) - kOffset) * inverse(kFirst)) & mask();
  }

 private:
  static constexpr std::uint64_t kFirst = 0x9e3779b97f4a7c15;
  static constexpr std::uint64_t kSecond = 0xd6e8feb86659fd93;
  static constexpr std::uint64_t kOffset = 0x5851f42d4c957f2d;
  // Newton's iteration: each round doubles the number of correct low bits.
  static constexpr std::uint64_t inverse(std::uint64_t odd) {
    std::uint64_t x = odd;
    for (int round = 0; round < 5; ++round) x *= 2 - odd * x;
    return x;
  }
};

/// Pages of one purpose: adjacent in the file and in their host view.
struct Zone {
  std::uint64_t first_slot;
  std::uint64_t pages;
  Frame first_frame;
  std::uint64_t view;       // address of the first page in the host view
  unsigned scattered_bits;  // 0: frame numbers ascend with slots

  constexpr bool has_frame(Frame frame) const { return frame - first_frame < pages; }
  constexpr bool has_slot(std::uint64_t slot) const { return slot - first_slot < pages; }
  constexpr bool has_address(std::uint64_t address) const {
    return address - view < (pages << kPageShift);
  }
  constexpr std::uint64_t slot_of(Frame frame) const {
    const std::uint64_t index = frame - first_frame;
    return first_slot + (scattered_bits ? Permutation{scattered_bits}.backward(index) : index);
  }
  constexpr Frame frame_of(std::uint64_t slot) const {
    const std::uint64_t index = slot - first_slot;
    return first_frame + (scattered_bits ? Permutation{scattered_bits}.forward(index) : index);
  }
  std::uint8_t* bytes_of(std::uint64_t slot) const {
    return reinterpret_cast<std::uint8_t*>(view + ((slot - first_slot) << kPageShift));
  }
};

// RAM lies above 4 GiB except for kLow, so that physical addresses cut to 32 bits go wrong.
inline constexpr Zone kScattered{0x00000, 0x20000, 0x200000, kRamBase, 17};
inline constexpr Zone kHigh{0x20000, 0x20000, 0x100000, kRamBase + 0x20000000, 0};
inline constexpr Zone kLow{0x40000, 0x10000, 0x1000, kRamBase + 0x40000000, 0};
inline constexpr Zone kGuarded{0x50000, 0x16000, 0x600000, kGuardedBase, 0};
inline constexpr Zone kUser{0x66000, kUserSize >> kPageShift, 0x500000, kUserBase, 16};
inline constexpr Zone kArena{0x76000, kArenaSize >> kPageShift, 0x400000, kArenaBase, 18};
inline constexpr Zone kBar{0xb6000, kBarSize >> kPageShift, 0x4000000, kBarBase, 0};
inline constexpr std::uint64_t kFileSlots = kBar.first_slot + kBar.pages;
inline constexpr std::array<const Zone*, 7> kZones{&kScattered, &kArena, &kGuarded, &kBar,
                                                   &kHigh,      &kLow,   &kUser};

static_assert(kUser.pages == 1ull << kUser.scattered_bits);
static_assert(kArena.pages == 1ull << kArena.scattered_bits);
static_assert(kScattered.pages == 1ull << kScattered.scattered_bits);
static_assert(kUser.first_slot == kGuarded.first_slot + kGuarded.pages);
static_assert(kArena.first_slot == kUser.first_slot + kUser.pages);
static_assert(kBar.first_slot == kArena.first_slot + kArena.pages);

inline const Zone* zone_of_frame(Frame frame) {
  for (const Zone* zone : kZones)
    if (zone->has_frame(frame)) return zone;
  return nullptr;
}

inline const Zone* zone_of_slot(std::uint64_t slot) {
  for (const Zone* zone : kZones)
    if (zone->has_slot(slot)) return zone;
  return nullptr;
}

inline std::uint64_t address_of(const void* pointer) {
  return reinterpret_cast<std::uint64_t>(pointer);
}

/// Maps `pages` pages of the memory file from `slot` over whatever is at `address`. False if the
/// kernel refuses (too many mappings).
[[nodiscard]] bool map_slots(std::uint64_t address, std::uint64_t slot, std::uint64_t pages,
                             int protection);
/// Makes the range inaccessible and lets go of what was mapped there.
void map_nothing(std::uint64_t address, std::uint64_t pages);
void protect(std::uint64_t address, std::uint64_t bytes, int protection);
/// Gives the pages back to the memory file; they read as zero again.
void discard(std::uint64_t address, std::uint64_t bytes);

/// Asked once for each buffer that is given back: whether its pages are closed.
[[nodiscard]] bool closes_given_back();
/// A write to `address` has faulted. True: it was to a mapping that opens when it is written, and
/// runs on. Async-signal-safe.
[[nodiscard]] bool open_for_writing(std::uint64_t address);

/// Counts reset() calls: buffers that outlive one must not touch their successors' memory.
[[nodiscard]] std::uint32_t generation();

// Whether somebody was given the memory at an address of the zone.
[[nodiscard]] bool arena_owns(std::uint64_t address);
[[nodiscard]] bool user_owns(std::uint64_t address);
[[nodiscard]] bool bar_owns(std::uint64_t address, std::uint64_t pages = 1);
/// ... and at all of these adjacent frames of a zone.
[[nodiscard]] bool all_owned(const Zone& zone, Frame first, std::uint64_t pages);
/// Whether the bus addresses lie in one register BAR.
[[nodiscard]] bool registers_own(std::uint64_t bus_address, std::uint64_t bytes);

// Each part's share of reset(). `fresh`: the memory file is new, all its pages are zero.
void reset_arena(bool fresh);
void reset_frames();
void reset_aliases(bool fresh);
void reset_bars(bool fresh);
void reset_user(bool fresh);
void reset_guarded(bool fresh);
/// Whether pages stay open from run to run.
[[nodiscard]] bool keeps_open();
/// Who owns the frames behind `pages` pages from `slot` on, in zones before kUser.
void set_owner(std::uint64_t slot, std::uint64_t pages, FrameOwner owner);
void reset_faults();
void reset_written();
/// note_written() of the frame in a slot of the memory file.
void note_written_slot(std::uint64_t slot);
/// A driver has the page in a slot mapped. It may write there from now on, even after it has given
/// the mapping back, where that stays open.
void note_exposed_slot(std::uint64_t slot);
/// No mapping shows it any more.
void note_hidden_slot(std::uint64_t slot);
/// Nor any other: there are no mappings left.
void note_all_hidden();
/// Whether the page in a slot may hold anything but zeros: what was not written since it was
/// cleared need not be cleared again.
[[nodiscard]] bool may_hold_data(std::uint64_t slot);
/// The first such slot from `slot` on; `end` if there is none.
[[nodiscard]] std::uint64_t next_that_may_hold_data(std::uint64_t slot, std::uint64_t end);
void note_cleared_slot(std::uint64_t slot);
/// Frames that note_written() named since reset, each once.
[[nodiscard]] std::span<const Frame> written_since_reset();
/// Takes note of the pages behind every mapping that a driver may write through.
void note_mapped();

}  // namespace wddm::memory::internal
