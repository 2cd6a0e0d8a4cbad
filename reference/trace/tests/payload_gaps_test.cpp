// Nothing of a payload but its fields gets into a trace, so that it is the same byte for byte
// whatever lay where the payload was made.
#include "reference/trace/payload_gaps.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <cstring>
#include <vector>

#include "reference/trace/tests/trace_buffer.h"

namespace wddm {
namespace {

// The payload in the trace, where every byte of it was 0xFF before.
template <class Payload>
std::vector<std::uint8_t> traced() {
  Payload payload;
  std::memset(static_cast<void*>(&payload), 0xff, sizeof payload);
  test::TraceBuffer buffer;
  buffer.add(payload);
  const Payload read = buffer.read().at<Payload>(0);
  std::vector<std::uint8_t> bytes(sizeof read);
  std::memcpy(bytes.data(), &read, sizeof read);
  return bytes;
}

std::vector<std::uint8_t> set_but_for(std::size_t bytes, std::size_t offset, std::size_t size) {
  std::vector<std::uint8_t> expected(bytes, 0xff);
  std::fill_n(expected.begin() + static_cast<std::ptrdiff_t>(offset), size, std::uint8_t{0});
  return expected;
}

TEST(PayloadGaps, WhatLiesBehindTheFieldsIsZero) {
  EXPECT_EQ(traced<ev::BugChecked>(), set_but_for(40, 36, 4));
}

TEST(PayloadGaps, WhatStandsBeforeTheBlobToo) {
  static_assert(sizeof(ev::CapsReported) > kPayloadInEvent);
  const PayloadPart gap = kPayloadGaps[static_cast<std::size_t>(EventKind::CapsReported)];
  EXPECT_GE(gap.offset, kPayloadInEvent);
  EXPECT_EQ(traced<ev::CapsReported>(),
            set_but_for(sizeof(ev::CapsReported), gap.offset, gap.size));
}

TEST(PayloadGaps, AFullPayloadHasNone) {
  EXPECT_EQ(traced<ev::OpStarted>(), std::vector<std::uint8_t>(sizeof(ev::OpStarted), 0xff));
}

}  // namespace
}  // namespace wddm
