// Accesses to where nothing is, with GPU virtual addresses.
#include "conformance/rules/tests/trace_test.h"

namespace wddm::submit_017 {
namespace {

class Submit017NullPage : public TraceTest {
 protected:
  void faults(std::uint64_t address, std::uint32_t packet = 1) {
    add(ev::AccessFaulted{.address = address, .fence = 5, .packet = packet});
  }
  void ends(std::uint32_t expected) {
    add(ev::MarkerRead{.packet = 1,
                       .fence = 5,
                       .expected = expected,
                       .reason = static_cast<std::uint32_t>(MarkerReason::AtEnd)});
  }
  bool holds() { return TraceTest::holds("SUBMIT-017"); }
};

TEST_F(Submit017NullPage, APacketThatWasToRunDoesNotGoThere) {
  faults(0x30);
  ends(1);
  EXPECT_FALSE(holds());
}

TEST_F(Submit017NullPage, ThePageBehindMayBeMapped) {
  faults(0x1000);
  ends(1);
  EXPECT_TRUE(holds());
}

TEST_F(Submit017NullPage, OneThatWasToFaultGoesWhereItLikes) {
  faults(0);
  ends(0);
  EXPECT_TRUE(holds());
}

TEST_F(Submit017NullPage, OneThatUserModeHasAlteredToo) {
  add(ev::PrivateDataGiven{.packet = 1, .hostile = 1});
  faults(0);
  ends(1);
  EXPECT_TRUE(holds());
}

TEST_F(Submit017NullPage, AnotherPacketIsNotMeant) {
  faults(0, 2);
  ends(1);
  EXPECT_TRUE(holds());
}

TEST_F(Submit017NullPage, AnAccessOfNoPacketIsNotMeant) {
  faults(0, kNone);
  ends(1);
  EXPECT_TRUE(holds());
}

}  // namespace
}  // namespace wddm::submit_017
