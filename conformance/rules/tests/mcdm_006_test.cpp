// Questions about connectors of a device that has none.
#include "conformance/rules/tests/trace_test.h"

namespace wddm::mcdm_006 {
namespace {

class Mcdm006 : public TraceTest {
 protected:
  void starts(std::uint32_t children = 0) {
    add(ev::DeviceStarted{.children = children});
    add(ev::Running{});
  }
  void asks() {
    add(ev::DdiEntered{.ddi = static_cast<std::uint32_t>(DdiId::QueryConnectionChange)});
  }
  bool holds() { return TraceTest::holds("MCDM-006"); }
};

TEST_F(Mcdm006, NobodyAsks) {
  starts();
  add(ev::PowerChanged{});
  add(ev::MappingBalance{});
  EXPECT_TRUE(holds());
  EXPECT_EQ(times_reached("MCDM-006"), 3u);
}

TEST_F(Mcdm006, SomebodyAsks) {
  starts();
  asks();
  EXPECT_FALSE(holds());
}

TEST_F(Mcdm006, WhoAsksWhileItStarts) {
  add(ev::DeviceStarted{});
  asks();
  EXPECT_FALSE(holds());
}

TEST_F(Mcdm006, WithChildrenThereMayBeConnectors) {
  starts(1);
  asks();
  EXPECT_TRUE(holds());
  EXPECT_EQ(times_reached("MCDM-006"), 0u);
}

TEST_F(Mcdm006, ADeviceThatDoesNotStartSaysNothing) {
  add(ev::DeviceStarted{.status = 0xC0000001});
  add(ev::MappingBalance{});
  EXPECT_EQ(times_reached("MCDM-006"), 0u);
}

}  // namespace
}  // namespace wddm::mcdm_006
