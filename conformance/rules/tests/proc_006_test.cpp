// Processes that are refused for want of a PASID, and reports and requests that are taken for those
// of another MMU or process, which no scenario on the built-in driver shows.
#include <d3dkmddi.h>

#include "conformance/rules/tests/trace_test.h"

namespace wddm::proc_006 {
namespace {

class Proc006 : public TraceTest {
 protected:
  Proc006() { platform_.io_mmu = platform_.gpu_mmu = platform_.has_device = true; }
  void created(NTSTATUS status) {
    add(ev::ProcessCreated{.process = 1, .status = static_cast<std::uint32_t>(status)});
  }
  void faults(std::uint32_t packet) {
    add(ev::IommuFaulted{
        .address = 0x1000, .node = 1, .pasid = 7, .owner = 1, .packet = packet, .start = 0x1000});
  }
  void reported(std::uint32_t packet, std::uint32_t flags = 0) {
    add(ev::PageFaultReported{.address = 0x1000, .node = 1, .flags = flags, .packet = packet});
  }
  // A packet of a new context of node 1.
  void works(std::uint32_t physical_adapter, std::uint32_t caps) {
    ++last_;
    add(ev::ContextCreated{.context = last_, .node = 1, .caps = caps, .engine = physical_adapter});
    add(ev::Submitted{.packet = last_, .node = 1, .context = last_, .engine = physical_adapter});
  }
  // The IOMMU, for the last packet, with the right PASID.
  void asks() {
    add(ev::BusRequested{
        .node = 1, .engine = 1, .pasid = 7, .owner = 1, .packet = last_, .process = 1});
  }
  std::size_t failures() { return TraceTest::failures("PROC-006"); }

