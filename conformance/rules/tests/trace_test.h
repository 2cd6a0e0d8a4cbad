// A trace that a test writes itself, for the check of one rule.
#pragma once

#include <gtest/gtest.h>

#include <cstddef>
#include <vector>

#include "conformance/rules/rule.h"

namespace wddm {

class TraceTest : public ::testing::Test {
 protected:
  TraceTest()
      : storage_(trace_storage_bytes(kEvents, 0) / sizeof(Line) + 1),
        writer_(TraceWriter::create(storage_.data(), kEvents, 0)) {}

  template <class Payload>
  void add(const Payload& payload) {
    writer_.add(payload, 0, 0, 0);
  }
  bool holds(const char* id) {
    Judgement judgement;
    find_rule(id)->check(Trace(storage_.data()), Platform{}, judgement);
    return judgement.failures().empty();
  }

 private:
  static constexpr std::uint32_t kEvents = 16;
  struct alignas(64) Line {
    std::byte bytes[64];
  };
  std::vector<Line> storage_;
  TraceWriter writer_;
};

}  // namespace wddm
