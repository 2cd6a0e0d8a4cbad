// Which pages were written, and who knows of it: DMA and devices say so, a driver may write to what
// it has mapped whenever it likes. Not seen: writes to arena, guarded, user and video memory
// through their own views.
#include <algorithm>
#include <array>
#include <vector>

#include "conformance/host/memory/byte_scan.h"
#include "conformance/host/memory/layout.h"

namespace wddm::memory {
namespace internal {
namespace {

enum Mark : std::uint8_t {
  SinceForgotten = 1,
  SinceReset = 2,
  SinceCleared = 4,
  Exposed = 8,  // a driver has or had it mapped, and may still write to it unseen
};
constexpr std::uint8_t kWritten = SinceForgotten | SinceReset | SinceCleared;

std::array<std::uint8_t, kFileSlots> g_marks{};  // a set of Mark for each slot
std::vector<Frame> g_since_forgotten;
std::vector<Frame> g_since_reset;
// All slots that are exposed lie in this range.
std::uint64_t g_exposed_first = kFileSlots;
std::uint64_t g_exposed_end = 0;

// The first slot from `slot` on that has any of these marks; `end` if there is none.
std::uint64_t next_marked(std::uint64_t slot, std::uint64_t end, std::uint8_t marks) {
  const std::uint64_t words = marks * 0x0101010101010101u;
  while (end - slot >= sizeof words && (word_at(&g_marks[slot]) & words) == 0) slot += sizeof words;
  while (slot < end && (g_marks[slot] & marks) == 0) ++slot;
  return slot;
}

std::uint8_t* marks_of(Frame frame) {
  const Zone* const zone = zone_of_frame(frame);
  return zone ? &g_marks[zone->slot_of(frame)] : nullptr;
}

}  // namespace

void reset_written() {
  for (const Frame frame : g_since_reset) *marks_of(frame) &= ~(SinceForgotten | SinceReset);
  g_since_forgotten.clear();
  g_since_reset.clear();
}

void note_written_slot(std::uint64_t slot) {
  std::uint8_t& marks = g_marks[slot];
  if ((marks & kWritten) == kWritten) return;
  const Zone* const zone = zone_of_slot(slot);
  if (!zone) return;
  const Frame frame = zone->frame_of(slot);
  if ((marks & SinceForgotten) == 0) g_since_forgotten.push_back(frame);
  if ((marks & SinceReset) == 0) g_since_reset.push_back(frame);
  marks |= kWritten;
}

void note_exposed_slot(std::uint64_t slot) {
  g_marks[slot] |= Exposed;
  g_exposed_first = std::min(g_exposed_first, slot);
  g_exposed_end = std::max(g_exposed_end, slot + 1);
}

// Nobody saw what was written there after the page had been cleared for its next owner.
void note_hidden_slot(std::uint64_t slot) {
  std::uint8_t& marks = g_marks[slot];
  if ((marks & Exposed) != 0) marks = (marks & ~Exposed) | SinceCleared;
}

void note_all_hidden() {
  std::uint64_t slot = std::min(g_exposed_first, g_exposed_end);
  while ((slot = next_marked(slot, g_exposed_end, Exposed)) != g_exposed_end) {
    note_hidden_slot(slot);
  }
  g_exposed_first = kFileSlots;
  g_exposed_end = 0;
}

bool may_hold_data(std::uint64_t slot) {
  return (g_marks[slot] & (SinceCleared | Exposed)) != 0;
}

std::uint64_t next_that_may_hold_data(std::uint64_t slot, std::uint64_t end) {
  return next_marked(slot, end, SinceCleared | Exposed);
}

void note_cleared_slot(std::uint64_t slot) {
  g_marks[slot] &= ~SinceCleared;
}

std::span<const Frame> written_since_reset() {
  return g_since_reset;
}

}  // namespace internal

using namespace internal;

void note_written(Frame frame) {
  if (const Zone* const zone = zone_of_frame(frame)) note_written_slot(zone->slot_of(frame));
}

void note_written(std::uint64_t address, std::uint64_t bytes) {
  const Frame last = (address + bytes - 1) >> kPageShift;
  for (Frame frame = address >> kPageShift; frame <= last; ++frame) note_written(frame);
}

std::span<const Frame> written_frames() {
  note_mapped();
  return g_since_forgotten;
}

void forget_written() {
  for (const Frame frame : g_since_forgotten) *marks_of(frame) &= ~SinceForgotten;
  g_since_forgotten.clear();
}

Frame next_that_may_have_changed(Frame first, Frame end) {
  while (first < end) {
    const Zone* const zone = zone_of_frame(first);
    if (zone != &kHigh && zone != &kLow) return first;
    const std::uint64_t slot = zone->slot_of(first);
    const std::uint64_t end_slot =
        slot + std::min(end - first, zone->first_slot + zone->pages - slot);
    const std::uint64_t found = next_marked(slot, end_slot, SinceForgotten | Exposed);
    first += found - slot;
    if (found != end_slot) return first;
  }
  return end;
}

bool known_to_be_zero(Frame frame) {
  const Zone* const zone = zone_of_frame(frame);
  const bool ram = zone == &kScattered || zone == &kHigh || zone == &kLow;
  return ram && !may_hold_data(zone->slot_of(frame));
}

bool written_ever(Frame frame) {
  const std::uint8_t* const marks = marks_of(frame);
  return !marks || (*marks & SinceReset) != 0;
}

}  // namespace wddm::memory
