#include "conformance/sdk/ddi/nt/debug.h"
#include "conformance/host/nt/tests/memory_test_support.h"

namespace wddm::nt {
namespace {

using Debug = MemoryServices;
using Lines = std::vector<std::string>;

TEST_F(Debug, LinesAreWhole) {
  DbgPrint("one %d", 1);
  EXPECT_TRUE(lines().empty());
  DbgPrint(" more\ntwo\nthr");
  DbgPrintEx(DPFLTR_IHVVIDEO_ID, DPFLTR_INFO_LEVEL, "%s", "ee\r\n");
  EXPECT_EQ(lines(), (Lines{"one 1 more", "two", "three"}));
}

TEST_F(Debug, LastLineComesAtTheEnd) {
  DbgPrint("unfinished");
  report_memory_leaks();
  EXPECT_EQ(lines(), Lines{"unfinished"});
}

TEST_F(Debug, OneCallPrintsAtMost512Characters) {
  DbgPrint("%600d\n", 1);
  DbgPrint("\n");
  ASSERT_EQ(lines().size(), 1u);
  EXPECT_EQ(lines()[0].size(), 512u);
}

TEST_F(Debug, LinesAreText) {
  DbgPrint("a\x01\xe4%ws\n", u"\u20ac\xd800");
  EXPECT_EQ(lines(), Lines{"a?\xc3\xa4\xe2\x82\xac?"});
}

TEST_F(Debug, PromptIsPrintedAndNotAnswered) {
  char response[4] = "xyz";
  EXPECT_EQ(DbgPrompt("break or ignore?", response, sizeof response), 0u);
  EXPECT_EQ(response[0], 0);
  EXPECT_EQ(lines(), Lines{"break or ignore?"});
}

TEST_F(Debug, BreakPointIsFoundAndReturns) {
  DbgBreakPoint();
  EXPECT_EQ(only_finding(), "Breakpoint: break point");
}

TEST_F(Debug, NoDebuggerIsThere) {
  EXPECT_TRUE(KdRefreshDebuggerNotPresent());
  EXPECT_TRUE(KD_DEBUGGER_NOT_PRESENT);
  EXPECT_FALSE(KD_DEBUGGER_ENABLED);
}

TEST_F(Debug, AssertionIsFoundWithItsPlace) {
  WddmAssertionFailed("a == b", "C:\\src\\driver.cpp", 12, "says why");
  EXPECT_EQ(only_finding(), "Assertion: a == b (driver.cpp:12) says why");
}

TEST_F(Debug, AssertionsAndBreakPointsOfCallsThatNoSystemMakesAreNoFindings) {
  {
    const AssertionsAside aside;
    WddmAssertionFailed("type == VSYNC", "driver.cpp", 12, nullptr);
    DbgBreakPoint();
    DbgBreakPointWithStatus(1);
  }
  EXPECT_EQ(findings(), 0u);
  WddmAssertionFailed("type == VSYNC", "driver.cpp", 12, nullptr);
  EXPECT_EQ(only_finding(), "Assertion: type == VSYNC (driver.cpp:12)");
}

TEST_F(Debug, PagedCodeIsFoundFromDispatchLevelOn) {
  for (const std::uint8_t level : {kPassive, kApc}) {
    const AtIrql at(level);
    WddmPagedCode("DdiStopDevice");
  }
  EXPECT_EQ(findings(), 0u);
  const AtIrql at(kDispatch);
  WddmPagedCode("DdiStopDevice");
  EXPECT_EQ(only_finding(), "PagedCodeAtDispatch: DdiStopDevice at IRQL 2");
}

TEST_F(Debug, PagedCodeMayBePutAside) {
  const AtIrql at(kHigh);
  {
    const PagedCodeAside aside;
    WddmPagedCode("DdiCollectDbgInfo");
  }
  EXPECT_EQ(findings(), 0u);
  WddmPagedCode("DdiCollectDbgInfo");
  EXPECT_EQ(findings(), 1u);
}

}  // namespace
}  // namespace wddm::nt
