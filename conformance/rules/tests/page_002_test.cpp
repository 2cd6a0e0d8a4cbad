// Which statuses an operation may end with.
#include "conformance/rules/tests/trace_test.h"

namespace wddm::page_002 {
namespace {

constexpr std::uint32_t kTransfer = 0, kFill = 1, kSpecialLockTransfer = 7;
constexpr std::uint32_t kBusy = 0xC01E0102;

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

}  // namespace
}  // namespace wddm::page_002
