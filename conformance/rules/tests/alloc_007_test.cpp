// Statuses of calls on an allocation whose first device is gone.
#include <d3dkmddi.h>

#include "conformance/rules/tests/trace_test.h"

namespace wddm::alloc_007 {
namespace {

class Alloc007 : public TraceTest {
 protected:
  void opens(std::uint32_t device) {
    add(ev::AllocationOpened{.allocation = 3, .device = device, .has_handle = 1, .group = kNone});
  }
  void ends(DdiId ddi, std::uint32_t object, NTSTATUS status = STATUS_SUCCESS) {
    add(ev::DdiReturned{.ddi = static_cast<std::uint32_t>(ddi),
                        .object = object,
                        .status = static_cast<std::uint32_t>(status)});
  }
  void pages(NTSTATUS status) {
    add(ev::PagingBuilt{.allocation = 3, .status = static_cast<std::uint32_t>(status)});
  }
};

TEST_F(Alloc007, PagingGoesOn) {
  opens(1);
  opens(2);
  ends(DdiId::DestroyDevice, 1);
  pages(STATUS_SUCCESS);
  EXPECT_TRUE(holds("ALLOC-007"));
  EXPECT_EQ(times_reached("ALLOC-007"), 1u);
  pages(STATUS_INVALID_HANDLE);
  EXPECT_FALSE(holds("ALLOC-007"));
}

TEST_F(Alloc007, ItIsDestroyedByWhomeverIsLeft) {
  opens(1);
  opens(2);
  ends(DdiId::DestroyDevice, 1);
  ends(DdiId::DestroyAllocation, 3, STATUS_INVALID_PARAMETER);
  EXPECT_FALSE(holds("ALLOC-007"));
}

TEST_F(Alloc007, WhileItsFirstDeviceLivesOthersJudge) {
  opens(1);
  opens(2);
  ends(DdiId::DestroyDevice, 2);
  pages(STATUS_INVALID_HANDLE);
  EXPECT_TRUE(holds("ALLOC-007"));
  EXPECT_EQ(times_reached("ALLOC-007"), 0u);
}

}  // namespace
}  // namespace wddm::alloc_007
