// Handles that nothing is behind, and what the calls return that look them up.
#include <d3dkmddi.h>

#include "conformance/rules/tests/trace_test.h"
#include "reference/trace/ddi.h"

namespace wddm::alloc_019 {
namespace {

class Alloc019 : public TraceTest {
 protected:
  void enters(DdiId ddi) { add(ev::DdiEntered{.ddi = static_cast<std::uint32_t>(ddi)}); }
  void looks_up(CallbackId callback, NTSTATUS found) {
    add(ev::CallbackCalled{.callback = static_cast<std::uint32_t>(callback),
                           .result = static_cast<std::uint32_t>(found)});
  }
  bool may_return(DdiId ddi, NTSTATUS status) {
    add(ev::DdiReturned{.ddi = static_cast<std::uint32_t>(ddi),
                        .status = static_cast<std::uint32_t>(status)});
    return holds("ALLOC-019");
  }
};

TEST_F(Alloc019, NothingIsThereAndNothingIsOpened) {
  enters(DdiId::OpenAllocation);
  looks_up(CallbackId::GetHandleData, STATUS_UNSUCCESSFUL);
  EXPECT_TRUE(may_return(DdiId::OpenAllocation, STATUS_INVALID_HANDLE));
  EXPECT_EQ(times_reached("ALLOC-019"), 1u);
}

TEST_F(Alloc019, WhicheverErrorItIs) {
  enters(DdiId::OpenAllocation);
  looks_up(CallbackId::AcquireHandleData, STATUS_UNSUCCESSFUL);
  EXPECT_TRUE(may_return(DdiId::OpenAllocation, STATUS_INVALID_PARAMETER));
}

TEST_F(Alloc019, OpenedAllTheSame) {
  enters(DdiId::OpenAllocation);
  looks_up(CallbackId::AcquireHandleData, STATUS_SUCCESS);
  looks_up(CallbackId::AcquireHandleData, STATUS_UNSUCCESSFUL);
  EXPECT_FALSE(may_return(DdiId::OpenAllocation, STATUS_SUCCESS));
}

TEST_F(Alloc019, OtherCallsMayDoWithout) {
  enters(DdiId::Escape);
  looks_up(CallbackId::GetHandleData, STATUS_UNSUCCESSFUL);
  EXPECT_TRUE(may_return(DdiId::Escape, STATUS_SUCCESS));
  EXPECT_EQ(times_reached("ALLOC-019"), 0u);
}

TEST_F(Alloc019, ADriverLooksWhetherItHasOpenedItBefore) {
  enters(DdiId::OpenAllocation);
  looks_up(CallbackId::GetHandleData, STATUS_INVALID_HANDLE);
  EXPECT_TRUE(may_return(DdiId::OpenAllocation, STATUS_SUCCESS));
  EXPECT_EQ(times_reached("ALLOC-019"), 0u);
}

TEST_F(Alloc019, AllAreThere) {
  enters(DdiId::OpenAllocation);
  looks_up(CallbackId::GetHandleData, STATUS_SUCCESS);
  EXPECT_TRUE(may_return(DdiId::OpenAllocation, STATUS_SUCCESS));
  EXPECT_EQ(times_reached("ALLOC-019"), 0u);
}

}  // namespace
}  // namespace wddm::alloc_019