 private:
  std::uint32_t last_ = 0;
};

TEST_F(Proc006, ContextsUseTheIommuWhereTheirGpuHasOne) {
  add(ev::PhysicalAdapterReported{.physical_adapter = 0});
  add(ev::PhysicalAdapterReported{.physical_adapter = 1, .flags = 3});
  add(ev::ContextCreated{.context = 1, .caps = 1, .engine = 0});
  EXPECT_EQ(times_reached("PROC-006"), 0u) << "one that says nothing of it";
  add(ev::ContextCreated{.context = 2, .caps = 4, .engine = 1});
  EXPECT_EQ(failures(), 0u);
  EXPECT_EQ(times_reached("PROC-006"), 1u);
  add(ev::ContextCreated{.context = 3, .caps = 4, .engine = 0});
  EXPECT_EQ(failures(), 1u);
}

TEST_F(Proc006, WhatAGpuSaidFirstCounts) {
  add(ev::PhysicalAdapterReported{.physical_adapter = 0, .flags = 1});
  add(ev::PhysicalAdapterReported{.physical_adapter = 0, .round = 1});
  add(ev::ContextCreated{.context = 1, .caps = 4, .engine = 0});
  EXPECT_EQ(failures(), 0u);
}

TEST_F(Proc006, ContextsThatWereRefusedOrOfGpusThatSaidNothingAreNotJudged) {
  add(ev::ContextCreated{.context = 1, .caps = 4, .engine = 0});
  add(ev::PhysicalAdapterReported{.physical_adapter = 0});
  add(ev::ContextCreated{.context = 1,
                         .status = static_cast<std::uint32_t>(STATUS_NO_MEMORY),
                         .caps = 4,
                         .engine = 0});
  EXPECT_EQ(failures(), 0u);
}

// DXGK_VIDMMCAPS speaks for all GPUs then.
TEST_F(Proc006, AnIommuAloneIsEveryContexts) {
  platform_.gpu_mmu = false;
  add(ev::PhysicalAdapterReported{.physical_adapter = 0});
  add(ev::ContextCreated{.context = 1, .caps = 4, .engine = 0});
  EXPECT_EQ(failures(), 0u);
}

// -- who goes by the IOMMU

TEST_F(Proc006, WorkOfAContextThatDoesNotSayUseIoMmu) {
  works(1, 0);
  asks();
  EXPECT_EQ(failures(), 1u);
}

TEST_F(Proc006, WorkOfAContextThatSaysUseIoMmu) {
  works(1, 4);
  asks();
  EXPECT_EQ(failures(), 0u);
  EXPECT_EQ(times_reached("PROC-006"), 1u);
}

TEST_F(Proc006, WhatTheSameEngineOfTheOtherGpuDoesIsNoExcuse) {
  works(0, 4);
  works(1, 0);
  asks();
  EXPECT_EQ(failures(), 1u);
}

TEST_F(Proc006, AnotherContextOfTheEngineMayHaveAsked) {
  works(1, 4);
  works(1, 0);
  asks();
  EXPECT_EQ(failures(), 0u);
}

TEST_F(Proc006, AContextThatWasRefusedSaysNothingOfItsEngine) {
  add(ev::ContextCreated{.context = 8,
                         .status = static_cast<std::uint32_t>(STATUS_NO_MEMORY),
                         .node = 1,
                         .caps = 4,
                         .engine = 1});
  works(1, 0);
  asks();
  EXPECT_EQ(failures(), 1u);
}

TEST_F(Proc006, WithAnIommuAloneNobodyNeedsToSayIt) {
  platform_.gpu_mmu = false;
  works(1, 0);
  asks();
  EXPECT_EQ(failures(), 0u);
}

TEST_F(Proc006, AProcessNeedsNoPasid) {
  created(STATUS_SUCCESS);
  EXPECT_EQ(failures(), 0u);
  created(STATUS_INVALID_PARAMETER);
  EXPECT_EQ(failures(), 1u);
}

TEST_F(Proc006, MemoryMayRunOut) {
  created(STATUS_NO_MEMORY);
  created(STATUS_INSUFFICIENT_RESOURCES);
  EXPECT_EQ(failures(), 0u);
}

TEST_F(Proc006, AFaultOfTheGpuMmuIsNotTheBuss) {
  add(ev::PageFaultReported{.address = 0x1000, .flags = DXGK_PAGE_FAULT_WRITE});
  EXPECT_EQ(failures(), 0u);
  add(ev::PageFaultReported{.address = 0x1000, .flags = DXGK_PAGE_FAULT_IOMMU});
  EXPECT_EQ(failures(), 1u);
}

TEST_F(Proc006, AFaultOfTheIommuIsSaidToBe) {
  faults(3);
  reported(2);
  reported(3, DXGK_PAGE_FAULT_IOMMU);
  EXPECT_EQ(failures(), 0u);
  EXPECT_EQ(times_reached("PROC-006"), 2u);
  faults(4);
  reported(4);
  EXPECT_EQ(failures(), 1u);
}

TEST_F(Proc006, AReportTellsThePageOfARequest) {
  const auto says = [this](std::uint64_t address) {
    add(ev::PageFaultReported{
        .address = address, .node = 1, .flags = DXGK_PAGE_FAULT_IOMMU, .packet = 3});
  };
  add(ev::IommuFaulted{.address = 0x6000, .node = 1, .packet = 3, .start = 0x5fc0});
  says(0x5fc0);
  says(0x6040);
  EXPECT_EQ(failures(), 0u);
  says(0x4ff0);
  says(0x7000);
  EXPECT_EQ(failures(), 2u);
}

TEST_F(Proc006, ACodeOfTheVendorsMayHaveNoAddress) {
  faults(3);
  add(ev::PageFaultReported{
      .node = 1, .flags = DXGK_PAGE_FAULT_IOMMU, .device_specific = 1, .code = 7, .packet = 3});
  EXPECT_EQ(failures(), 0u);
}

TEST_F(Proc006, OfSeveralPacketsTheBusMayHaveMeantAnother) {
  faults(3);
  reported(4, DXGK_PAGE_FAULT_IOMMU);
  EXPECT_EQ(failures(), 0u);
}

TEST_F(Proc006, WhereThereIsNoOtherMmuTheIommuHasFoundIt) {
  platform_.gpu_mmu = false;
  reported(3, DXGK_PAGE_FAULT_IOMMU);
  EXPECT_EQ(failures(), 0u);
  platform_.gpu_mmu = true;
  EXPECT_EQ(failures(), 1u);
}

TEST_F(Proc006, WithoutADeviceNobodySeesWhatTheIommuFinds) {
  platform_.has_device = false;
  reported(3, DXGK_PAGE_FAULT_IOMMU);
  EXPECT_EQ(failures(), 0u);
  EXPECT_EQ(times_reached("PROC-006"), 0u);
}

TEST_F(Proc006, WithoutAnIommuOnlyWhatIsWrongIsJudged) {
  platform_.io_mmu = false;
  created(STATUS_SUCCESS);
  reported(2);
  EXPECT_EQ(failures(), 0u);
  EXPECT_EQ(times_reached("PROC-006"), 0u);
  reported(3, DXGK_PAGE_FAULT_IOMMU);
  created(STATUS_INVALID_PARAMETER);
  EXPECT_EQ(failures(), 2u);
}

TEST_F(Proc006, ReportsMayComeAfterSeveralFaults) {
  faults(3);
  faults(4);
  faults(4);
  reported(3, DXGK_PAGE_FAULT_IOMMU);
  reported(4, DXGK_PAGE_FAULT_IOMMU);
  EXPECT_EQ(failures(), 0u);
}

TEST_F(Proc006, AFaultThatIsNeverReportedIsNotThatOfTheNextPacket) {
  faults(3);
  reported(4);
  EXPECT_EQ(failures(), 0u);
  EXPECT_EQ(times_reached("PROC-006"), 1u);
}

TEST_F(Proc006, ReportsOfNoPacketAreJudgedWhereTheIommuFoundNothing) {
  faults(3);
  reported(kNone);
  reported(kNone, DXGK_PAGE_FAULT_IOMMU);
  EXPECT_EQ(failures(), 0u);
  EXPECT_EQ(times_reached("PROC-006"), 0u);
  add(ev::PageFaultReported{.node = 2, .flags = DXGK_PAGE_FAULT_IOMMU, .packet = kNone});
  EXPECT_EQ(failures(), 1u);
}

TEST_F(Proc006, ARefusedReservationExcusesOneProcess) {
  add(ev::CallbackCalled{
      .callback = static_cast<std::uint32_t>(CallbackId::ReserveGpuVirtualAddressRange),
      .result = static_cast<std::uint32_t>(STATUS_INVALID_PARAMETER)});
  created(STATUS_NO_MEMORY);
  EXPECT_EQ(failures(), 0u);
  created(STATUS_INVALID_PARAMETER);
  EXPECT_EQ(failures(), 1u);
}

TEST_F(Proc006, RequestsBearThePasidOfTheProcessAtWork) {
  add(ev::BusRequested{.pasid = 7, .owner = 1, .packet = 3, .process = 1, .requests = 2});
  add(ev::BusRequested{.pasid = 7, .owner = 1, .packet = kNone, .process = kNone, .requests = 2});
  EXPECT_EQ(failures(), 0u);
  add(ev::BusRequested{.pasid = 9, .owner = 2, .packet = 3, .process = 1, .requests = 2});
  EXPECT_EQ(failures(), 1u);
}

}  // namespace
}  // namespace wddm::proc_006
