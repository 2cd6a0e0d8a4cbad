// PreemptionAware and the interface that it needs.
#include "conformance/rules/tests/trace_test.h"

namespace wddm::caps_003 {
namespace {

constexpr std::uint32_t kPreemptionAware = 4;

class Caps003 : public TraceTest {
 protected:
  void reported(InterfaceVersion version, std::uint32_t scheduling = kPreemptionAware,
                std::uint32_t status = 0) {
    add(ev::CapsReported{.status = status,
                         .scheduling = scheduling,
                         .interface_version = static_cast<std::uint32_t>(version)});
  }
  bool holds() { return TraceTest::holds("CAPS-003"); }
};

TEST_F(Caps003, TheInterfaceOfWindows8) {
  reported(InterfaceVersion::Win8);
  EXPECT_TRUE(holds());
  EXPECT_EQ(times_reached("CAPS-003"), 1u);
}

TEST_F(Caps003, AnOlderOne) {
  reported(InterfaceVersion::Win7);
  EXPECT_FALSE(holds());
}

TEST_F(Caps003, WithoutTheBitAnyWillDo) {
  reported(InterfaceVersion::Win7, 0);
  reported(InterfaceVersion::Win7, kPreemptionAware, 0xC000000D);
  EXPECT_TRUE(holds());
  EXPECT_EQ(times_reached("CAPS-003"), 0u);
}

}  // namespace
}  // namespace wddm::caps_003
