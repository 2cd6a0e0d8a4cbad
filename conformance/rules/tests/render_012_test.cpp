// What commands write, against the list that comes with them.
#include "conformance/rules/tests/trace_test.h"

namespace wddm::render_012 {
namespace {

class Render012 : public TraceTest {
 protected:
  void asked(std::uint32_t render, const std::vector<std::uint32_t>& written) {
    add(ev::CommandsWrite{.render = render, .count = static_cast<std::uint32_t>(written.size())},
        written);
  }
  void called(std::uint32_t render, const std::vector<AllocationRecord>& entries) {
    add(ev::RenderCalled{.render = render,
                         .allocations = static_cast<std::uint32_t>(entries.size())},
        entries);
  }
  static AllocationRecord reads(std::uint32_t allocation) {
    return {.size = 4096, .allocation = allocation};
  }
  static AllocationRecord writes(std::uint32_t allocation) {
    return {.size = 4096, .allocation = allocation, .write = 1};
  }
  bool holds() { return TraceTest::holds("RENDER-012"); }
  std::uint32_t reached() { return times_reached("RENDER-012"); }
};

TEST_F(Render012, WhatIsWrittenIsMarked) {
  asked(0, {4});
  called(0, {reads(3), writes(4)});
  EXPECT_TRUE(holds());
  EXPECT_EQ(reached(), 1u);
}

TEST_F(Render012, WhatIsWrittenIsListedAsRead) {
  asked(0, {3, 4});
  called(0, {writes(3), reads(4)});
  EXPECT_EQ(failures("RENDER-012"), 1u);
}

TEST_F(Render012, NoEntryNamesWhatIsWritten) {
  asked(0, {4});
  called(0, {reads(3), {.allocation = kNone, .write = 1}});
  EXPECT_FALSE(holds());
}

TEST_F(Render012, MoreMayBeMarked) {
  asked(0, {4});
  called(0, {writes(3), writes(4)});
  EXPECT_TRUE(holds());
}

TEST_F(Render012, OneOfTwoEntriesIsEnough) {
  asked(0, {4});
  called(0, {reads(4), writes(4)});
  EXPECT_TRUE(holds());
}

TEST_F(Render012, NothingIsWritten) {
  asked(0, {});
  called(0, {reads(4)});
  EXPECT_TRUE(holds());
  EXPECT_EQ(reached(), 0u);
}

TEST_F(Render012, EachBufferHasItsOwnCommands) {
  asked(0, {4});
  called(0, {writes(4)});
  asked(1, {3});
  called(1, {writes(3), reads(4)});
  EXPECT_TRUE(holds());
  EXPECT_EQ(reached(), 2u);
}

TEST_F(Render012, OneThatWasAlteredIsLeftOut) {
  called(0, {reads(4)});
  EXPECT_TRUE(holds());
  EXPECT_EQ(reached(), 0u);
}

TEST_F(Render012, PassesAreOneBuffer) {
  asked(0, {4});
  called(0, {reads(4)});
  called(0, {reads(4)});
  EXPECT_EQ(failures("RENDER-012"), 1u);
}

}  // namespace
}  // namespace wddm::render_012
