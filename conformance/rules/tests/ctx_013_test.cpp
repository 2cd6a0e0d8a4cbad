// What stays behind a context that is refused.
#include <d3dkmddi.h>

#include "conformance/rules/tests/trace_test.h"

namespace wddm::ctx_013 {
namespace {

class Ctx013 : public TraceTest {
 protected:
  void enters() { add(ev::DdiEntered{.ddi = static_cast<std::uint32_t>(DdiId::CreateContext)}); }
  void returns(NTSTATUS status = STATUS_SUCCESS) {
    add(ev::DdiReturned{.ddi = static_cast<std::uint32_t>(DdiId::CreateContext),
                        .status = static_cast<std::uint32_t>(status)});
  }
  void tried(const ev::HostileDataTried& what, NTSTATUS status, DataOf data = DataOf::Context) {
    ev::HostileDataTried seen = what;
    seen.data = static_cast<std::uint32_t>(data);
    seen.status = static_cast<std::uint32_t>(status);
    add(seen);
  }
  void makes(std::uint32_t context = 1, NTSTATUS status = STATUS_SUCCESS) {
    add(ev::ContextAllocationMade{.context = context,
                                  .status = static_cast<std::uint32_t>(status)});
  }
  void destroys(NTSTATUS status = STATUS_SUCCESS) {
    add(ev::CallbackCalled{
        .callback = static_cast<std::uint32_t>(CallbackId::DestroyContextAllocation),
        .result = static_cast<std::uint32_t>(status)});
  }
  bool holds() { return TraceTest::holds("CTX-013"); }
};

TEST_F(Ctx013, Refused) {
  tried({}, STATUS_INVALID_PARAMETER);
  EXPECT_TRUE(holds());
  EXPECT_EQ(times_reached("CTX-013"), 1u);
}

TEST_F(Ctx013, PoolStays) {
  tried({.left_blocks = 1}, STATUS_INVALID_PARAMETER);
  EXPECT_FALSE(holds());
}

TEST_F(Ctx013, ContiguousMemoryStays) {
  tried({.left_contiguous = 1}, STATUS_INVALID_PARAMETER);
  EXPECT_FALSE(holds());
}

TEST_F(Ctx013, LessThanBeforeIsNoLeak) {
  tried({.left_blocks = -1, .left_contiguous = -1}, STATUS_INVALID_PARAMETER);
  EXPECT_TRUE(holds());
}

TEST_F(Ctx013, AcceptedMayKeepSomething) {
  tried({.left_blocks = 1, .left_contiguous = 1}, STATUS_SUCCESS);
  EXPECT_TRUE(holds());
}

TEST_F(Ctx013, WritesBehindThem) {
  tried({.damaged = 3}, STATUS_SUCCESS);
  EXPECT_FALSE(holds());
}

TEST_F(Ctx013, WhatStaysMayBeANeighbours) {
  op(OpKind::Neighbour);
  op(OpKind::HostileData);
  tried({.left_blocks = 1}, STATUS_INVALID_PARAMETER);
  EXPECT_TRUE(holds());
}

TEST_F(Ctx013, DataOfAllocationsAreAnothersMatter) {
  tried({.left_blocks = 1}, STATUS_INVALID_PARAMETER, DataOf::Allocation);
  EXPECT_TRUE(holds());
  EXPECT_EQ(times_reached("CTX-013"), 0u);
}

TEST_F(Ctx013, DoesNotReturn) {
  op(OpKind::HostileData);
  enters();
  returns();
  enters();
  EXPECT_FALSE(holds());
}

TEST_F(Ctx013, WithUntouchedDataItIsAnothersMatter) {
  op(OpKind::HostileData);
  enters();
  EXPECT_TRUE(holds());
  EXPECT_EQ(times_reached("CTX-013"), 0u);
}

TEST_F(Ctx013, AContextAllocationStays) {
  enters();
  makes();
  returns(STATUS_NO_MEMORY);
  EXPECT_FALSE(holds());
}

TEST_F(Ctx013, OneOfTwoStays) {
  enters();
  makes();
  makes();
  destroys();
  returns(STATUS_NO_MEMORY);
  EXPECT_FALSE(holds());
}

TEST_F(Ctx013, ByAHandleOfNothingNothingIsDestroyed) {
  enters();
  makes();
  destroys(STATUS_INVALID_HANDLE);
  returns(STATUS_NO_MEMORY);
  EXPECT_FALSE(holds());
}

TEST_F(Ctx013, AContextAllocationIsGivenBack) {
  enters();
  makes();
  destroys();
  returns(STATUS_NO_MEMORY);
  EXPECT_TRUE(holds());
  EXPECT_EQ(times_reached("CTX-013"), 1u);
}

TEST_F(Ctx013, OneOfTheDeviceMayStay) {
  enters();
  makes(kNone);
  returns(STATUS_NO_MEMORY);
  EXPECT_TRUE(holds());
  EXPECT_EQ(times_reached("CTX-013"), 0u);
}

TEST_F(Ctx013, OneThatDxgkrnlRefusedIsNone) {
  enters();
  makes(1, STATUS_NO_MEMORY);
  returns(STATUS_NO_MEMORY);
  EXPECT_TRUE(holds());
}

TEST_F(Ctx013, AContextThatIsMadeKeepsItsOwn) {
  enters();
  makes();
  returns();
  EXPECT_TRUE(holds());
}

TEST_F(Ctx013, OfAnotherThreadIsAnotherCall) {
  enters();
  thread_ = 1;
  enters();
  makes();
  returns();
  thread_ = 0;
  returns(STATUS_NO_MEMORY);
  EXPECT_TRUE(holds());
}

}  // namespace
}  // namespace wddm::ctx_013
