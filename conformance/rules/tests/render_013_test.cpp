// Bytes that Render leaves to Patch, and bytes that it takes back.
#include "conformance/rules/tests/trace_test.h"

namespace wddm::render_013 {
namespace {

constexpr std::uint32_t kInsufficient = 0xC01E0001;

class Render013 : public TraceTest {
 protected:
  void rendered(std::int32_t used, std::uint32_t written, std::uint32_t status = 0) {
    add(ev::Rendered{
        .status = status, .dma_used = used, .dma_given = 4096, .dma_written = written});
  }
  void patched(const std::vector<RangeRecord>& ranges, std::uint32_t end = 128) {
    add(ev::Patched{.end = end}, ranges);
  }
  bool holds() { return TraceTest::holds("RENDER-013"); }
  std::uint32_t reached() { return times_reached("RENDER-013"); }
};

TEST_F(Render013, WhatIsWritten) {
  rendered(64, 64);
  EXPECT_TRUE(holds());
}

TEST_F(Render013, ACursorBeforeWhatIsWritten) {
  rendered(48, 64);
  EXPECT_FALSE(holds());
}

TEST_F(Render013, ACommandThatIsTakenBackForWantOfRoom) {
  rendered(48, 64, kInsufficient);
  EXPECT_TRUE(holds());
}

TEST_F(Render013, AReserveThatPatchFills) {
  rendered(128, 64);
  patched({{.offset = 120, .length = 8}});
  EXPECT_TRUE(holds());
  EXPECT_EQ(reached(), 1u);
}

TEST_F(Render013, AReserveThatNobodyFills) {
  rendered(128, 64);
  patched({{.offset = 8, .length = 8}});
  EXPECT_FALSE(holds());
}

TEST_F(Render013, AReserveThatPatchHasNotHad) {
  rendered(128, 64);
  patched({{.offset = 8, .length = 8}}, 32);
  EXPECT_TRUE(holds());
  EXPECT_EQ(reached(), 0u);
}

}  // namespace
}  // namespace wddm::render_013
