// Pages that do not follow each other, and what a driver made of them.
#include "conformance/rules/tests/tables_test.h"

namespace wddm::pt_014 {
namespace {

class Pt014 : public TablesTest {
 protected:
  // Two entries from 4 on.
  void pages(std::uint64_t first, std::uint64_t second, std::uint64_t seen,
             std::uint32_t flags = 0) {
    const EntryRecord wanted{.address = second, .flags = kValid};
    const EntryRecord found{.address = seen, .flags = kValid};
    std::vector<EntryDifference> differences;
    if (seen != second) differences.push_back({.expected = wanted, .seen = found, .index = 5});
    carried_out({{.address = first, .flags = kValid}, wanted}, differences,
                {.first = 4, .flags = flags});
  }
  bool holds() { return TraceTest::holds("PT-014"); }
  std::uint32_t reached() { return times_reached("PT-014"); }
};

TEST_F(Pt014, EachItsOwn) {
  pages(0x8000, 0x3000, 0x3000);
  EXPECT_TRUE(holds());
  EXPECT_EQ(reached(), 1u);
}

TEST_F(Pt014, FromTheFirstOn) {
  pages(0x8000, 0x3000, 0x9000);
  EXPECT_FALSE(holds());
}

TEST_F(Pt014, AnotherPageIsAnothersMatter) {
  pages(0x8000, 0x3000, 0x5000);
  EXPECT_TRUE(holds());
}

// Of those that follow each other there another bit may be wrong.
TEST_F(Pt014, APageThatIsRightIsNotTakenForANeighbour) {
  const EntryRecord wanted{.address = 0x9000, .flags = kValid | kReadOnly};
  const EntryRecord found{.address = 0x9000, .flags = kValid};
  carried_out({{.address = 0x8000, .flags = kValid}, wanted, {.address = 0x3000, .flags = kValid}},
              {{.expected = wanted, .seen = found, .index = 1}});
  EXPECT_TRUE(holds());
  EXPECT_EQ(reached(), 1u);
  EXPECT_FALSE(TraceTest::holds("PTE-004"));
}

TEST_F(Pt014, PagesThatFollowEachOtherTellNothing) {
  pages(0x8000, 0x9000, 0x9000);
  EXPECT_TRUE(holds());
  EXPECT_EQ(reached(), 0u);
}

TEST_F(Pt014, PagesOf64KBFollowEachOtherFurtherOn) {
  pages(0x80000, 0x90000, 0x90000, kUse64KBPages);
  EXPECT_EQ(reached(), 0u);
  pages(0x80000, 0x30000, 0x90000, kUse64KBPages);
  EXPECT_FALSE(holds());
}

}  // namespace
}  // namespace wddm::pt_014
