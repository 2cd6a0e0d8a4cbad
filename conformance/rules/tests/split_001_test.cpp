// Lists out of order, of calls that made a list and of calls that failed.
#include "conformance/rules/tests/list_test.h"

namespace wddm::split_001 {
namespace {

using Split001 = ListTest;

TEST_F(Split001, AListThatGoesBackIsNotOrdered) {
  render({{.split_offset = 32}, {.split_offset = 0}});
  EXPECT_FALSE(holds("SPLIT-001"));
}

TEST_F(Split001, EqualOffsetsAreOneGroup) {
  render({{.split_offset = 0}, {.split_offset = 32}, {.split_offset = 32}});
  EXPECT_TRUE(holds("SPLIT-001"));
  EXPECT_EQ(times_reached("SPLIT-001"), 1u);
}

TEST_F(Split001, OneElementHasNoOrder) {
  render({{.split_offset = 32}});
  EXPECT_EQ(times_reached("SPLIT-001"), 0u);
}

TEST_F(Split001, ACallThatFailedMadeNoList) {
  render({{.split_offset = 32}, {.split_offset = 0}}, 0xC000000D);
  EXPECT_TRUE(holds("SPLIT-001"));
}

}  // namespace
}  // namespace wddm::split_001
