// Which granularities of preemption there are, and who has to say one.
#include <d3dkmddi.h>

#include <cstring>

#include "conformance/rules/tests/trace_test.h"

namespace wddm::caps_007 {
namespace {

constexpr std::uint32_t kPreemptionAware = 4, kOtherBytes = 0xA5;

class Caps007 : public TraceTest {
 protected:
  Caps007() { platform_.scheduling.value = kPreemptionAware; }
  void answers(std::uint32_t graphics, std::uint32_t compute, std::uint32_t before = 0,
               std::uint32_t status = 0) {
    DXGK_DRIVERCAPS caps;
    std::memset(static_cast<void*>(&caps), 0, sizeof(caps));
    std::memcpy(&caps.PreemptionCaps.GraphicsPreemptionGranularity, &graphics, sizeof(graphics));
    std::memcpy(&caps.PreemptionCaps.ComputePreemptionGranularity, &compute, sizeof(compute));
    std::vector<std::uint8_t> bytes(sizeof(caps));
    std::memcpy(bytes.data(), &caps, sizeof(caps));
    add(ev::CapsAnswered{.status = status, .before = before}, bytes);
  }
  bool holds() { return TraceTest::holds("CAPS-007"); }
  std::uint32_t reached() { return times_reached("CAPS-007"); }
};

TEST_F(Caps007, EachValueThatThereIs) {
  for (const std::uint32_t value : {0u, 100u, 200u, 300u, 400u, 500u}) {
    answers(value, 100);
    answers(100, value);
  }
  EXPECT_TRUE(holds());
  EXPECT_EQ(reached(), 12u);
}

TEST_F(Caps007, NumbersOfNoValue) {
  std::size_t wrong = 0;
  for (const std::uint32_t value : {1u, 99u, 101u, 501u, 600u, 0xA5A5A5A5u}) {
    answers(value, 100);
    EXPECT_EQ(failures("CAPS-007"), ++wrong);
    answers(100, value);
    EXPECT_EQ(failures("CAPS-007"), ++wrong);
  }
}

TEST_F(Caps007, WhoDoesNotPreemptMayLeaveThemOut) {
  platform_.scheduling.value = 0;
  answers(0xA5A5A5A5, 0xA5A5A5A5, kOtherBytes);
  EXPECT_TRUE(holds());
}

TEST_F(Caps007, WhoPreemptsWritesBoth) {
  answers(0xA5A5A5A5, 100, kOtherBytes);
  EXPECT_FALSE(holds());
}

TEST_F(Caps007, OverZerosWhatIsWrongWasWritten) {
  platform_.scheduling.value = 0;
  answers(7, 0);
  EXPECT_FALSE(holds());
}

TEST_F(Caps007, WhoComputesAloneSaysHow) {
  platform_.compute_only = true;
  answers(0, 200);
  EXPECT_TRUE(holds());
  answers(0, 0);
  EXPECT_FALSE(holds());
}

TEST_F(Caps007, AnErrorIsNoAnswer) {
  answers(7, 7, 0, 0xC000000D);
  EXPECT_TRUE(holds());
  EXPECT_EQ(reached(), 0u);
}

TEST_F(Caps007, AppliesFromWindows8On) {
  const auto applies = [this] { return find_rule("CAPS-007")->applies(platform_) == nullptr; };
  platform_.has_caps = true;
  platform_.interface_version = static_cast<std::uint32_t>(InterfaceVersion::Win8);
  EXPECT_TRUE(applies());
  platform_.interface_version = DXGKDDI_INTERFACE_VERSION_WIN7;
  EXPECT_FALSE(applies());
}

}  // namespace
}  // namespace wddm::caps_007
