// Answers of Dxgkrnl to callbacks that name a context allocation.
#include <d3dkmddi.h>

#include "conformance/rules/tests/trace_test.h"

namespace wddm::ctx_006 {
namespace {

class Ctx006 : public TraceTest {
 protected:
  void calls(CallbackId callback, NTSTATUS result) {
    add(ev::CallbackCalled{.callback = static_cast<std::uint32_t>(callback),
                           .result = static_cast<std::uint32_t>(result)});
  }
  bool holds() { return TraceTest::holds("CTX-006"); }
  std::uint32_t reached() { return times_reached("CTX-006"); }
};

TEST_F(Ctx006, AHandleOfNothing) {
  calls(CallbackId::DestroyContextAllocation, STATUS_SUCCESS);
  calls(CallbackId::DestroyContextAllocation, STATUS_INVALID_HANDLE);
  EXPECT_FALSE(holds());
}

TEST_F(Ctx006, EachOnce) {
  calls(CallbackId::DestroyContextAllocation, STATUS_SUCCESS);
  EXPECT_TRUE(holds());
  EXPECT_EQ(reached(), 1u);
}

TEST_F(Ctx006, AnUpdateOfNothing) {
  calls(CallbackId::UpdateContextAllocation, STATUS_INVALID_HANDLE);
  EXPECT_FALSE(holds());
}

TEST_F(Ctx006, AnUpdateWithDataThatAreNotThere) {
  calls(CallbackId::UpdateContextAllocation, STATUS_INVALID_PARAMETER);
  EXPECT_FALSE(holds());
}

TEST_F(Ctx006, AnUpdateMayFailForOtherReasons) {
  calls(CallbackId::UpdateContextAllocation, STATUS_SUCCESS);
  calls(CallbackId::UpdateContextAllocation, STATUS_NO_MEMORY);
  EXPECT_TRUE(holds());
  EXPECT_EQ(reached(), 2u);
}

TEST_F(Ctx006, AMapOfNothing) {
  calls(CallbackId::MapContextAllocation, STATUS_INVALID_HANDLE);
  EXPECT_FALSE(holds());
}

TEST_F(Ctx006, AMapMayFailForOtherReasons) {
  calls(CallbackId::MapContextAllocation, STATUS_SUCCESS);
  calls(CallbackId::MapContextAllocation, STATUS_INVALID_PARAMETER);
  EXPECT_TRUE(holds());
  EXPECT_EQ(reached(), 2u);
}

TEST_F(Ctx006, OtherCallbacksMayFail) {
  calls(CallbackId::CreateContextAllocation, STATUS_UNSUCCESSFUL);
  EXPECT_TRUE(holds());
  EXPECT_EQ(reached(), 0u);
}

}  // namespace
}  // namespace wddm::ctx_006
