// A trace that a test writes itself, for the check of one rule.
#pragma once

#include <gtest/gtest.h>

#include <cstddef>
#include <vector>

#include "conformance/rules/rule.h"

namespace wddm {

class TraceTest : public ::testing::Test {
 protected:
  explicit TraceTest(std::uint32_t events = 32, std::uint32_t blob_bytes = 1024)
      : storage_(trace_storage_bytes(events, blob_bytes) / sizeof(Line) + 1),
        writer_(TraceWriter::create(storage_.data(), events, blob_bytes)) {}

  template <class Payload>
  void add(const Payload& payload) {
    writer_.add(payload, irql_, cpu_, 0);
  }
  template <class Payload, class Record>
  void add(const Payload& payload, const std::vector<Record>& blob) {
    writer_.add(payload, irql_, cpu_, 0, blob.data(), blob.size() * sizeof(Record));
  }
  bool holds(const char* id) { return judge(id).failures().empty(); }
  std::uint32_t times_reached(const char* id) { return judge(id).times_reached(); }

  std::uint8_t irql_ = 0;
  std::uint8_t cpu_ = 0;
  Platform platform_;

 private:
  Judgement judge(const char* id) {
    Judgement judgement;
    find_rule(id)->check(Trace(storage_.data()), platform_, judgement);
    return judgement;
  }

  struct alignas(64) Line {
    std::byte bytes[64];
  };
  std::vector<Line> storage_;
  TraceWriter writer_;
};

}  // namespace wddm
