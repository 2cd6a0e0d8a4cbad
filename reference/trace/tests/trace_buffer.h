// Storage for one trace of a test, exactly as long as it must be, so that a step beyond is seen.
#pragma once

#include <cstdlib>
#include <memory>

#include "reference/trace/trace.h"

namespace wddm::test {

class TraceBuffer {
 public:
  explicit TraceBuffer(std::uint32_t events = 64, std::uint32_t blobs = 4096)
      : events_(events),
        blobs_(blobs),
        storage_(std::malloc(trace_storage_bytes(events, blobs)), &std::free),
        writer_(TraceWriter::create(storage_.get(), events, blobs)) {}

  [[nodiscard]] TraceWriter& writer() { return writer_; }
  [[nodiscard]] TraceStorage& head() { return *static_cast<TraceStorage*>(storage_.get()); }
  [[nodiscard]] std::uint8_t* bytes() { return static_cast<std::uint8_t*>(storage_.get()); }
  [[nodiscard]] std::size_t size() const { return trace_storage_bytes(events_, blobs_); }
  [[nodiscard]] Event* event(std::uint32_t index) {
    return reinterpret_cast<Event*>(&head() + 1) + index;
  }

  template <class Payload>
  TraceBuffer& add(const Payload& payload, std::string_view blob = {}) {
    writer_.add(payload, 0, 0, 0, blob.data(), blob.size());
    return *this;
  }
  /// As a parent process reads it.
  [[nodiscard]] Trace read() const { return Trace(storage_.get(), events_, blobs_); }
  /// As it reads itself.
  [[nodiscard]] Trace read_sealed() const { return Trace(storage_.get()); }

 private:
  std::uint32_t events_;
  std::uint32_t blobs_;
  std::unique_ptr<void, decltype(&std::free)> storage_;
  TraceWriter writer_;
};

}  // namespace wddm::test
