// Drivers of the Windows 7 model start.
#include "conformance/rules/tests/trace_test.h"
#include "reference/trace/ddi.h"

namespace wddm::caps_006 {
namespace {

class Caps006 : public TraceTest {
 protected:
  void caps(std::uint32_t scheduling, InterfaceVersion version = InterfaceVersion::Wddm1_3) {
    add(ev::DeviceStarted{});
    add(ev::CapsReported{.scheduling = scheduling,
                         .interface_version = static_cast<std::uint32_t>(version)});
  }
  bool holds() { return TraceTest::holds("CAPS-006"); }
};

TEST_F(Caps006, ItRuns) {
  caps(1);
  add(ev::Running{});
  EXPECT_TRUE(holds());
  EXPECT_EQ(times_reached("CAPS-006"), 1u);
}

TEST_F(Caps006, ItIsStopped) {
  caps(1);
  add(ev::MappingBalance{});
  EXPECT_FALSE(holds());
}

TEST_F(Caps006, StoppedLongAfter) {
  caps(1);
  add(ev::Running{});
  add(ev::CapsReported{.scheduling = 1,
                       .interface_version = static_cast<std::uint32_t>(InterfaceVersion::Wddm1_3)});
  add(ev::MappingBalance{});
  EXPECT_TRUE(holds());
}

TEST_F(Caps006, RefusedForSomethingElse) {
  caps(1);
  add(ev::StartRefused{});
  add(ev::MappingBalance{});
  EXPECT_TRUE(holds());
}

TEST_F(Caps006, TheNewerModelAndOlderInterfacesAreOtherMatters) {
  caps(5);
  add(ev::MappingBalance{});
  caps(1, InterfaceVersion::Win7);
  add(ev::MappingBalance{});
  EXPECT_EQ(times_reached("CAPS-006"), 0u);
}

}  // namespace
}  // namespace wddm::caps_006
