// What devices that only compute say they are.
#include "conformance/rules/tests/compute_test.h"

namespace wddm::mcdm_002 {
namespace {

class Mcdm002 : public ComputeTest {
 protected:
  Mcdm002() {
    caps_.WDDMVersion = static_cast<DXGK_WDDMVERSION>(0x2600);
    caps_.SupportPerEngineTDR = TRUE;
  }
  void reports(std::uint32_t version) { add(ev::CapsReported{.interface_version = version}); }
  bool holds() { return TraceTest::holds("MCDM-002"); }
};

TEST_F(Mcdm002, AllOfIt) {
  reports(DXGKDDI_INTERFACE_VERSION_WDDM2_6);
  answers();
  EXPECT_TRUE(holds());
  EXPECT_EQ(times_reached("MCDM-002"), 2u);
}

TEST_F(Mcdm002, AnOlderInterface) {
  reports(DXGKDDI_INTERFACE_VERSION_WDDM2_6 - 1);
  EXPECT_FALSE(holds());
}

TEST_F(Mcdm002, AnOlderModel) {
  caps_.WDDMVersion = static_cast<DXGK_WDDMVERSION>(0x2500);
  answers();
  EXPECT_FALSE(holds());
}

TEST_F(Mcdm002, NoEngineIsReset) {
  caps_.SupportPerEngineTDR = FALSE;
  answers();
  EXPECT_FALSE(holds());
}

TEST_F(Mcdm002, DeviceCapsSayTheSame) {
  answers();
  const auto says = [this](std::uint32_t version, std::uint32_t status) {
    add(ev::InfoAnswered{.type = DXGKQAITYPE_WDDMDEVICECAPS, .status = status, .first = version});
  };
  says(0x2600, 0);
  says(0, 0xC00000BB);
  EXPECT_TRUE(holds());
  EXPECT_EQ(times_reached("MCDM-002"), 2u);
  add(ev::InfoAnswered{.type = DXGKQAITYPE_WDDMDEVICECAPS,
                       .how = static_cast<std::uint32_t>(InfoQuestion::Short),
                       .first = 0xCC00});
  EXPECT_TRUE(holds()) << "of half an answer nothing is known";
  says(0x2700, 0);
  EXPECT_FALSE(holds());
}

// Windows gives zeros to answer over; what fails has no answer.
TEST_F(Mcdm002, OverAPatternAndOfAFailureNothingIsJudged) {
  caps_.SupportPerEngineTDR = FALSE;
  answers(0xA5);
  answers(0, 0xC0000001);
  EXPECT_TRUE(holds());
  EXPECT_EQ(times_reached("MCDM-002"), 0u);
}

}  // namespace
}  // namespace wddm::mcdm_002
