// Lists as long as a driver can make them.
#include <string>

#include "conformance/rules/tests/list_test.h"

namespace wddm::split_009 {
namespace {

constexpr std::uint32_t kLong = 32768;  // rows

// Every row holds a large allocation, and the second group names the rows from the last on.
class Split009 : public ListTest {
 protected:
  Split009() {
    platform_.segments.resize(1);
    platform_.segments[0].size = 0x100000;
    for (std::uint32_t row = 0; row < kLong; ++row) list_.push_back({.value = row});
    for (std::uint32_t row = kLong; row-- != 0;)
      list_.push_back({.value = row, .split_offset = 16});
  }
  std::vector<PatchRecord> list_;
};

TEST_F(Split009, ALongListMayNameEveryRowAgain) {
  render(list_);
  EXPECT_TRUE(holds("SPLIT-009"));
  EXPECT_EQ(times_reached("SPLIT-009"), kLong);
}

TEST_F(Split009, WithLessRoomThanItAskedForADriverMayPartWhatItKeepsTogetherElse) {
  contexts_ask_for(4097);
  list_.pop_back();
  render(list_);
  EXPECT_TRUE(holds("SPLIT-009"));
}

TEST_F(Split009, WithoutMemoryNothingIsLargeInASegment) {
  platform_.started = platform_.has_caps = platform_.has_client = platform_.has_decoder = true;
  platform_.patch_list_model = true;
  platform_.scheduling.value = 1 | 4;
  platform_.slots = 12;
  const auto applies = [this] { return find_rule("SPLIT-009")->applies(platform_); };
  EXPECT_EQ(applies(), nullptr);

  platform_.segments[0].flags.value = 1;

  EXPECT_NE(applies(), nullptr);
}

TEST_F(Split009, ALongListMayNotLeaveOutARow) {
  list_.pop_back();
  render(list_);
  EXPECT_FALSE(holds("SPLIT-009"));
}

}  // namespace
}  // namespace wddm::split_009
