// Why another context or device may be refused.
#include <d3dkmddi.h>

#include "conformance/rules/tests/trace_test.h"
#include "reference/trace/ddi.h"

namespace wddm::life_006 {
namespace {

class Life006 : public TraceTest {
 protected:
  Life006() { platform_.has_client = true; }
  void context(NTSTATUS status, std::uint32_t flags = 0, std::uint32_t whole = 0) {
    add(ev::ContextCreated{
        .status = static_cast<std::uint32_t>(status), .flags = flags, .whole = whole});
  }
  void device(NTSTATUS status) {
    add(ev::DeviceCreated{.status = static_cast<std::uint32_t>(status)});
  }
};

TEST_F(Life006, ForWantOfMemory) {
  context(STATUS_SUCCESS);
  context(STATUS_NO_MEMORY);
  device(STATUS_SUCCESS);
  device(STATUS_NO_MEMORY);
  EXPECT_TRUE(holds("LIFE-006"));
}

TEST_F(Life006, NotForTheirNumber) {
  context(STATUS_SUCCESS);
  context(STATUS_INSUFFICIENT_RESOURCES);
  EXPECT_FALSE(holds("LIFE-006"));
}

TEST_F(Life006, WhatDxgkrnlRefusesInsideIsNoLimit) {
  context(STATUS_SUCCESS);
  add(ev::DdiEntered{.ddi = static_cast<std::uint32_t>(DdiId::CreateContext)});
  add(ev::CallbackCalled{.result = static_cast<std::uint32_t>(STATUS_NOT_SUPPORTED)});
  context(STATUS_NOT_SUPPORTED);
  EXPECT_TRUE(holds("LIFE-006"));
  add(ev::DdiEntered{.ddi = static_cast<std::uint32_t>(DdiId::CreateContext)});
  context(STATUS_NOT_SUPPORTED);
  EXPECT_FALSE(holds("LIFE-006"));
}

TEST_F(Life006, WhatAnotherThreadIsRefusedIsNoExcuse) {
  context(STATUS_SUCCESS);
  add(ev::DdiEntered{.ddi = static_cast<std::uint32_t>(DdiId::CreateContext)});
  thread_ = 7;
  add(ev::CallbackCalled{.result = static_cast<std::uint32_t>(STATUS_NOT_SUPPORTED)});
  thread_ = 0;
  context(STATUS_INVALID_PARAMETER);
  EXPECT_FALSE(holds("LIFE-006"));
}

TEST_F(Life006, ADeviceThatDoesNotMatchIsNoReason) {
  device(STATUS_SUCCESS);
  device(STATUS_GRAPHICS_DRIVER_MISMATCH);
  EXPECT_FALSE(holds("LIFE-006"));
}

TEST_F(Life006, OneWithoutItsDataMayBeRefused) {
  context(STATUS_SUCCESS);
  context(STATUS_INVALID_PARAMETER, 0, 16);
  EXPECT_TRUE(holds("LIFE-006"));
}

TEST_F(Life006, OfTheFirstOthersJudge) {
  context(STATUS_INVALID_PARAMETER);
  EXPECT_TRUE(holds("LIFE-006"));
}

TEST_F(Life006, WithoutAClientThoseOfTheSystemAreOfAnotherKind) {
  constexpr std::uint32_t kSystemContext = 1;
  context(STATUS_SUCCESS, kSystemContext);
  context(STATUS_INVALID_PARAMETER);
  EXPECT_FALSE(holds("LIFE-006"));
  platform_.has_client = false;
  EXPECT_TRUE(holds("LIFE-006"));
  context(STATUS_SUCCESS);
  context(STATUS_INSUFFICIENT_RESOURCES);
  EXPECT_FALSE(holds("LIFE-006"));
}

TEST_F(Life006, NothingIsJudgedWhereThingsFailOnPurpose) {
  op(OpKind::FailPool);
  context(STATUS_SUCCESS);
  context(STATUS_INSUFFICIENT_RESOURCES);
  EXPECT_TRUE(holds("LIFE-006"));
}

}  // namespace
}  // namespace wddm::life_006
