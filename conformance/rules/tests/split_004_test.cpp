// SlotIds at and behind the end of the table.
#include "conformance/rules/tests/list_test.h"

namespace wddm::split_004 {
namespace {

class Split004 : public ListTest {
 protected:
  Split004() { platform_.slots = 4; }
  bool holds() { return TraceTest::holds("SPLIT-004"); }
};

TEST_F(Split004, TheLastSlot) {
  render({{.value = 0}, {.value = 3}});
  EXPECT_TRUE(holds());
  EXPECT_EQ(times_reached("SPLIT-004"), 1u);
}

TEST_F(Split004, OneBehindTheLast) {
  render({{.value = 3}, {.value = 4}});
  EXPECT_FALSE(holds());
  EXPECT_EQ(seen_by("SPLIT-004"), "element 1 has SlotId 4");
}

TEST_F(Split004, AReleaseNamesARowAsWell) {
  render({{.allocation_index = 2, .value = 9}});
  EXPECT_FALSE(holds());
}

TEST_F(Split004, WithoutSlotsThereIsNoElement) {
  platform_.slots = 0;
  render({{.value = 0}});
  EXPECT_FALSE(holds());
}

TEST_F(Split004, ReservedBitsAreNoPartOfTheSlot) {
  render({{.value = 0x01000003}});
  EXPECT_TRUE(holds()) << "SPLIT-002";
}

}  // namespace
}  // namespace wddm::split_004
