// The trace: written by the host, read by checks. One writer, no allocation while writing.
//
// The storage is given by the caller (shared memory of runner and child), so that what a run saw
// survives a crash of that run. An event becomes visible with one store of the count.
#pragma once

#include <array>
#include <atomic>
#include <bit>
#include <cstring>
#include <memory>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "reference/harness_assert.h"
#include "reference/trace/event.h"

namespace wddm {

/// Head of the storage; events and then blobs follow it.
struct TraceStorage {
  std::atomic<std::uint32_t> events{0};
  std::uint32_t event_capacity = 0;
  std::uint32_t blob_bytes = 0;
  std::uint32_t blob_capacity = 0;
  std::uint32_t truncated = 0;  ///< events that found no room
  std::uint32_t seal = 0;       ///< check word over the capacities, see trace.cpp
  std::uint32_t reserved[10] = {};
};
static_assert(sizeof(TraceStorage) == 64);

/// Bytes of storage for so many events and blob bytes.
[[nodiscard]] constexpr std::size_t trace_storage_bytes(std::uint32_t events, std::uint32_t blobs) {
  return sizeof(TraceStorage) + std::size_t{events} * sizeof(Event) + blobs;
}

/// Appends events. A copy refers to the same storage; a writer without storage drops everything.
///
/// The trace is an honest prefix: once an event (with its blob) has found no room, every later one
/// is dropped and counted too, so that no check meets a trace with a hole in the middle.
class TraceWriter {
 public:
  TraceWriter() = default;
  /// Formats `storage` (at least trace_storage_bytes long, 64-byte aligned) as an empty trace.
  static TraceWriter create(void* storage, std::uint32_t events, std::uint32_t blobs);

  /// Takes back all that was added; what follows begins an empty trace.
  void clear();

  /// Stamped on every following event.
  std::uint16_t op = kNoOp;

  template <class Payload>
  void add(const Payload& payload, std::uint8_t irql, std::uint8_t cpu, std::uint32_t thread,
           const void* blob = nullptr, std::size_t blob_length = 0) {
    Event event;
    event.kind = Payload::kKind;
    event.irql = irql;
    event.cpu = cpu;
    event.thread = static_cast<std::uint16_t>(thread);
    std::memcpy(event.payload, &payload, sizeof(Payload) - payload_tail(sizeof(Payload)));
    if constexpr (constexpr std::size_t kTail = payload_tail(sizeof(Payload)); kTail != 0) {
      append(event, reinterpret_cast<const std::byte*>(&payload) + kPayloadInEvent, kTail, blob,
             blob_length);
    } else {
      append(event, nullptr, 0, blob, blob_length);
    }
  }

 private:
  void append(Event& event, const void* tail, std::size_t tail_length, const void* blob,
              std::size_t blob_length);
  TraceStorage* storage_ = nullptr;
  // Not read back from the storage: a driver may scribble over its head.
  std::uint32_t event_capacity_ = 0;
  std::uint32_t blob_capacity_ = 0;
};

/// Indices of the events of some kinds, ascending: of each kind there is a map of bits, and a word
/// of all of them tells of 64 events. Not to be moved while it is walked over.
template <std::size_t Kinds>
class KindView {
 public:
  using Word = std::uint64_t;

  class Iterator {
   public:
    Iterator(const KindView& view, std::size_t word) : view_(&view), word_(word) { find(); }
    [[nodiscard]] std::uint32_t operator*() const {
      return static_cast<std::uint32_t>(word_ * kBits) +
             static_cast<std::uint32_t>(std::countr_zero(left_));
    }
    Iterator& operator++() {
      left_ &= left_ - 1;
      if (left_ == 0) {
        ++word_;
        find();
      }
      return *this;
    }
    friend bool operator==(const Iterator& a, const Iterator& b) {
      return a.word_ == b.word_ && a.left_ == b.left_;
    }

   private:
    void find() {
      while (word_ < view_->words_ && (left_ = view_->word(word_)) == 0) ++word_;
    }
    const KindView* view_;
    std::size_t word_;
    Word left_ = 0;
  };

  /// `maps`: of so many words each; null where no event is of that kind.
  KindView(const std::array<const Word*, Kinds>& maps, std::size_t words) : words_(words) {
    for (const Word* const map : maps) {
      if (map != nullptr) maps_[present_++] = map;
    }
    if (present_ == 0) words_ = 0;
  }
  [[nodiscard]] Iterator begin() const { return {*this, 0}; }
  [[nodiscard]] Iterator end() const { return {*this, words_}; }

