// Storage of a trace: one appending writer in the run, one reader that trusts nothing.
//
// Layout: head (TraceStorage), event_capacity events, blob_capacity bytes. Blobs start at multiples
// of 8, so that their records can be read in place. Left out: more than one writing thread; the
// run is single-threaded, and a signal handler that appends ends the run.
#include "reference/trace/trace.h"

#include <algorithm>
#include <new>
#include <numeric>

#include "reference/trace/payload_gaps.h"

namespace wddm {
namespace {

constexpr std::size_t kBlobAlignment = 8;

// Any mix of both capacities would do that a scribbled head is unlikely to satisfy.
constexpr std::uint32_t seal_of(std::uint32_t events, std::uint32_t blobs) {
  std::uint32_t hash = 0x57444d54;
  for (const std::uint32_t word : {events, blobs}) hash = (hash ^ word) * 0x9e3779b1u + 0x7f4a7c15u;
  return hash;
}

bool sealed(const TraceStorage& head) {
  return head.seal == seal_of(head.event_capacity, head.blob_capacity);
}

const TraceStorage& head_of(const void* storage) {
  HARNESS_ASSERT(storage != nullptr);
  return *static_cast<const TraceStorage*>(storage);
}

// Of the bytes at `part`, which lie at `first` in the payload.
void clear_gap(const PayloadPart& gap, std::size_t first, std::byte* part, std::size_t length) {
  if (gap.size == 0 || gap.offset < first || gap.offset >= first + length) return;
  std::memset(part + (gap.offset - first), 0, gap.size);
}

}  // namespace

TraceWriter TraceWriter::create(void* storage, std::uint32_t events, std::uint32_t blobs) {
  HARNESS_ASSERT(storage != nullptr);
  HARNESS_ASSERT(reinterpret_cast<std::uintptr_t>(storage) % alignof(Event) == 0);
  TraceWriter writer;
  writer.storage_ = new (storage) TraceStorage;
  writer.event_capacity_ = events;
  writer.blob_capacity_ = blobs;
  writer.storage_->event_capacity = events;
  writer.storage_->blob_capacity = blobs;
  writer.storage_->seal = seal_of(events, blobs);
  return writer;
}

void TraceWriter::clear() {
  op = kNoOp;
  if (storage_ == nullptr) return;
  storage_->blob_bytes = 0;
  storage_->truncated = 0;
  storage_->events.store(0, std::memory_order_release);
}

void TraceWriter::append(Event& event, const void* tail, std::size_t tail_length, const void* blob,
                         std::size_t blob_length) {
  if (storage_ == nullptr) return;
  const PayloadPart& gap = kPayloadGaps[static_cast<std::size_t>(event.kind)];
  clear_gap(gap, 0, event.payload, sizeof event.payload);
  const std::size_t length = tail_length + blob_length;
  const std::uint32_t index = storage_->events.load(std::memory_order_relaxed);
  const std::uint64_t offset =
      (std::uint64_t{storage_->blob_bytes} + kBlobAlignment - 1) / kBlobAlignment * kBlobAlignment;
  const bool room =
      index < event_capacity_ && storage_->truncated == 0 &&
      (length == 0 || (offset <= blob_capacity_ && length <= blob_capacity_ - offset));
  if (!room) {
    if (storage_->truncated != ~0u) ++storage_->truncated;
    return;
  }
  std::byte* const events = reinterpret_cast<std::byte*>(storage_ + 1);
  if (length != 0) {
    std::byte* const blobs = events + std::size_t{event_capacity_} * sizeof(Event) + offset;
    if (tail_length != 0) {
      std::memcpy(blobs, tail, tail_length);
      clear_gap(gap, kPayloadInEvent, blobs, tail_length);
    }
    if (blob_length != 0) std::memcpy(blobs + tail_length, blob, blob_length);
    event.blob_offset = static_cast<std::uint32_t>(offset);
    event.blob_length = static_cast<std::uint32_t>(length);
    storage_->blob_bytes = static_cast<std::uint32_t>(offset + length);
  }
  event.op = op;
  std::memcpy(events + std::size_t{index} * sizeof(Event), &event, sizeof(Event));
  storage_->events.store(index + 1, std::memory_order_release);
}

Trace::Trace(const void* storage)
    : Trace(storage, sealed(head_of(storage)) ? head_of(storage).event_capacity : 0,
            sealed(head_of(storage)) ? head_of(storage).blob_capacity : 0) {}

Trace::Trace(const void* storage, std::uint32_t events, std::uint32_t blobs) {
  const TraceStorage& head = head_of(storage);
  HARNESS_ASSERT(reinterpret_cast<std::uintptr_t>(storage) % alignof(Event) == 0);
  const std::uint32_t written = head.events.load(std::memory_order_acquire);
  truncated_ = head.truncated != 0 || written > events || !sealed(head);
  events_ = {reinterpret_cast<const Event*>(&head + 1), std::min(written, events)};
  blobs_ = {reinterpret_cast<const std::byte*>(&head + 1) + std::size_t{events} * sizeof(Event),
            std::min(head.blob_bytes, blobs)};
  const auto known = [this](std::uint32_t i) {
    return static_cast<std::size_t>(events_[i].kind) < kEventKinds;
  };
  const auto kind_of = [this](std::uint32_t i) {
    return static_cast<std::size_t>(events_[i].kind);
  };
  for (std::uint32_t i = 0; i < events_.size(); ++i) {
    if (known(i)) ++first_of_[kind_of(i) + 1];
  }
  std::uint32_t kinds = 0;
  for (std::size_t kind = 0; kind < kEventKinds; ++kind) {
    map_at_[kind] = kinds;
    if (first_of_[kind + 1] != 0) ++kinds;
  }
  std::partial_sum(first_of_.begin(), first_of_.end(), first_of_.begin());
  by_kind_.resize(first_of_.back());
  words_ = (events_.size() + 63) / 64;
  maps_.resize(kinds * words_);
  std::array<std::uint32_t, kEventKinds + 1> next = first_of_;
  for (std::uint32_t i = 0; i < events_.size(); ++i) {
    if (!known(i)) continue;
    by_kind_[next[kind_of(i)]++] = i;
    maps_[map_at_[kind_of(i)] * words_ + i / 64] |= std::uint64_t{1} << i % 64;
  }
}

std::span<const std::byte> Trace::arena_bytes(const Event& event) const {
  if (event.blob_offset % kBlobAlignment != 0 || event.blob_offset > blobs_.size() ||
      event.blob_length > blobs_.size() - event.blob_offset)
    return {};
  return blobs_.subspan(event.blob_offset, event.blob_length);
}

std::span<const std::byte> Trace::blob_bytes(const Event& event) const {
  const std::span<const std::byte> bytes = arena_bytes(event);
  return bytes.subspan(std::min(payload_tail_of(event.kind), bytes.size()));
}

void Trace::read_tail(const Event& event, std::byte* tail, std::size_t bytes) const {
  if (bytes == 0) return;
  const std::span<const std::byte> held = arena_bytes(event);
  if (held.size() >= bytes)
    std::memcpy(tail, held.data(), bytes);
  else
    std::memset(tail, 0, bytes);
}

std::uint64_t Trace::value(const Event& event, const EventField& field) const {
  std::byte payload[kPayloadAtMost];
  HARNESS_ASSERT(field.offset + field.size <= sizeof(payload));
  std::memcpy(payload, event.payload, kPayloadInEvent);
  read_tail(event, payload + kPayloadInEvent, payload_tail_of(event.kind));
  return field_value(payload, field);
}

std::string_view Trace::blob_text(const Event& event) const {
  const std::span<const std::byte> bytes = blob_bytes(event);
  return {reinterpret_cast<const char*>(bytes.data()), bytes.size()};
}

}  // namespace wddm
