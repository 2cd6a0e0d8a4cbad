#include "reference/trace/trace_file.h"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <bit>
#include <cstring>
#include <iterator>

namespace wddm {
namespace {

static_assert(std::endian::native == std::endian::little);

constexpr std::array<char, 8> kMagic = {'W', 'D', 'D', 'M', 'T', 'R', 'C', '\n'};
constexpr std::uint32_t kAround = 20;  // events on either side

struct FileHead {
  std::array<char, 8> magic = kMagic;
  std::uint32_t version = kTraceFileVersion;
  std::uint32_t total = 0;  // events of the run
  std::uint32_t events = 0;
  std::uint32_t blob_bytes = 0;
  std::uint32_t truncated = 0;
  std::uint32_t reserved = 0;
};
static_assert(sizeof(FileHead) == 32);

constexpr std::uint64_t up_to_eight(std::uint64_t bytes) {
  return (bytes + 7) / 8 * 8;
}

std::uint64_t numbers_bytes(std::uint64_t events) {
  return up_to_eight(events * sizeof(std::uint32_t));
}

// The rest of the payload and the blob.
std::uint64_t arena_bytes_of(const Trace& trace, const Event& event) {
  return up_to_eight(payload_tail_of(event.kind) + trace.blob_bytes(event).size());
}

class Choice {
 public:
  Choice(const Trace& trace, const TraceFileLimits& limits)
      : trace_(trace), limits_(limits), kept_(trace.events().size()) {}

  // False if there is no room for it.
  bool keep(std::uint32_t index) {
    if (kept_[index]) return true;
    const std::uint64_t bytes = arena_bytes_of(trace_, trace_.events()[index]);
    if (events_ == limits_.events || bytes > limits_.blob_bytes - blob_bytes_) return false;
    kept_[index] = true;
    ++events_;
    blob_bytes_ += bytes;
    return true;
  }

  [[nodiscard]] std::vector<std::uint32_t> indices() const {
    std::vector<std::uint32_t> all;
    all.reserve(events_);
    for (std::uint32_t i = 0; i < kept_.size(); ++i) {
      if (kept_[i]) all.push_back(i);
    }
    return all;
  }

