// Page frames: who owns which, and their contents.
//
// Scattered frames come from a queue, so that a freed frame is reused as late as possible and stale
// DMA hits a frame nobody owns. Contiguous ones come from runs: above 4 GiB unless the caller's
// limit forbids it, so that truncated addresses show. A frame is zero when it is handed out,
// unless the caller does not care; one that nobody wrote to since then is zero the next time too.
#include <algorithm>
#include <array>
#include <cstring>

#include "conformance/host/memory/layout.h"
#include "conformance/host/memory/page_runs.h"
#include "reference/harness_assert.h"

namespace wddm::memory {
namespace internal {
namespace {

constexpr std::uint64_t kRamSlots = kUser.first_slot;
// So many freed frames rest before the first is reused.
constexpr std::uint64_t kRest = 1024;

// Zones of contiguous frames start at multiples of this.
constexpr std::uint64_t kZoneAlignment = 4096;
static_assert(kHigh.first_frame % kZoneAlignment == 0 && kLow.first_frame % kZoneAlignment == 0);

std::array<FrameOwner, kRamSlots> g_owner{};  // by slot; the zones before kUser

// Scattered zone: a ring of freed slots, and the first slot never used since reset.
std::array<std::uint32_t, kScattered.pages> g_freed{};
std::uint64_t g_freed_head = 0;
std::uint64_t g_freed_count = 0;
std::uint64_t g_unused = 0;

// Stays for the host when a driver takes all that it can get: 128 MiB.
constexpr std::uint64_t kReserved = 0x8000;

struct LinearZone {
  explicit LinearZone(const Zone& z) : zone(z), runs(z.pages) {}
  const Zone& zone;
  PageRuns runs;
};
LinearZone g_high(kHigh);
LinearZone g_low(kLow);

std::uint64_t next_slot() {
  if (g_freed_count > kRest || (g_unused == kScattered.pages && g_freed_count != 0)) {
    const std::uint64_t slot = g_freed[g_freed_head];
    g_freed_head = (g_freed_head + 1) % kScattered.pages;
    --g_freed_count;
    return slot;
  }
  HARNESS_ASSERT(g_unused != kScattered.pages);
  return g_unused++;
}

std::uint64_t unused_frames() {
  return kScattered.pages - g_unused + g_freed_count;
}

void put_back(std::uint64_t slot) {
  g_freed[(g_freed_head + g_freed_count) % kScattered.pages] = static_cast<std::uint32_t>(slot);
  ++g_freed_count;
}

void clear(const Zone& zone, std::uint64_t slot) {
  if (!may_hold_data(slot)) return;
  std::memset(zone.bytes_of(slot), 0, kPageSize);
  note_cleared_slot(slot);
}

Frame take_contiguous(LinearZone& from, std::uint64_t count, FrameOwner owner,
                      std::uint64_t end_frame, std::uint64_t alignment, FrameContent content) {
  if (end_frame <= from.zone.first_frame) return 0;
  const std::uint64_t index =
      from.runs.take(count, 0, alignment, end_frame - from.zone.first_frame);
  if (index == PageRuns::kNone) return 0;
  const std::uint64_t slot = from.zone.first_slot + index;
  if (content == FrameContent::Zero) {
    const std::uint64_t end = slot + count;
    for (std::uint64_t at = slot; (at = next_that_may_hold_data(at, end)) != end; ++at) {
      clear(from.zone, at);
    }
  }
  set_owner(slot, count, owner);
  return from.zone.first_frame + index;
}

void forget(LinearZone& zone) {
  set_owner(zone.zone.first_slot, zone.runs.highest(), FrameOwner::Free);
  zone.runs.clear();
}

// Frees the run that starts there; returns its length.
std::uint64_t free_run(LinearZone& zone, Frame first_frame) {
  const std::uint64_t first = first_frame - zone.zone.first_frame;
  const PageRuns::Run* run = zone.runs.find(first);
  HARNESS_ASSERT(run && run->first == first);
  const std::uint64_t count = run->count;
  set_owner(zone.zone.first_slot + first, count, FrameOwner::Free);
  zone.runs.give(first);
  return count;
}

LinearZone* linear_zone_of(Frame frame) {
  for (LinearZone* const zone : {&g_high, &g_low})
    if (zone->zone.has_frame(frame)) return zone;
  return nullptr;
}

// The same for who lists its frames.
std::uint64_t free_run(LinearZone& zone, std::span<const Frame> frames) {
  const std::uint64_t count = free_run(zone, frames[0]);
  HARNESS_ASSERT(count <= frames.size());
  for (std::uint64_t i = 0; i < count; ++i) HARNESS_ASSERT(frames[i] == frames[0] + i);
  return count;
}

}  // namespace

void set_owner(std::uint64_t slot, std::uint64_t pages, FrameOwner owner) {
  std::fill_n(g_owner.begin() + static_cast<std::ptrdiff_t>(slot), pages, owner);
}

void reset_frames() {
  set_owner(0, g_unused, FrameOwner::Free);
  g_freed_head = g_freed_count = g_unused = 0;
  forget(g_high);
  forget(g_low);
}

}  // namespace internal

using namespace internal;

std::uint64_t system_memory_bytes() {
  std::uint64_t pages = 0;
  for (const Zone* zone : kZones) pages += zone == &kBar ? 0 : zone->pages;
  return pages << kPageShift;
}

std::uint64_t highest_system_address() {
  Frame end = 0;
  for (const Zone* zone : kZones)
    if (zone != &kBar) end = std::max(end, zone->first_frame + zone->pages);
  return (end << kPageShift) - 1;
}

std::uint64_t frames_available() {
  return std::max(unused_frames(), kReserved) - kReserved;
}

void frames_allocate(std::span<Frame> out, FrameOwner owner) {
  HARNESS_ASSERT(owner != FrameOwner::Free && out.size() <= unused_frames());
  for (std::size_t i = 0; i < out.size(); ++i) {
    std::uint64_t slot = next_slot();
    Frame frame = kScattered.frame_of(slot);
    // Neighbours in the list must not be neighbours in memory; another one is at hand unless
    // memory is all but exhausted.
    for (int attempt = 0; i > 0 && attempt < 8 && unused_frames() > 0; ++attempt) {
      if (frame + 1 != out[i - 1] && frame != out[i - 1] + 1) break;
      put_back(slot);
      slot = next_slot();
      frame = kScattered.frame_of(slot);
    }
    clear(kScattered, slot);
    g_owner[slot] = owner;
    out[i] = frame;
    if (i == 1 && out[0] < out[1]) std::swap(out[0], out[1]);
  }
}

Frame frames_allocate_contiguous(std::uint64_t count, FrameOwner owner, std::uint64_t highest,
                                 std::uint64_t alignment, FrameContent content) {
  HARNESS_ASSERT(owner != FrameOwner::Free && alignment != 0 && alignment <= kZoneAlignment);
  if (count == 0) return 0;
  const std::uint64_t end_frame = highest / kPageSize + (highest % kPageSize == kPageSize - 1);
  const Frame first = take_contiguous(g_high, count, owner, end_frame, alignment, content);
  return first != 0 ? first : take_contiguous(g_low, count, owner, end_frame, alignment, content);
}

void frames_free(std::span<const Frame> frames) {
  while (!frames.empty()) {
    const Frame frame = frames[0];
    std::uint64_t done = 1;
    if (LinearZone* const zone = linear_zone_of(frame)) {
      done = free_run(*zone, frames);
    } else {
      HARNESS_ASSERT(kScattered.has_frame(frame));
      const std::uint64_t slot = kScattered.slot_of(frame);
      HARNESS_ASSERT(g_owner[slot] != FrameOwner::Free);
      g_owner[slot] = FrameOwner::Free;
      put_back(slot);
    }
    frames = frames.subspan(done);
  }
}

void frames_free_contiguous(Frame first) {
  LinearZone* const zone = linear_zone_of(first);
  HARNESS_ASSERT(zone);
  free_run(*zone, first);
}

namespace {

FrameOwner owner_of(const Zone* zone, std::uint64_t slot) {
  const std::uint64_t address = address_of(zone->bytes_of(slot));
  if (zone == &kArena) return arena_owns(address) ? FrameOwner::Driver : FrameOwner::Free;
  if (zone == &kUser) return user_owns(address) ? FrameOwner::User : FrameOwner::Free;
  if (zone == &kBar) return bar_owns(address) ? FrameOwner::Bar : FrameOwner::Free;
  return g_owner[slot];
}

// Null if nobody owns the frame.
std::uint8_t* owned_bytes(Frame frame) {
  const Zone* const zone = zone_of_frame(frame);
  if (!zone) return nullptr;
  const std::uint64_t slot = zone->slot_of(frame);
  return owner_of(zone, slot) != FrameOwner::Free ? zone->bytes_of(slot) : nullptr;
}

}  // namespace

bool internal::all_owned(const Zone& zone, Frame first, std::uint64_t pages) {
  if (pages > zone.pages || !zone.has_frame(first) || !zone.has_frame(first + pages - 1))
    return false;
  const std::uint64_t slot = zone.slot_of(first);
  if (&zone == &kBar) return bar_owns(address_of(zone.bytes_of(slot)), pages);
  if (zone.scattered_bits == 0) {
    const auto* const owners = &g_owner[slot];
    return std::find(owners, owners + pages, FrameOwner::Free) == owners + pages;
  }
  for (Frame frame = first; frame < first + pages; ++frame)
    if (owner_of(&zone, zone.slot_of(frame)) == FrameOwner::Free) return false;
  return true;
}

FrameOwner frame_owner(Frame frame) {
  const Zone* zone = zone_of_frame(frame);
  return zone ? owner_of(zone, zone->slot_of(frame)) : FrameOwner::Free;
}

const std::uint8_t* frame_bytes(Frame frame) {
  const Zone* zone = zone_of_frame(frame);
  return zone ? zone->bytes_of(zone->slot_of(frame)) : nullptr;
}

std::uint8_t* frame_bytes_to_write(Frame frame) {
  const Zone* zone = zone_of_frame(frame);
  if (!zone) return nullptr;
  const std::uint64_t slot = zone->slot_of(frame);
  note_written_slot(slot);
  return zone->bytes_of(slot);
}

namespace {

// Calls `part(bytes of the page, offset in the caller's buffer, length)` page by page, after it
// made sure that every byte has an owner.
template <class Part>
bool by_page(std::uint64_t address, std::uint64_t bytes, Part part) {
  if (bytes == 0) return true;
  if (address + bytes - 1 < address) return false;
  if (address % kPageSize + bytes <= kPageSize) {
    std::uint8_t* const page = owned_bytes(address >> kPageShift);
    if (page) part(page + address % kPageSize, 0, bytes);
    return page != nullptr;
  }
  for (Frame frame = address >> kPageShift; frame <= (address + bytes - 1) >> kPageShift; ++frame)
    if (!owned_bytes(frame)) return false;
  for (std::uint64_t done = 0; done < bytes;) {
    const std::uint64_t at = address + done;
    const std::uint64_t length = std::min(bytes - done, kPageSize - at % kPageSize);
    part(owned_bytes(at >> kPageShift) + at % kPageSize, done, length);
    done += length;
  }
  return true;
}

}  // namespace

bool physical_read(std::uint64_t address, void* buffer, std::uint64_t bytes) {
  return by_page(address, bytes, [&](const std::uint8_t* from, std::uint64_t at, std::uint64_t n) {
    std::memcpy(static_cast<std::uint8_t*>(buffer) + at, from, n);
  });
}

bool physical_write(std::uint64_t address, const void* buffer, std::uint64_t bytes) {
  return by_page(address, bytes, [&](std::uint8_t* to, std::uint64_t at, std::uint64_t n) {
    note_written((address + at) >> kPageShift);
    std::memcpy(to, static_cast<const std::uint8_t*>(buffer) + at, n);
  });
}

}  // namespace wddm::memory
