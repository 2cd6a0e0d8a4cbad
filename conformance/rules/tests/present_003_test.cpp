// Which entries of the allocation list a Present refers to.
#include <d3dkmddi.h>

#include "conformance/rules/tests/trace_test.h"

namespace wddm::present_003 {
namespace {

constexpr std::uint32_t kIncomplete = 0xC01E0001;

class Present003 : public TraceTest {
 protected:
  void asked(std::uint32_t source) { add(ev::PresentAsked{.render = 3, .source = source}); }
  void called(const std::vector<std::uint32_t>& entries, ev::Rendered call = {.dma_used = 64}) {
    std::vector<PatchRecord> list;
    for (const std::uint32_t entry : entries) list.push_back({.allocation_index = entry});
    call.render = 3;
    add(call, list);
  }
  bool holds() { return TraceTest::holds("PRESENT-003"); }
};

TEST_F(Present003, BothSurfaces) {
  asked(7);
  called({2, 1, 0});
  EXPECT_TRUE(holds());
  EXPECT_EQ(times_reached("PRESENT-003"), 1u);
}

TEST_F(Present003, AFillHasNoSource) {
  asked(kNone);
  called({2});
  EXPECT_TRUE(holds());
}

TEST_F(Present003, ACopyWithoutItsSource) {
  asked(7);
  called({2, 2});
  EXPECT_FALSE(holds());
}

TEST_F(Present003, AFillWithoutItsDestination) {
  asked(kNone);
  called({2});
  called({});
  EXPECT_FALSE(holds());
}

TEST_F(Present003, OneThatNeverListsADestinationHasNothingToBePatched) {
  asked(kNone);
  called({});
  EXPECT_TRUE(holds());
  EXPECT_EQ(times_reached("PRESENT-003"), 0u);
}

TEST_F(Present003, AnEntryThatIsNotThere) {
  asked(kNone);
  called({2, 3});
  EXPECT_FALSE(holds());
}

TEST_F(Present003, TheLastBufferMayHoldNoRectangle) {
  asked(7);
  called({2, 1}, {.status = kIncomplete, .dma_used = 64});
  called({}, {.dma_used = 8, .pass = 1});
  EXPECT_TRUE(holds());
}

TEST_F(Present003, NothingIsAskedOfOneThatIsRefused) {
  asked(7);
  called({}, {.status = static_cast<std::uint32_t>(STATUS_ILLEGAL_INSTRUCTION), .dma_used = 64});
  EXPECT_TRUE(holds());
  EXPECT_EQ(times_reached("PRESENT-003"), 0u);
}

}  // namespace
}  // namespace wddm::present_003
