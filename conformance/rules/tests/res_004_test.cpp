// How often allocations are required.
#include "conformance/rules/tests/trace_test.h"
#include "reference/gpuva/residency_request.h"

namespace wddm::res_004 {
namespace {

using gpuva::ResidencyStatus;
constexpr std::uint32_t kMakeResident = 0, kEvict = 1;

class Res004 : public TraceTest {
 protected:
  void asks(std::uint32_t request, ResidencyStatus status = ResidencyStatus::Ok) {
    add(
        ev::ResidencyAsked{
            .request = request, .status = static_cast<std::uint32_t>(status), .count = 1},
        std::vector<std::uint32_t>{1});
  }
  void counted(std::uint32_t count, std::uint32_t resident = 1) {
    add(ev::ResidencyCounted{.allocation = 1, .count = count, .resident = resident});
  }
  bool holds() { return TraceTest::holds("RES-004"); }
};

TEST_F(Res004, UpAndDown) {
  asks(kMakeResident);
  counted(1);
  asks(kMakeResident, ResidencyStatus::Pending);
  counted(2);
  asks(kEvict);
  counted(1);
  EXPECT_TRUE(holds());
  EXPECT_EQ(times_reached("RES-004"), 3u);
}

TEST_F(Res004, AllAtOnce) {
  asks(kMakeResident);
  asks(kMakeResident);
  asks(kEvict);
  counted(0, 0);
  EXPECT_FALSE(holds());
}

TEST_F(Res004, RequiredAndNotThere) {
  asks(kMakeResident);
  counted(1, 0);
  EXPECT_FALSE(holds());
}

// A device that does not run has lost what it requires to another one.
TEST_F(Res004, ReleasedWhileItIsAway) {
  asks(kMakeResident);
  asks(kMakeResident);
  asks(kEvict);
  counted(1, 0);
  EXPECT_TRUE(holds());
}

TEST_F(Res004, TakenWhenAnotherDeviceRuns) {
  asks(kMakeResident);
  counted(1);
  counted(1, 0);
  EXPECT_TRUE(holds());
}

TEST_F(Res004, TakenFromAnotherDevice) {
  add(ev::ResidencyAsked{.device = 1, .request = kMakeResident, .count = 1},
      std::vector<std::uint32_t>{1});
  asks(kMakeResident);
  add(ev::ResidencyCounted{.device = 1, .allocation = 1, .count = 1, .resident = 0});
  EXPECT_TRUE(holds());
}

TEST_F(Res004, ARequestThatFailsCountsNothing) {
  asks(kMakeResident, ResidencyStatus::OutOfMemory);
  counted(0, 0);
  EXPECT_TRUE(holds());
  counted(1);
  EXPECT_FALSE(holds());
}

TEST_F(Res004, OthersOfTheSameNumberBeginAnew) {
  asks(kMakeResident);
  add(ev::AllocationCreated{.allocation = 1});
  counted(0, 0);
  asks(kMakeResident);
  add(ev::DeviceCreated{});
  counted(0, 0);
  EXPECT_TRUE(holds());
}

}  // namespace
}  // namespace wddm::res_004
