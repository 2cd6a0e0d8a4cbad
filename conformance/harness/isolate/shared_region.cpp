#include "conformance/harness/isolate/shared_region.h"

#include <fmt/format.h>
#include <fmt/ranges.h>
#include <sys/mman.h>

#include <algorithm>
#include <cstring>
#include <new>
#include <span>
#include <utility>

#include "conformance/harness/judge/verdict.h"
#include "conformance/host/execute.h"
#include "reference/digest.h"
#include "reference/harness_assert.h"
#include "reference/trace/trace.h"

namespace wddm::harness {
namespace {

constexpr std::size_t kNoteBytes = 4096;
constexpr std::size_t kMostToClear = 1 << 20;
static_assert(sizeof(Note) <= kNoteBytes);

std::string text_of(const char (&room)[128]) {
  return printable({room, ::strnlen(room, sizeof(room))});
}

}  // namespace

void note_text(char (&room)[128], std::string_view text) {
  const std::size_t length = std::min(text.size(), sizeof(room) - 1);
  std::memcpy(room, text.data(), length);
  room[length] = '\0';
}

std::vector<std::string> functions_at(std::span<const std::uintptr_t> frames) {
  std::vector<std::string> functions;
  for (const std::uintptr_t frame : frames) {
    if (std::string function = host::driver_function(frame); !function.empty()) {
      functions.push_back(std::move(function));
    }
  }
  return functions;
}

std::string among(const std::vector<std::string>& functions) {
  return functions.empty() ? "" : fmt::format(" ({})", fmt::join(functions, " < "));
}

Region::Region(std::uint32_t events, std::uint32_t blobs)
    : events_(events), blobs_(blobs), bytes_(kNoteBytes + trace_storage_bytes(events, blobs)) {
  memory_ = ::mmap(nullptr, bytes_, PROT_READ | PROT_WRITE,
                   MAP_SHARED | MAP_ANONYMOUS | MAP_NORESERVE, -1, 0);
  HARNESS_ASSERT(memory_ != MAP_FAILED);
  new (memory_) Note;
}

Region::~Region() {
  ::munmap(memory_, bytes_);
}

void* Region::trace_storage() const {
  return static_cast<std::byte*>(memory_) + kNoteBytes;
}

NoteCopy Region::read_note() const {
  const Note& from = note();
  NoteCopy copy;
  copy.stage = from.stage.load();
  copy.signal = from.signal.load();
  copy.sanitizer = from.sanitizer.load() != 0;
  copy.call = text_of(from.call);
  copy.service = text_of(from.service);
  copy.access = text_of(from.access);
  copy.functions = functions_at(from.frames);
  const auto innermost = std::ranges::find_if(
      from.frames, [](std::uintptr_t frame) { return !host::driver_function(frame).empty(); });
  if (innermost != from.frames.end()) copy.line = printable(host::driver_line(*innermost));
  return copy;
}

void Region::inherit(bool wanted) const {
  HARNESS_ASSERT(::madvise(memory_, bytes_, wanted ? MADV_DOFORK : MADV_DONTFORK) == 0);
}

void Region::open(bool wanted) const {
  HARNESS_ASSERT(::mprotect(memory_, bytes_, wanted ? PROT_READ | PROT_WRITE : PROT_NONE) == 0);
}

// What a run has written is cleared in place, if it says so and is not much: pages that are given
// back cost the next run a fault each.
bool Region::clear_what_was_used() {
  auto& head = *static_cast<TraceStorage*>(trace_storage());
  const std::size_t events = head.events.load();
  const std::size_t blobs = head.blob_bytes;
  if (events > events_ || blobs > blobs_) return false;
  if (events * sizeof(Event) + blobs > kMostToClear) return false;
  auto* const first = reinterpret_cast<std::byte*>(&head + 1);
  std::memset(first, 0, events * sizeof(Event));
  std::memset(first + std::size_t{events_} * sizeof(Event), 0, blobs);
  std::memset(static_cast<void*>(&head), 0, sizeof(head));
  return true;
}

void Region::reset() {
  // Punching the pages out costs what was touched; clearing them by hand would touch them all.
  if (!clear_what_was_used() && ::madvise(memory_, bytes_, MADV_REMOVE) != 0) {
    std::memset(memory_, 0, bytes_);
  }
  new (memory_) Note;
}

// What lies between blobs is no part of it.
std::uint64_t digest_of_trace(const Region& region) {
  const auto& head = *static_cast<const TraceStorage*>(region.trace_storage());
  const std::size_t count = std::min(head.events.load(), region.events());
  const std::span<const Event> events(reinterpret_cast<const Event*>(&head + 1), count);
  const auto* const blobs = reinterpret_cast<const std::uint8_t*>(events.data() + region.events());
  std::uint64_t all =
      digest({reinterpret_cast<const std::uint8_t*>(events.data()), events.size_bytes()}, count);
  for (const Event& event : events) {
    const bool inside = std::uint64_t{event.blob_offset} + event.blob_length <= region.blobs();
    if (event.blob_length != 0 && inside)
      all = digest({blobs + event.blob_offset, event.blob_length}, all);
  }
  return all;
}

std::unique_ptr<Region> RegionStore::take() {
  if (free_.empty()) return std::make_unique<Region>(events_, blobs_);
  std::unique_ptr<Region> region = std::move(free_.back());
  free_.pop_back();
  region->reset();
  return region;
}

void RegionStore::give_back(std::unique_ptr<Region> region) {
  free_.push_back(std::move(region));
}

}  // namespace wddm::harness
