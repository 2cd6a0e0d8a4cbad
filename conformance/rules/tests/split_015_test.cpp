// Portions, and what of their buffer they leave out.
#include "conformance/rules/tests/list_test.h"

namespace wddm::split_015 {
namespace {

constexpr auto kEnd = static_cast<std::uint32_t>(CutReason::End);
constexpr auto kForced = static_cast<std::uint32_t>(CutReason::Forced);

// 64 bytes with an element of offset 0 and one of offset 32.
class Split015 : public ListTest {
 protected:
  Split015() { render({{.split_offset = 0}, {.split_offset = 32}}); }
  void planned(std::uint32_t start, std::uint32_t end, std::uint32_t first, std::uint32_t count,
               std::uint32_t why) {
    add(ev::PortionPlanned{.start = start, .end = end, .first = first, .count = count, .why = why});
  }
  void submitted(std::uint32_t start, std::uint32_t end, std::uint32_t again = 0) {
    add(ev::Submitted{.start = start, .end = end, .again = again});
  }
  void tiles() {
    planned(0, 32, 0, 1, kForced);
    planned(32, 64, 1, 1, kEnd);
  }
  bool holds() { return TraceTest::holds("SPLIT-015"); }
};

TEST_F(Split015, Tiles) {
  tiles();
  submitted(0, 32);
  submitted(32, 64);
  EXPECT_TRUE(holds());
  EXPECT_EQ(times_reached("SPLIT-015"), 4u);
}

TEST_F(Split015, AGap) {
  planned(0, 24, 0, 1, kForced);
  planned(32, 64, 1, 1, kEnd);
  EXPECT_FALSE(holds());
}

TEST_F(Split015, AnElementTwice) {
  planned(0, 32, 0, 1, kForced);
  planned(32, 64, 0, 2, kEnd);
  EXPECT_FALSE(holds());
}

TEST_F(Split015, TheEndIsMissing) {
  planned(0, 32, 0, 1, kForced);
  planned(32, 48, 1, 1, kEnd);
  EXPECT_FALSE(holds());
}

TEST_F(Split015, SubmittedOutOfOrder) {
  tiles();
  submitted(32, 64);
  EXPECT_FALSE(holds());
}

TEST_F(Split015, SubmittedTooOften) {
  tiles();
  submitted(0, 32);
  submitted(32, 64);
  submitted(32, 64);
  EXPECT_FALSE(holds());
}

TEST_F(Split015, APreemptedPortionComesAgain) {
  tiles();
  submitted(0, 32);
  submitted(8, 32, 1);
  submitted(32, 64);
  EXPECT_TRUE(holds());
}

// What was rejected behind its first portion has no more.
TEST_F(Split015, ABufferMayBeLeftBeforeItsEnd) {
  planned(0, 32, 0, 1, kForced);
  submitted(0, 32);
  EXPECT_TRUE(holds());
}

}  // namespace
}  // namespace wddm::split_015
