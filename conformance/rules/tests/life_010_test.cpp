// Which refusals are no driver's fault.
#include <ntddk.h>

#include "conformance/rules/tests/trace_test.h"

namespace wddm {
namespace {

class Life010 : public TraceTest {
 protected:
  void call(DdiId ddi, NTSTATUS status, NTSTATUS callback = STATUS_SUCCESS) {
    const auto id = static_cast<std::uint32_t>(ddi);
    add(ev::DdiEntered{.ddi = id});
    add(ev::CallbackCalled{.result = static_cast<std::uint32_t>(callback)});
    add(ev::DdiReturned{.ddi = id, .status = static_cast<std::uint32_t>(status)});
  }
  void rendered(NTSTATUS status, std::uint32_t hostile = 0) {
    add(ev::Rendered{.status = static_cast<std::uint32_t>(status), .hostile = hostile});
  }
  bool holds() { return TraceTest::holds("LIFE-010"); }
};

TEST_F(Life010, TheFirstOfItsKindIsMade) {
  call(DdiId::CreateContext, STATUS_NO_MEMORY);
  EXPECT_FALSE(holds());
}
TEST_F(Life010, RoomMayBeForSoMany) {
  call(DdiId::CreateContext, STATUS_SUCCESS);
  call(DdiId::CreateContext, STATUS_NO_MEMORY);
  EXPECT_TRUE(holds());
}
TEST_F(Life010, AnotherMayNotBeCalledWrong) {
  call(DdiId::CreateContext, STATUS_SUCCESS);
  call(DdiId::CreateContext, STATUS_INVALID_PARAMETER);
  EXPECT_FALSE(holds());
}
TEST_F(Life010, AllocationsMayBeTooLarge) {
  call(DdiId::CreateAllocation, STATUS_SUCCESS);
  call(DdiId::CreateAllocation, STATUS_INVALID_PARAMETER);
  EXPECT_TRUE(holds());
}
TEST_F(Life010, ACallbackThatFailsExcusesTheCall) {
  call(DdiId::CreateProcess, STATUS_NO_MEMORY, STATUS_NO_MEMORY);
  EXPECT_TRUE(holds());
  call(DdiId::CreateProcess, STATUS_NO_MEMORY);
  EXPECT_FALSE(holds());
}
TEST_F(Life010, ScenariosThatMakeCallsFailSayNothing) {
  op(OpKind::FailPool);
  call(DdiId::CreateContext, STATUS_NO_MEMORY);
  EXPECT_TRUE(holds());
}
TEST_F(Life010, CapabilitiesAreTold) {
  add(ev::CapsReported{.status = static_cast<std::uint32_t>(STATUS_NO_MEMORY)});
  EXPECT_TRUE(holds());
  add(ev::CapsReported{.status = static_cast<std::uint32_t>(STATUS_INVALID_PARAMETER)});
  EXPECT_FALSE(holds());
}
TEST_F(Life010, FencesAreTold) {
  add(ev::FenceQueried{.fence = 3});
  EXPECT_TRUE(holds());
  add(ev::FenceQueried{.status = static_cast<std::uint32_t>(STATUS_INVALID_PARAMETER)});
  EXPECT_FALSE(holds());
}
TEST_F(Life010, RenderRefusesHostileInputOnly) {
  rendered(STATUS_INVALID_USER_BUFFER, 1);
  EXPECT_TRUE(holds());
  rendered(STATUS_GRAPHICS_INSUFFICIENT_DMA_BUFFER);
  EXPECT_TRUE(holds());
  rendered(STATUS_INVALID_USER_BUFFER);
  EXPECT_FALSE(holds());
}

}  // namespace
}  // namespace wddm
