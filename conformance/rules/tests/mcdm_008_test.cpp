// Functions that have nothing to do on a device without children and displays.
#include <d3dkmddi.h>

#include "conformance/rules/tests/trace_test.h"
#include "reference/trace/ddi.h"

namespace wddm::mcdm_008 {
namespace {

constexpr auto kRefused = static_cast<std::uint32_t>(STATUS_NOT_SUPPORTED);

class Mcdm008 : public TraceTest {
 protected:
  void called(DdiId ddi, std::uint32_t status = 0, std::uint32_t changed = 0,
              std::uint32_t behind = 0) {
    add(ev::PortCalled{.ddi = static_cast<std::uint32_t>(ddi),
                       .status = status,
                       .changed = changed,
                       .behind = behind});
  }
  bool holds() { return TraceTest::holds("MCDM-008"); }
};

TEST_F(Mcdm008, ChildrenThatThereAreNot) {
  called(DdiId::QueryChildStatus, kRefused);
  called(DdiId::QueryDeviceDescriptor, kRefused);
  EXPECT_TRUE(holds());
  EXPECT_EQ(times_reached("MCDM-008"), 2u);
}

TEST_F(Mcdm008, AChildThatIsConnected) {
  called(DdiId::QueryChildStatus);
  EXPECT_FALSE(holds());
}

TEST_F(Mcdm008, ADescriptorThatIsWrittenAndRefused) {
  called(DdiId::QueryDeviceDescriptor, kRefused, 1);
  EXPECT_FALSE(holds());
}

TEST_F(Mcdm008, BytesBehindADescriptor) {
  called(DdiId::QueryDeviceDescriptor, kRefused, 0, 1);
  EXPECT_FALSE(holds());
}

TEST_F(Mcdm008, AVirtualMachineMayBeRefused) {
  called(DdiId::SetVirtualMachineData, kRefused);
  called(DdiId::ResetDevice);
  EXPECT_TRUE(holds());
}

TEST_F(Mcdm008, TheOneElementOfNoChildren) {
  add(ev::ChildrenReported{});
  EXPECT_TRUE(holds());
  add(ev::ChildrenReported{.last = 4});
  EXPECT_FALSE(holds());
}

TEST_F(Mcdm008, WhereThereAreChildrenItIsAnotherMatter) {
  add(ev::ChildrenReported{.children = 1, .last = 4});
  EXPECT_EQ(times_reached("MCDM-008"), 0u);
}

}  // namespace
}  // namespace wddm::mcdm_008