 private:
  const Trace& trace_;
  const TraceFileLimits& limits_;
  std::vector<bool> kept_;
  std::uint32_t events_ = 0;
  std::uint64_t blob_bytes_ = 0;
};

std::vector<std::uint32_t> chosen(const Trace& trace, std::span<const std::uint32_t> named,
                                  const TraceFileLimits& limits) {
  Choice choice(trace, limits);
  for (const std::uint32_t index : named) {
    if (index < trace.events().size()) (void)choice.keep(index);
  }
  for (std::size_t i = trace.events().size(); i-- > 0;) {
    if (!choice.keep(static_cast<std::uint32_t>(i))) break;
  }
  return choice.indices();
}

void append(std::string& bytes, const void* data, std::size_t size) {
  bytes.append(static_cast<const char*>(data), size);
}

// The payload with zeros where no field is, even where a driver has scribbled over the trace.
std::array<std::byte, kPayloadAtMost> clean_payload(const Trace& trace, const Event& event) {
  std::array<std::byte, kPayloadAtMost> payload{};
  for (const EventField& field : event_info(event.kind).fields) {
    const std::uint64_t value = trace.value(event, field);
    std::memcpy(payload.data() + field.offset, &value, field.size);
  }
  return payload;
}

void append_event(const Trace& trace, const Event& event, std::string& events, std::string& blobs) {
  const std::array<std::byte, kPayloadAtMost> payload = clean_payload(trace, event);
  const std::span<const std::byte> blob = trace.blob_bytes(event);
  const std::size_t tail = payload_tail_of(event.kind);
  Event copy = event;
  std::memcpy(copy.payload, payload.data(), kPayloadInEvent);
  copy.blob_length = static_cast<std::uint32_t>(tail + blob.size());
  copy.blob_offset = copy.blob_length == 0 ? 0 : static_cast<std::uint32_t>(blobs.size());
  append(blobs, payload.data() + kPayloadInEvent, tail);
  append(blobs, blob.data(), blob.size());
  blobs.resize(up_to_eight(blobs.size()));
  append(events, &copy, sizeof(copy));
}

bool fits(const FileHead& head, std::uint64_t bytes) {
  return bytes == sizeof(FileHead) + numbers_bytes(head.events) +
                      std::uint64_t{head.events} * sizeof(Event) + head.blob_bytes;
}

bool read_head(std::string_view bytes, FileHead& head, std::string& error) {
  if (bytes.size() >= sizeof(head)) std::memcpy(&head, bytes.data(), sizeof(head));
  if (bytes.size() < sizeof(head) || head.magic != kMagic) {
    error = "no trace of wddmcheck";
    return false;
  }
  if (head.version != kTraceFileVersion) {
    error = fmt::format("a trace in form {}; this program reads form {}", head.version,
                        kTraceFileVersion);
    return false;
  }
  if (!fits(head, bytes.size())) {
    error = fmt::format(
        "a trace that was cut or damaged: {} events and {} bytes of blobs do not make {} bytes",
        head.events, head.blob_bytes, bytes.size());
    return false;
  }
  return true;
}

// Ascending, and none beyond the end of the run.
bool are_numbers(std::span<const std::uint32_t> numbers, std::uint32_t total) {
  const auto not_ascending = [](std::uint32_t a, std::uint32_t b) { return a >= b; };
  if (std::adjacent_find(numbers.begin(), numbers.end(), not_ascending) != numbers.end())
    return false;
  return numbers.empty() || numbers.back() < total;
}

std::vector<std::uint32_t> shown(const StoredTrace& stored, const TraceView& view) {
  std::vector<std::uint32_t> positions;
  for (std::uint32_t i = 0; i < stored.numbers().size(); ++i) {
    const std::uint32_t number = stored.numbers()[i];
    const bool near = !view.around || (number + std::uint64_t{kAround} >= *view.around &&
                                       number <= std::uint64_t{*view.around} + kAround);
    if (near && (!view.op || stored.trace().events()[i].op == *view.op)) positions.push_back(i);
  }
  if (positions.size() > view.last)
    positions.erase(positions.begin(), positions.end() - static_cast<std::ptrdiff_t>(view.last));
  return positions;
}

}  // namespace

std::string trace_file(const Trace& trace, std::span<const std::uint32_t> named,
                       const TraceFileLimits& limits) {
  const std::vector<std::uint32_t> indices = chosen(trace, named, limits);
  std::string events, blobs;
  events.reserve(indices.size() * sizeof(Event));
  for (const std::uint32_t index : indices)
    append_event(trace, trace.events()[index], events, blobs);
  FileHead head;
  head.total = static_cast<std::uint32_t>(trace.events().size());
  head.events = static_cast<std::uint32_t>(indices.size());
  head.blob_bytes = static_cast<std::uint32_t>(blobs.size());
  head.truncated = trace.truncated();
  std::string bytes;
  bytes.reserve(sizeof(head) + numbers_bytes(indices.size()) + events.size() + blobs.size());
  append(bytes, &head, sizeof(head));
  append(bytes, indices.data(), indices.size() * sizeof(std::uint32_t));
  bytes.resize(up_to_eight(bytes.size()));
  bytes += events;
  bytes += blobs;
  HARNESS_ASSERT(fits(head, bytes.size()));
  return bytes;
}

void StoredTrace::hold(std::string_view bytes, std::uint32_t events, std::uint32_t blob_bytes,
                       std::uint32_t truncated) {
  storage_ = std::make_unique<std::byte[]>(trace_storage_bytes(events, blob_bytes));
  (void)TraceWriter::create(storage_.get(), events, blob_bytes);
  auto& head = *reinterpret_cast<TraceStorage*>(storage_.get());
  head.blob_bytes = blob_bytes;
  head.truncated = truncated;
  head.events = events;
  if (!bytes.empty()) std::memcpy(storage_.get() + sizeof(head), bytes.data(), bytes.size());
  trace_.emplace(storage_.get(), events, blob_bytes);
}

StoredTrace::StoredTrace(std::string_view bytes) : StoredTrace() {
  std::string error;
  static_cast<void>(read(bytes, error));
}

bool StoredTrace::read(std::string_view bytes, std::string& error) {
  FileHead head;
  if (!read_head(bytes, head, error)) return false;
  bytes.remove_prefix(sizeof(head));
  std::vector<std::uint32_t> numbers(head.events);
  if (head.events != 0)
    std::memcpy(numbers.data(), bytes.data(), head.events * sizeof(std::uint32_t));
  bytes.remove_prefix(numbers_bytes(head.events));
  if (!are_numbers(numbers, head.total)) {
    error = "a trace that was damaged: the numbers of its events are in no order";
    return false;
  }
  numbers_ = std::move(numbers);
  total_ = head.total;
  // That the file has so many bytes is known by now.
  hold(bytes, head.events, head.blob_bytes, head.truncated);
  return true;
}

std::optional<std::string> StoredTrace::line(std::uint32_t number) const {
  const auto found = std::lower_bound(numbers_.begin(), numbers_.end(), number);
  if (found == numbers_.end() || *found != number) return std::nullopt;
  return print_event(*trace_, static_cast<std::uint32_t>(found - numbers_.begin()), number);
}

std::string print_trace(const StoredTrace& stored, const TraceView& view) {
  const std::vector<std::uint32_t> positions = shown(stored, view);
  std::string text = fmt::format("{} events", stored.total());
  if (positions.size() < stored.total()) {
    const bool at_end = !positions.empty() &&
                        stored.numbers()[positions.front()] + positions.size() == stored.total();
    text += fmt::format(", {}{} of them", at_end ? "the last " : "", positions.size());
  }
  text += '\n';
  for (const std::uint32_t i : positions)
    text += print_event(stored.trace(), i, stored.numbers()[i]) + '\n';
  return text;
}

}  // namespace wddm
