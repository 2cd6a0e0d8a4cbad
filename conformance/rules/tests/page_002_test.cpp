// Which statuses an operation may end with.
#include "conformance/rules/tests/trace_test.h"

namespace wddm::page_002 {
namespace {

constexpr std::uint32_t kTransfer = 0, kFill = 1, kSpecialLockTransfer = 7;
constexpr std::uint32_t kDiscard = 2;
constexpr std::uint32_t kBusy = 0xC01E0102, kTooSmall = 0xC01E0001;

class Page002 : public TraceTest {
 protected:
  void built(std::uint32_t operation, std::uint32_t status, bool idle) {
    add(ev::PagingBuilt{.operation = operation, .status = status, .idle = idle});
  }
  bool holds() { return TraceTest::holds("PAGE-002"); }
};

TEST_F(Page002, AnAllocationInUseMayBeBusy) {
  built(kTransfer, kBusy, false);
  EXPECT_TRUE(holds());
}

TEST_F(Page002, AnIdleAllocationIsNotBusy) {
  built(kTransfer, kBusy, true);
  EXPECT_FALSE(holds());
}

TEST_F(Page002, ALockedAllocationMayBeBusyToo) {
  built(kSpecialLockTransfer, kBusy, false);
  EXPECT_TRUE(holds());
  built(kSpecialLockTransfer, kBusy, true);
  EXPECT_FALSE(holds());
}

TEST_F(Page002, AFillIsNeverBusy) {
  built(kFill, kBusy, false);
  EXPECT_FALSE(holds());
}

TEST_F(Page002, WhatIsDiscardedMayBeBusyAndNoMoreOnceItIsIdle) {
  built(kDiscard, kBusy, false);
  EXPECT_TRUE(holds());
  built(kDiscard, kBusy, true);
  EXPECT_FALSE(holds());
}

TEST_F(Page002, AnyOperationMayFindTooLittleSpace) {
  for (const std::uint32_t operation : {kTransfer, kFill, kDiscard, kSpecialLockTransfer}) {
    built(operation, 0, true);
    built(operation, kTooSmall, true);
  }
  EXPECT_TRUE(holds());
  EXPECT_EQ(times_reached("PAGE-002"), 8u);
}

TEST_F(Page002, NoneFindsNoMemory) {
  built(kTransfer, 0xC0000017, false);
  EXPECT_FALSE(holds());
}

}  // namespace
}  // namespace wddm::page_002
