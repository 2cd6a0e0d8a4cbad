// Processes that are refused for want of a PASID, and reports and requests that are taken for those
// of another MMU or process, which no scenario on the built-in driver shows.
#include <d3dkmddi.h>

#include "conformance/rules/tests/trace_test.h"

namespace wddm {
namespace {

class Proc006 : public TraceTest {
 protected:
  void created(NTSTATUS status) {
    add(ev::ProcessCreated{.process = 1, .status = static_cast<std::uint32_t>(status)});
  }
  std::size_t failures() { return TraceTest::failures("PROC-006"); }
};

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
  add(ev::IommuFaulted{.address = 0x1000, .node = 1, .pasid = 7, .owner = 1});
  add(ev::PageFaultReported{.address = 0x1000, .node = 0});
  add(ev::PageFaultReported{.address = 0x1000, .node = 1, .flags = DXGK_PAGE_FAULT_IOMMU});
  EXPECT_EQ(failures(), 0u);
  add(ev::IommuFaulted{.address = 0x1000, .node = 1, .pasid = 7, .owner = 1});
  add(ev::PageFaultReported{.address = 0x1000, .node = 1});
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
}  // namespace wddm
