// Calls at a wrong level, and calls that should have been alone.
#include <d3dkmddi.h>

#include "conformance/rules/tests/trace_test.h"

namespace wddm::irql_003 {
namespace {

constexpr std::uint32_t kRefused = 0xC000000D, kPacket = 7;

class Irql003 : public TraceTest {
 protected:
  void enters(DdiId ddi, Irql irql = Irql::Passive, std::uint32_t object = kNone) {
    irql_ = static_cast<std::uint8_t>(irql);
    add(ev::DdiEntered{.ddi = static_cast<std::uint32_t>(ddi), .object = object});
    irql_ = 0;
  }
  void returns(DdiId ddi, std::uint32_t object = kNone, std::uint32_t status = 0) {
    add(ev::DdiReturned{
        .ddi = static_cast<std::uint32_t>(ddi), .object = object, .status = status});
  }
  void calls(DdiId ddi, Irql irql = Irql::Passive) {
    enters(ddi, irql);
    returns(ddi);
  }
  void submits(std::uint32_t status = 0) {
    enters(DdiId::SubmitCommand, Irql::Dispatch, kPacket);
    returns(DdiId::SubmitCommand, kPacket, status);
  }
  void escapes(std::uint32_t flags) {
    add(ev::DdiEntered{.ddi = static_cast<std::uint32_t>(DdiId::Escape), .object = kNone},
        std::vector<ddi_arguments::Escape>{{.flags = flags}});
    returns(DdiId::Escape);
  }
  void collects(std::uint32_t reason, Irql irql) {
    irql_ = static_cast<std::uint8_t>(irql);
    add(ev::DdiEntered{.ddi = static_cast<std::uint32_t>(DdiId::CollectDbgInfo), .object = kNone},
        std::vector<ddi_arguments::CollectDbgInfo>{{.reason = reason}});
    irql_ = 0;
    returns(DdiId::CollectDbgInfo);
  }
  bool holds() { return TraceTest::holds("IRQL-003"); }
  std::size_t failures() { return TraceTest::failures("IRQL-003"); }
};

TEST_F(Irql003, EachAtItsLevel) {
  calls(DdiId::Patch);
  calls(DdiId::SubmitCommand, Irql::Dispatch);
  calls(DdiId::PreemptCommand, Irql::Dispatch);
  irql_ = static_cast<std::uint8_t>(Irql::Device);
  add(ev::IsrEntered{});
  irql_ = static_cast<std::uint8_t>(Irql::Dispatch);
  add(ev::DpcEntered{});
  EXPECT_TRUE(holds());
  EXPECT_EQ(times_reached("IRQL-003"), 5u);
}

TEST_F(Irql003, AboveOrBelowIt) {
  calls(DdiId::CancelCommand, Irql::Dispatch);
  EXPECT_EQ(failures(), 1u);
  calls(DdiId::SubmitCommand);
  EXPECT_EQ(failures(), 2u);
  add(ev::IsrEntered{});
  EXPECT_EQ(failures(), 3u);
  add(ev::DpcEntered{});
  EXPECT_EQ(failures(), 4u);
}

TEST_F(Irql003, ResetDeviceComesAtAny) {
  calls(DdiId::ResetDevice);
  calls(DdiId::ResetDevice, Irql::Any);
  EXPECT_TRUE(holds());
  EXPECT_EQ(times_reached("IRQL-003"), 0u);
}

TEST_F(Irql003, WhatATimeoutAsksForIsCollectedAtPassiveLevel) {
  collects(0x119, Irql::High);
  collects(0x141, Irql::Passive);
  EXPECT_TRUE(holds());
  collects(0x117, Irql::High);
  EXPECT_FALSE(holds());
}

TEST_F(Irql003, PreemptionAtALowLevelIsTheDriversWish) {
  calls(DdiId::PreemptCommand);
  EXPECT_FALSE(holds());
  DXGK_VIDSCHCAPS caps{};
  caps.LowIrqlPreemptCommand = 1;
  platform_.scheduling.value = caps.Value;
  platform_.interface_version = DXGKDDI_INTERFACE_VERSION_WDDM2_0;
  EXPECT_TRUE(holds());
  calls(DdiId::PreemptCommand, Irql::Dispatch);
  EXPECT_FALSE(holds());
}

TEST_F(Irql003, AnotherThreadIsInTheDriver) {
  enters(DdiId::CreateAllocation);
  thread_ = 1;
  calls(DdiId::BuildPagingBuffer);
  EXPECT_TRUE(holds()) << "it may";
  calls(DdiId::SetPowerState);
  EXPECT_EQ(failures(), 1u);
}

TEST_F(Irql003, AnotherThreadComesIn) {
  enters(DdiId::StopDevice);
  calls(DdiId::DestroyAllocation);
  EXPECT_TRUE(holds()) << "the same thread";
  thread_ = 1;
  calls(DdiId::QueryAdapterInfo);
  EXPECT_EQ(failures(), 1u);
}

TEST_F(Irql003, APacketIsInFlight) {
  submits();
  calls(DdiId::CreateDevice);
  EXPECT_TRUE(holds()) << "of level zero";
  calls(DdiId::StopDevice);
  EXPECT_EQ(failures(), 1u);
  add(ev::PacketEnded{.packet = kPacket});
  calls(DdiId::StopDevice);
  EXPECT_EQ(failures(), 1u);
}

TEST_F(Irql003, WhatTheDriverRefusedIsNotInFlight) {
  submits(kRefused);
  calls(DdiId::StopDevice);
  EXPECT_TRUE(holds());
}

TEST_F(Irql003, WhatEndsBeforeItsCallReturnsIsNotEither) {
  enters(DdiId::SubmitCommand, Irql::Dispatch, kPacket);
  add(ev::PacketEnded{.packet = kPacket});
  returns(DdiId::SubmitCommand, kPacket);
  add(ev::Submitted{.packet = kPacket});
  calls(DdiId::StopDevice);
  EXPECT_TRUE(holds());
}

TEST_F(Irql003, PacketsThatDoNotEndAreReset) {
  submits();
  calls(DdiId::ResetFromTimeout);
  calls(DdiId::RestartFromTimeout);
  add(ev::AdapterReset{});
  calls(DdiId::StopDevice);
  EXPECT_TRUE(holds());
}

TEST_F(Irql003, AnEscapeSaysWhetherItIsAlone) {
  submits();
  escapes(0);
  EXPECT_TRUE(holds());
  escapes(1);
  EXPECT_FALSE(holds());
}

}  // namespace
}  // namespace wddm::irql_003
