// Which pages were written, and who knows of it: DMA and devices say so, a driver may write to what
// it has mapped whenever it likes. Not seen: writes through the host's own views.
#include <array>
#include <vector>

#include "conformance/host/memory/layout.h"

namespace wddm::memory {
namespace internal {
namespace {

enum Mark : std::uint8_t { SinceForgotten = 1, SinceReset = 2 };

std::array<std::uint8_t, kFileSlots> g_marks{};  // a set of Mark for each slot
std::vector<Frame> g_since_forgotten;
std::vector<Frame> g_since_reset;

std::uint8_t* marks_of(Frame frame) {
  const Zone* const zone = zone_of_frame(frame);
  return zone ? &g_marks[zone->slot_of(frame)] : nullptr;
}

}  // namespace

void reset_written() {
  for (const Frame frame : g_since_reset) *marks_of(frame) = 0;
  g_since_forgotten.clear();
  g_since_reset.clear();
}

void note_written_slot(std::uint64_t slot) {
  std::uint8_t& marks = g_marks[slot];
  if (marks == (SinceForgotten | SinceReset)) return;
  const Zone* const zone = zone_of_slot(slot);
  if (!zone) return;
  const Frame frame = zone->frame_of(slot);
  if ((marks & SinceForgotten) == 0) g_since_forgotten.push_back(frame);
  if ((marks & SinceReset) == 0) g_since_reset.push_back(frame);
  marks = SinceForgotten | SinceReset;
}

std::span<const Frame> written_since_reset() {
  return g_since_reset;
}

}  // namespace internal

using namespace internal;

void note_written(Frame frame) {
  if (const Zone* const zone = zone_of_frame(frame)) note_written_slot(zone->slot_of(frame));
}

std::span<const Frame> written_frames() {
  note_mapped();
  return g_since_forgotten;
}

void forget_written() {
  for (const Frame frame : g_since_forgotten) *marks_of(frame) = SinceReset;
  g_since_forgotten.clear();
}

bool written_ever(Frame frame) {
  const std::uint8_t* const marks = marks_of(frame);
  return !marks || *marks != 0;
}

}  // namespace wddm::memory
