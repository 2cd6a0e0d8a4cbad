// Power management by what the machine is.
#include "conformance/rules/tests/trace_test.h"

namespace wddm::mcdm_035 {
namespace {

class Mcdm035 : public TraceTest {
 protected:
  void reports(std::uint32_t more, std::uint32_t status = 0) {
    add(ev::CapsReported{.status = status, .more = more});
  }
  void stands_by(std::uint32_t value = 1) { add(ev::PlatformDeclared{.modern_standby = value}); }
  bool holds() { return TraceTest::holds("MCDM-035"); }
};

TEST_F(Mcdm035, ItIsManaged) {
  reports(1);
  stands_by();
  EXPECT_TRUE(holds());
  EXPECT_EQ(times_reached("MCDM-035"), 1u);
}

TEST_F(Mcdm035, ItIsNot) {
  reports(6);
  stands_by();
  EXPECT_FALSE(holds());
}

TEST_F(Mcdm035, OtherMachinesDoWithout) {
  reports(0);
  stands_by(0);
  EXPECT_TRUE(holds());
  EXPECT_EQ(times_reached("MCDM-035"), 0u);
}

TEST_F(Mcdm035, WhatIsRefusedSaysNothing) {
  reports(0, 0xC0000001);
  stands_by();
  EXPECT_TRUE(holds());
}

}  // namespace
}  // namespace wddm::mcdm_035
