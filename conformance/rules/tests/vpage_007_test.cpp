// How often NotifyResidency comes, and when.
#include "conformance/rules/tests/trace_test.h"

#include <d3dkmddi.h>

namespace wddm::vpage_007 {
namespace {

class Vpage007 : public TraceTest {
 protected:
  void created(std::uint32_t flags = 0x18000) {
    add(ev::AllocationCreated{.allocation = 1, .flags = flags});
  }
  void pages(std::uint32_t operation) {
    add(ev::PagingBuilt{.operation = operation, .allocation = 1});
  }
  void told(bool resident) {
    add(ev::ResidencyNotified{
        .allocation = 1, .resident = resident, .segment = resident ? 1u : 0u});
  }
};

TEST_F(Vpage007, OneForEachCommitAndOneForEachEviction) {
  created();
  pages(DXGK_OPERATION_VIRTUAL_FILL);
  told(true);
  told(false);
  pages(DXGK_OPERATION_VIRTUAL_TRANSFER);
  pages(DXGK_OPERATION_VIRTUAL_TRANSFER);
  told(true);
  EXPECT_TRUE(holds("VPAGE-007"));
  EXPECT_EQ(times_reached("VPAGE-007"), 3u);
}

TEST_F(Vpage007, ASecondOneIsTooMany) {
  created();
  pages(DXGK_OPERATION_VIRTUAL_FILL);
  told(true);
  pages(DXGK_OPERATION_VIRTUAL_FILL);
  told(true);
  EXPECT_FALSE(holds("VPAGE-007"));
}

TEST_F(Vpage007, ContentComesBeforeIt) {
  created();
  told(true);
  EXPECT_FALSE(holds("VPAGE-007"));
}

TEST_F(Vpage007, ContentIsSavedBehindIt) {
  created();
  pages(DXGK_OPERATION_VIRTUAL_FILL);
  told(true);
  pages(DXGK_OPERATION_VIRTUAL_TRANSFER);
  EXPECT_FALSE(holds("VPAGE-007"));
}

TEST_F(Vpage007, WhoDoesNotAskIsNotTold) {
  created(0x8000);
  pages(DXGK_OPERATION_VIRTUAL_FILL);
  told(true);
  EXPECT_FALSE(holds("VPAGE-007"));
}

}  // namespace
}  // namespace wddm::vpage_007
