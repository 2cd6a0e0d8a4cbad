// Holds tmh_from_config.cmake to its contract, through a sample driver source that was compiled
// with the `.tmh` made for it.
#include <gtest/gtest.h>

namespace {
int failures = 0;
int last_level = -1;
int last_flag = -1;
}  // namespace

extern "C" {
int sample_log(void);
void sample_assert(int condition);
int sample_assertion_failed(int level, int flag) {
  ++failures;
  last_level = level;
  last_flag = flag;
  return 0;
}
}

TEST(Tmh, TraceFunctionsEvaluateNoArgument) {
  EXPECT_EQ(sample_log(), 0);
}

TEST(Tmh, ThePostMacroOfTheDriverRuns) {
  failures = 0;
  sample_assert(0);
  EXPECT_EQ(failures, 1);
  EXPECT_EQ(last_level, 1);  // TRACE_LEVEL_CRITICAL
  EXPECT_EQ(last_flag, 2);   // The second bit of the control GUID.
}

TEST(Tmh, ThePostMacroSeesTheCondition) {
  failures = 0;
  sample_assert(1);
  EXPECT_EQ(failures, 0);
}
