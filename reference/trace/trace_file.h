// A trace as the bytes of a file, and the text that viewers make of it.
//
// The file: a head of 32 bytes (magic, version, events of the run, events and bytes of blobs in the
// file, events that the run had no room for), the numbers of the events in the run, the events as
// event.h has them, their blobs. Everything in the byte order of x86, parts at multiples of 8.
//
// A run of millions of steps is not kept whole: its file has the events that somebody names and as
// many of the last ones as fit, which is why each stands there with its number. What no field holds
// (padding) is zero, so that equal runs give equal files.
//
// Left out: the scenario, whose ops events refer to by index; what judges made of the trace.
#pragma once

#include <cstddef>
#include <cstdint>
#include <limits>
#include <memory>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "reference/trace/trace.h"

namespace wddm {

inline constexpr std::uint32_t kTraceFileVersion = 1;

/// What a file holds at most.
struct TraceFileLimits {
  std::uint32_t events = 8192;
  std::uint32_t blob_bytes = 512u << 10;
};
inline constexpr TraceFileLimits kWholeTrace{std::numeric_limits<std::uint32_t>::max(),
                                             std::numeric_limits<std::uint32_t>::max()};

/// The bytes of the file. Events that `named` has come first where there is no room for all.
[[nodiscard]] std::string trace_file(const Trace& trace, std::span<const std::uint32_t> named,
                                     const TraceFileLimits& limits = {});

/// A file that was read. Its contents may be anything: they are checked before they are believed.
class StoredTrace {
 public:
  /// Of a run without events.
  StoredTrace() { hold({}, 0, 0, 0); }
  /// Of these bytes, if they are such a file; else of a run without events.
  explicit StoredTrace(std::string_view bytes);
  /// False with what is wrong, in one line; what it held before stays.
  [[nodiscard]] bool read(std::string_view bytes, std::string& error);

  /// The events of the file; indices are positions in it.
  [[nodiscard]] const Trace& trace() const { return *trace_; }
  /// Events that the run had.
  [[nodiscard]] std::uint32_t total() const { return total_; }
  /// The number in the run of each event of the file, ascending.
  [[nodiscard]] std::span<const std::uint32_t> numbers() const { return numbers_; }
  /// The event of that number in the run as text; nothing if the file doesn't have it.
  [[nodiscard]] std::optional<std::string> line(std::uint32_t number) const;

 private:
  // Events and blobs as their writer left them.
  void hold(std::string_view bytes, std::uint32_t events, std::uint32_t blob_bytes,
            std::uint32_t truncated);
  std::unique_ptr<std::byte[]> storage_;
  std::optional<Trace> trace_;
  std::vector<std::uint32_t> numbers_;
  std::uint32_t total_ = 0;
};

/// An event of a part of a trace as text, with its number in the run.
[[nodiscard]] std::string print_event(const Trace& trace, std::uint32_t index,
                                      std::uint32_t number);

/// Which events are shown; by default all.
struct TraceView {
  std::optional<std::uint32_t> around = {};  ///< those near the one of this number
  std::optional<std::uint32_t> op = {};      ///< those of this op, by its index; kNoOp: of none
  std::size_t last = std::numeric_limits<std::size_t>::max();  ///< of these, so many at the end
};
/// How many events the run had and which follow, and then one line for each.
[[nodiscard]] std::string print_trace(const StoredTrace& stored, const TraceView& view = {});

}  // namespace wddm
