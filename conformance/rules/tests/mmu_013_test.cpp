// Reports of page faults, each with one thing in it that is wrong.
#include <d3dkmddi.h>

#include "conformance/rules/tests/trace_test.h"

namespace wddm::mmu_013 {
namespace {

class Mmu013 : public TraceTest {
 protected:
  Mmu013() { platform_.page_table_levels = 3; }
  void logs(std::uint64_t address, std::uint32_t level = 1, std::uint32_t write = 1) {
    add(ev::AccessFaulted{
        .address = address, .fence = 5, .level = level, .write = write, .packet = 1});
  }
  static ev::PageFaultReported right() {
    return {.address = 0x5040,
            .fence = 5,
            .flags = DXGK_PAGE_FAULT_WRITE,
            .level = 1,
            .handle = static_cast<std::uint32_t>(FaultHandle::OfPacket),
            .bind_entry = kNone,
            .primitive = kNone,
            .packet = 1};
  }
  void reports(const ev::PageFaultReported& said) { add(said); }
  std::size_t failures() { return TraceTest::failures("MMU-013"); }
};

TEST_F(Mmu013, WhatTheLogSaysPasses) {
  logs(0x5040);
  reports(right());
  EXPECT_EQ(failures(), 0u);
}

TEST_F(Mmu013, AnAddressInTheSamePagePasses) {
  logs(0x5ff0);
  reports(right());
  EXPECT_EQ(failures(), 0u);
}

TEST_F(Mmu013, AnyAccessOfThePacketWillDo) {
  logs(0x9000);
  logs(0x5040);
  reports(right());
  EXPECT_EQ(failures(), 0u);
}

TEST_F(Mmu013, AnotherPageLevelOrAccessDoesNot) {
  logs(0x6000, 0, 0);
  reports(right());
  EXPECT_EQ(failures(), 3u);
}

TEST_F(Mmu013, AFetchIsNoWrite) {
  logs(0x5040, 1, 0);
  ev::PageFaultReported said = right();
  said.flags = 0;
  reports(said);
  EXPECT_EQ(failures(), 0u);
  logs(0x5040, 1, 0);
  reports(right());
  EXPECT_EQ(failures(), 1u);
}

TEST_F(Mmu013, OfTheIommusTablesAnyLevelPasses) {
  logs(0x5040, 0);
  ev::PageFaultReported said = right();
  said.flags |= DXGK_PAGE_FAULT_IOMMU;
  said.level = 3;
  reports(said);
  EXPECT_EQ(failures(), 0u);
}

TEST_F(Mmu013, OfTheIommusFaultsThePageIsJudged) {
  logs(0x9000, 0);
  ev::PageFaultReported said = right();
  said.flags |= DXGK_PAGE_FAULT_IOMMU;
  said.level = 3;
  reports(said);
  EXPECT_EQ(failures(), 1u);
}

TEST_F(Mmu013, WhatIsLoggedOfOnePacketIsNotExpectedOfTheNext) {
  logs(0x5040);
  logs(0x5040);
  reports(right());
  ev::PageFaultReported next = right();
  next.fence = 6;
  next.packet = 2;
  next.address = 0x9000;
  reports(next);
  EXPECT_EQ(failures(), 0u);
}

TEST_F(Mmu013, OfTwoEnginesEachTellsItsOwnPage) {
  const auto faults_there = [this] {
    add(ev::AccessFaulted{
        .address = 0x9000, .node = 1, .fence = 5, .level = 1, .write = 1, .packet = 2});
  };
  ev::PageFaultReported other = right();
  other.node = 1;
  other.packet = 2;
  other.address = 0x9000;
  logs(0x5040);
  faults_there();
  reports(right());
  reports(other);
  EXPECT_EQ(failures(), 0u);
  logs(0x5040);
  faults_there();
  reports(right());
  other.address = right().address;
  reports(other);
  EXPECT_EQ(failures(), 1u) << "the page of the first engine";
}

TEST_F(Mmu013, WithoutALogWhatStandsAloneIsJudged) {
  ev::PageFaultReported said = right();
  said.handle = static_cast<std::uint32_t>(FaultHandle::Unknown);
  said.flags |= 0x100;
  said.pipeline = 99;
  said.level = 3;
  reports(said);
  EXPECT_EQ(failures(), 4u);
}

TEST_F(Mmu013, AnotherProcessIsWrongForAPacketThatIsKnown) {
  ev::PageFaultReported said = right();
  said.handle = static_cast<std::uint32_t>(FaultHandle::OfOther);
  reports(said);
  EXPECT_EQ(failures(), 1u);
}

TEST_F(Mmu013, NoHandleIsAllowed) {
  ev::PageFaultReported said = right();
  said.handle = static_cast<std::uint32_t>(FaultHandle::Null);
  reports(said);
  EXPECT_EQ(failures(), 0u);
}

TEST_F(Mmu013, NullIsForOtherCauses) {
  ev::PageFaultReported said = right();
  said.address = 0;
  reports(said);
  EXPECT_EQ(failures(), 1u);
  said.code = DXGK_GENERAL_ERROR_INVALID_INSTRUCTION;
  reports(said);
  EXPECT_EQ(failures(), 1u);
}

TEST_F(Mmu013, AnotherCauseThanTheLoggedAccessIsWrong) {
  logs(0x5040);
  ev::PageFaultReported said = right();
  said.code = DXGK_GENERAL_ERROR_INVALID_INSTRUCTION;
  reports(said);
  EXPECT_EQ(failures(), 1u);
}

// What a vendor calls it, by whatever number, is the vendor's.
class Mmu013OwnCode : public Mmu013 {
 protected:
  static ev::PageFaultReported own() {
    ev::PageFaultReported said = right();
    said.device_specific = 1;
    said.code = 7;
    return said;
  }
};

TEST_F(Mmu013OwnCode, IsNoOtherCause) {
  logs(0x5040);
  reports(own());
  EXPECT_EQ(failures(), 0u);
}

TEST_F(Mmu013OwnCode, AsksForNoLevel) {
  logs(0x5040);
  ev::PageFaultReported said = own();
  said.level = 9;
  reports(said);
  EXPECT_EQ(failures(), 0u);
}

TEST_F(Mmu013OwnCode, MayStandWithoutAnAddress) {
  logs(0x5040);
  ev::PageFaultReported said = own();
  said.address = 0;
  said.flags = 0;
  reports(said);
  EXPECT_EQ(failures(), 0u);
}

TEST_F(Mmu013OwnCode, DoesNotExcuseAnotherPageOrAccess) {
  logs(0x9000, 1, 0);
  reports(own());
  EXPECT_EQ(failures(), 2u);
}

TEST_F(Mmu013, TheEngineIsTheOneThatRanThePacket) {
  logs(0x5040);
  ev::PageFaultReported said = right();
  said.node = 1;
  said.packet = kNone;
  reports(said);
  EXPECT_EQ(failures(), 1u);
}

// Without a log: packet 1 is of render 3, whose commands write from 0x5000 on for two pages.
class Mmu013Foretold : public Mmu013 {
 protected:
  void foretells(ForetoldAccess access, std::uint32_t level = 1) {
    add(ev::FaultForetold{.address = 0x5000,
                          .bytes = 0x2000,
                          .render = 3,
                          .process = 2,
                          .level = level,
                          .access = static_cast<std::uint32_t>(access)});
  }
  void submits() { add(ev::Submitted{.packet = 1, .render = 3, .fence = 5}); }
  void is_said(const ev::PageFaultReported& said) {
    foretells(ForetoldAccess::Write);
    submits();
    reports(said);
  }
};

TEST_F(Mmu013Foretold, AnyPageOfTheAccessPasses) {
  ev::PageFaultReported said = right();
  said.address = 0x6ffc;
  is_said(said);
  EXPECT_EQ(failures(), 0u);
}

TEST_F(Mmu013Foretold, AnotherPageIsWrong) {
  ev::PageFaultReported said = right();
  said.address = 0x7000;
  is_said(said);
  said.address = 0x4ffc;
  reports(said);
  EXPECT_EQ(failures(), 2u);
}

TEST_F(Mmu013Foretold, AnotherLevelIsWrong) {
  ev::PageFaultReported said = right();
  said.level = 0;
  is_said(said);
  EXPECT_EQ(failures(), 1u);
}

TEST_F(Mmu013Foretold, AWriteWithoutWriteIsWrong) {
  ev::PageFaultReported said = right();
  said.flags = 0;
  is_said(said);
  EXPECT_EQ(failures(), 1u);
}

TEST_F(Mmu013Foretold, AFetchWithWriteIsWrong) {
  foretells(ForetoldAccess::Read);
  submits();
  reports(right());
  EXPECT_EQ(failures(), 1u);
}

TEST_F(Mmu013Foretold, AnAdditionMayReadOrWrite) {
  ev::PageFaultReported said = right();
  foretells(ForetoldAccess::Either);
  submits();
  reports(said);
  said.flags = 0;
  reports(said);
  EXPECT_EQ(failures(), 0u);
}

TEST_F(Mmu013Foretold, AnotherCauseIsWrong) {
  ev::PageFaultReported said = right();
  said.code = DXGK_GENERAL_ERROR_INVALID_INSTRUCTION;
  is_said(said);
  EXPECT_EQ(failures(), 1u);
}

TEST_F(Mmu013Foretold, OfACodeOfTheVendorsNothingIsKnown) {
  ev::PageFaultReported said = right();
  said.device_specific = 1;
  said.code = 7;
  said.address = 0x9000;
  is_said(said);
  EXPECT_EQ(failures(), 0u);
}

TEST_F(Mmu013Foretold, AReportFromInsideOfTheCallIsOfItsPacket) {
  foretells(ForetoldAccess::Write, 0);
  enters(1);
  reports(right());
  submits();
  EXPECT_EQ(failures(), 1u);
}

TEST_F(Mmu013Foretold, WhereTablesComeAnyLevelPasses) {
  foretells(ForetoldAccess::Write, 0);
  add(ev::TableUpdated{.process = 2, .level = 1});
  submits();
  reports(right());
  EXPECT_EQ(failures(), 0u);
}

TEST_F(Mmu013Foretold, LeavesAndTablesOfOthersChangeNoLevel) {
  foretells(ForetoldAccess::Write, 0);
  add(ev::TableUpdated{.process = 2, .level = 0});
  add(ev::TableUpdated{.process = 7, .level = 1});
  submits();
  reports(right());
  EXPECT_EQ(failures(), 1u);
}

TEST_F(Mmu013Foretold, WhereTheLogTellsItAloneIsAsked) {
  platform_.has_device_log = true;
  foretells(ForetoldAccess::Read);
  submits();
  logs(0x9000);
  ev::PageFaultReported said = right();
  said.address = 0x9000;
  reports(said);
  EXPECT_EQ(failures(), 0u);
}

// One walk may have told both.
TEST_F(Mmu013Foretold, ALevelThatTheLogSaysTooIsStillThatOfTheTables) {
  platform_.has_device_log = true;
  foretells(ForetoldAccess::Write, 0);
  submits();
  logs(0x5040);
  reports(right());
  EXPECT_EQ(failures(), 1u);
}

TEST_F(Mmu013Foretold, OfSeveralAccessesInThePageEitherLevelPasses) {
  platform_.has_device_log = true;
  foretells(ForetoldAccess::Read, 0);
  foretells(ForetoldAccess::Write, 1);
  submits();
  logs(0x5040);
  reports(right());
  EXPECT_EQ(failures(), 0u);
}

TEST_F(Mmu013Foretold, AnotherLevelThanTheLogsIsToldOnce) {
  platform_.has_device_log = true;
  foretells(ForetoldAccess::Write, 0);
  submits();
  logs(0x5040, 0);
  reports(right());
  EXPECT_EQ(failures(), 1u);
}

TEST_F(Mmu013Foretold, OfAPacketOfWhichNothingIsForetoldNothingIsKnown) {
  submits();
  reports(right());
  EXPECT_EQ(failures(), 0u);
}

}  // namespace
}  // namespace wddm::mmu_013
