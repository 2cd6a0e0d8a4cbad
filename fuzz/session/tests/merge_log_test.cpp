#include <gtest/gtest.h>

#include "fuzz/session/merge.h"

namespace wddm::fuzz {
namespace {

TEST(MergeLog, NamesTheInputsThatWereBegunAndNotEnded) {
  const MergeLog log = read_merge_log(
      "3\n0\n/w/in/7\n/w/in/10\n/w/in/2\n"
      "STARTED 0 16\nFT 0 1 2\nCOV 0\nSTARTED 1 32\nSTARTED 2 48\nFT 2\nCOV 2\n");

  EXPECT_EQ(log.begun, 3u);
  EXPECT_EQ(log.fatal, std::vector<std::size_t>{10});
}

TEST(MergeLog, CountsWhatWasBegun) {
  EXPECT_EQ(read_merge_log("2\n0\n/w/in/0\n/w/in/1\nSTARTED 0 16\n").begun, 1u);
}

TEST(MergeLog, IsEmptyForAnEngineThatDidNothing) {
  EXPECT_EQ(read_merge_log("").begun, 0u);
}

}  // namespace
}  // namespace wddm::fuzz