 private:
  static constexpr std::size_t kBits = 64;
  [[nodiscard]] Word word(std::size_t at) const {
    Word all = 0;
    for (std::size_t i = 0; i < present_; ++i) all |= maps_[i][at];
    return all;
  }
  std::array<const Word*, Kinds> maps_{};
  std::size_t present_ = 0;
  std::size_t words_;
};

/// A finished or broken-off trace, indexed by kind in one pass.
class Trace {
 public:
  /// `storage` must outlive the trace and no longer change. Hostile contents (a driver may have
  /// scribbled over it) are defined: counts are clamped and blobs out of range become empty.
  /// Capacities that do not fit their seal count as 0: such a trace is empty and truncated.
  explicit Trace(const void* storage);
  /// The same with the capacities the storage was created with. Nothing that a driver could have
  /// written decides which memory is read: what a parent process uses on a child's trace.
  Trace(const void* storage, std::uint32_t events, std::uint32_t blobs);
  Trace(const Trace&) = delete;  // ledgers look into it
  Trace& operator=(const Trace&) = delete;

  [[nodiscard]] std::span<const Event> events() const { return events_; }
  [[nodiscard]] bool truncated() const { return truncated_; }
  /// Indices into events() of all events of a kind, ascending.
  [[nodiscard]] std::span<const std::uint32_t> of(EventKind kind) const {
    const auto number = static_cast<std::size_t>(kind);
    return std::span(by_kind_).subspan(first_of_[number],
                                       first_of_[number + 1] - first_of_[number]);
  }
  template <class Payload>
  [[nodiscard]] std::span<const std::uint32_t> of() const {
    return of(Payload::kKind);
  }
  /// Of all events of several kinds, ascending.
  template <class... Payload>
  [[nodiscard]] KindView<sizeof...(Payload)> of_any() const {
    return {{map_of(Payload::kKind)...}, words_};
  }
  template <class Payload>
  [[nodiscard]] static Payload as(const Event& event) {
    static_assert(payload_tail(sizeof(Payload)) == 0, "only at() knows where the rest is");
    HARNESS_ASSERT(event.kind == Payload::kKind);
    Payload payload;
    std::memcpy(&payload, event.payload, sizeof(Payload));
    return payload;
  }
  template <class Payload>
  [[nodiscard]] Payload at(std::uint32_t index) const {
    if constexpr (payload_tail(sizeof(Payload)) == 0) {
      return as<Payload>(events_[index]);
    } else {
      const Event& event = events_[index];
      HARNESS_ASSERT(event.kind == Payload::kKind);
      Payload payload;
      auto* const bytes = reinterpret_cast<std::byte*>(&payload);
      std::memcpy(bytes, event.payload, kPayloadInEvent);
      read_tail(event, bytes + kPayloadInEvent, payload_tail(sizeof(Payload)));
      return payload;
    }
  }
  /// A field of an event of any kind; those of signed types are not extended.
  [[nodiscard]] std::uint64_t value(const Event& event, const EventField& field) const;
  /// The blob as records; a length that is no multiple of the record drops the rest.
  template <class Record>
  [[nodiscard]] std::span<const Record> blob(const Event& event) const {
    const std::span<const std::byte> bytes = blob_bytes(event);
    return {reinterpret_cast<const Record*>(bytes.data()), bytes.size() / sizeof(Record)};
  }
  [[nodiscard]] std::span<const std::byte> blob_bytes(const Event& event) const;
  [[nodiscard]] std::string_view blob_text(const Event& event) const;
  /// What several checks ask of a trace: a `Ledger(trace)` that is made when the first of them
  /// does, and lives as long as the trace. Not for several threads at once.
  template <class Ledger>
  [[nodiscard]] const Ledger& ledger() const {
    const void* const key = &kLedgerKey<Ledger>;
    for (const auto& [made_for, ledger] : ledgers_) {
      if (made_for == key) return *static_cast<const Ledger*>(ledger.get());
    }
    auto made = std::make_shared<const Ledger>(*this);
    ledgers_.emplace_back(key, made);
    return *made;
  }

 private:
  template <class Ledger>
  static inline char kLedgerKey = 0;  // only its address counts
  // Null if no event is of that kind.
  [[nodiscard]] const std::uint64_t* map_of(EventKind kind) const {
    const auto number = static_cast<std::size_t>(kind);
    return of(kind).empty() ? nullptr : maps_.data() + map_at_[number] * words_;
  }
  // All that the event has in the arena: the rest of its payload and then its blob.
  [[nodiscard]] std::span<const std::byte> arena_bytes(const Event& event) const;
  // Zeros where the arena doesn't hold it.
  void read_tail(const Event& event, std::byte* tail, std::size_t bytes) const;

  std::span<const Event> events_;
  std::span<const std::byte> blobs_;
  std::vector<std::uint32_t> by_kind_;  // indices of all events, by kind and then ascending
  std::array<std::uint32_t, kEventKinds + 1> first_of_{};  // where those of a kind begin in it
  std::vector<std::uint64_t> maps_;  // of each kind that there is: a bit for each event
  std::size_t words_ = 0;            // of a map
  std::array<std::uint32_t, kEventKinds> map_at_{};  // which of them is a kind's
  bool truncated_ = false;
  mutable std::vector<std::pair<const void*, std::shared_ptr<const void>>> ledgers_;
};

/// One line: number, op, thread, irql, kind and fields; blobs of text are appended, others by size.
[[nodiscard]] std::string print_event(const Trace& trace, std::uint32_t index);

}  // namespace wddm
