// Who gets a device of an adapter without an MMU.
#include "conformance/rules/tests/trace_test.h"

namespace wddm::mcdm_039 {
namespace {

constexpr std::uint32_t kUnsuccessful = 0xC0000001;

class Mcdm039 : public TraceTest {
 protected:
  Mcdm039() { add(ev::Running{}); }
  void makes(std::uint32_t device, std::uint32_t process, std::uint32_t status = 0) {
    op(OpKind::CreateDevice);
    add(ev::DeviceCreated{.device = device, .status = status, .process = process});
  }
  void is_refused() {
    op(OpKind::CreateDevice);
    add(ev::OpSkipped{.kind = static_cast<std::uint32_t>(OpKind::CreateDevice)});
  }
  void ends(std::uint32_t device) {
    op(OpKind::DestroyDevice);
    add(ev::DdiEntered{.ddi = static_cast<std::uint32_t>(DdiId::DestroyDevice), .object = device});
  }
  bool holds() { return TraceTest::holds("MCDM-039"); }
};

TEST_F(Mcdm039, OneAfterTheOther) {
  makes(0, 0);
  is_refused();
  ends(0);
  makes(1, 1);
  EXPECT_TRUE(holds());
  EXPECT_EQ(times_reached("MCDM-039"), 3u);
}

TEST_F(Mcdm039, AnySuccessIsOne) {
  makes(0, 0, 0x40000000);
  is_refused();
  EXPECT_TRUE(holds());
}

TEST_F(Mcdm039, TwoAtATime) {
  makes(0, 0);
  makes(1, 1);
  EXPECT_FALSE(holds());
}

TEST_F(Mcdm039, TheDriverIsNotEvenAsked) {
  makes(0, 0);
  makes(1, 1, kUnsuccessful);
  EXPECT_FALSE(holds());
}

TEST_F(Mcdm039, TwoDevicesOfOneProcess) {
  makes(0, 3);
  makes(1, 3);
  ends(0);
  is_refused();
  EXPECT_TRUE(holds());
}

TEST_F(Mcdm039, TheSystemIsNoUser) {
  makes(0, kSystemProcessNumber);
  makes(1, 1);
  makes(2, kSystemProcessNumber);
  EXPECT_TRUE(holds());
}

TEST_F(Mcdm039, NobodyUsesItAndStillItIsRefused) {
  makes(0, 0);
  ends(0);
  is_refused();
  EXPECT_FALSE(holds());
}

TEST_F(Mcdm039, TheDriverMayRefuse) {
  makes(0, 0, kUnsuccessful);
  add(ev::OpSkipped{.kind = static_cast<std::uint32_t>(OpKind::CreateDevice)});
  EXPECT_TRUE(holds());
}

TEST_F(Mcdm039, NothingIsMadeWhileTheAdapterStands) {
  add(ev::MappingBalance{});
  is_refused();
  EXPECT_TRUE(holds());
}

}  // namespace
}  // namespace wddm::mcdm_039
