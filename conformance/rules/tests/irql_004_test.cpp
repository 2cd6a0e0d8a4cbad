// Calls of two threads, as no driver of ours makes them overlap.
#include <d3dkmddi.h>

#include "conformance/rules/tests/trace_test.h"

namespace wddm::irql_004 {
namespace {

class Irql004 : public TraceTest {
 protected:
  Irql004() { platform_.has_client = true; }

  void enters(std::uint16_t thread, DdiId ddi, std::uint32_t object = 0) {
    thread_ = thread;
    add(ev::DdiEntered{.ddi = static_cast<std::uint32_t>(ddi), .object = object});
  }
  void returns(std::uint16_t thread, DdiId ddi, NTSTATUS status = STATUS_SUCCESS,
               std::uint32_t object = 0) {
    thread_ = thread;
    add(ev::DdiReturned{.ddi = static_cast<std::uint32_t>(ddi),
                        .object = object,
                        .status = static_cast<std::uint32_t>(status)});
  }
};

TEST_F(Irql004, BothSucceed) {
  enters(0, DdiId::CreateContext);
  enters(1, DdiId::CreateAllocation);
  returns(0, DdiId::CreateContext);
  returns(1, DdiId::CreateAllocation);
  EXPECT_TRUE(holds("IRQL-004"));
  EXPECT_EQ(times_reached("IRQL-004"), 2u);
}

TEST_F(Irql004, TheSecondIsTurnedAway) {
  enters(0, DdiId::CreateContext);
  enters(1, DdiId::CreateAllocation);
  returns(1, DdiId::CreateAllocation, STATUS_DEVICE_BUSY);
  returns(0, DdiId::CreateContext);
  EXPECT_EQ(failures("IRQL-004"), 1u);
}

TEST_F(Irql004, WhatDxgkrnlRefusesInsideIsNoNeighbour) {
  enters(1, DdiId::SubmitCommand);
  enters(0, DdiId::CreateContext);
  add(ev::CallbackCalled{.result = static_cast<std::uint32_t>(STATUS_NOT_SUPPORTED)});
  returns(0, DdiId::CreateContext, STATUS_NOT_SUPPORTED);
  EXPECT_TRUE(holds("IRQL-004"));
}

TEST_F(Irql004, TheSchedulerIsInside) {
  enters(1, DdiId::SubmitCommand);
  enters(0, DdiId::CreateContext);
  returns(0, DdiId::CreateContext, STATUS_DEVICE_BUSY);
  EXPECT_FALSE(holds("IRQL-004"));
}

TEST_F(Irql004, CapabilitiesAreToldBesideOthers) {
  enters(0, DdiId::CreateContext);
  enters(1, DdiId::QueryAdapterInfo, DXGKQAITYPE_DRIVERCAPS);
  returns(1, DdiId::QueryAdapterInfo, STATUS_SUCCESS, DXGKQAITYPE_DRIVERCAPS);
  EXPECT_TRUE(holds("IRQL-004"));
  EXPECT_EQ(times_reached("IRQL-004"), 1u);
  enters(1, DdiId::QueryAdapterInfo, DXGKQAITYPE_DRIVERCAPS);
  returns(1, DdiId::QueryAdapterInfo, STATUS_DEVICE_BUSY, DXGKQAITYPE_DRIVERCAPS);
  EXPECT_FALSE(holds("IRQL-004"));
}

TEST_F(Irql004, WhatADriverDoesNotKnowItRefusesBesideOthersToo) {
  enters(0, DdiId::CreateContext);
  enters(1, DdiId::QueryAdapterInfo, DXGKQAITYPE_QUERYSEGMENT4);
  returns(1, DdiId::QueryAdapterInfo, STATUS_INVALID_PARAMETER, DXGKQAITYPE_QUERYSEGMENT4);
  EXPECT_TRUE(holds("IRQL-004"));
  EXPECT_EQ(times_reached("IRQL-004"), 0u);
}

TEST_F(Irql004, WithoutAClientThereIsNoPrivateDataToAcceptAContextBy) {
  platform_.has_client = false;
  enters(1, DdiId::SubmitCommand);
  enters(0, DdiId::CreateContext);
  returns(0, DdiId::CreateContext, STATUS_GRAPHICS_DRIVER_MISMATCH);
  EXPECT_TRUE(holds("IRQL-004"));
  enters(0, DdiId::CreateDevice);
  returns(0, DdiId::CreateDevice, STATUS_DEVICE_BUSY);
  EXPECT_FALSE(holds("IRQL-004")) << "devices need none";
}

TEST_F(Irql004, MemoryMayRunOut) {
  enters(0, DdiId::CreateContext);
  enters(1, DdiId::CreateAllocation);
  returns(1, DdiId::CreateAllocation, STATUS_NO_MEMORY);
  EXPECT_TRUE(holds("IRQL-004"));
}

TEST_F(Irql004, OneAfterTheOtherIsNothingToJudge) {
  enters(0, DdiId::CreateContext);
  returns(0, DdiId::CreateContext);
  enters(1, DdiId::CreateAllocation);
  returns(1, DdiId::CreateAllocation, STATUS_DEVICE_BUSY);
  EXPECT_TRUE(holds("IRQL-004"));
  EXPECT_EQ(times_reached("IRQL-004"), 0u);
}

}  // namespace
}  // namespace wddm::irql_004
