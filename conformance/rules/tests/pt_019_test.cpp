// Paging that was preempted and is submitted again.
#include "conformance/rules/tests/paging_test.h"

namespace wddm::pt_019 {
namespace {

class Pt019 : public PagingTest {
 protected:
  static constexpr std::uint32_t kTransfer = DXGK_OPERATION_VIRTUAL_TRANSFER;

  void submitted(std::uint32_t packet, bool again) {
    add(ev::Submitted{.packet = packet, .context = kNone, .paging = 1});
    if (again) add(ev::Submitted{.packet = packet, .context = kNone, .paging = 1, .again = 1});
  }
  void updated(std::uint32_t packet, std::uint32_t wrong, std::uint32_t outside = 0) {
    add(ev::TableUpdated{.count = 1, .mode = update_mode::kGpuPhysical},
        std::vector<EntryRecord>{{}});
    add(ev::TableCompared{
        .update = ordinal_++, .packet = packet, .decoded = 1, .wrong = wrong, .outside = outside});
  }
  void transferred(std::uint32_t packet, bool right) {
    built(kTransfer);
    done(kTransfer, packet);
    right ? checked(kTransfer, packet) : differs(kTransfer, packet);
  }
  bool holds() { return TraceTest::holds("PT-019"); }
  std::uint32_t reached() { return times_reached("PT-019"); }

 private:
  std::uint32_t ordinal_ = 0;
};

TEST_F(Pt019, AsByASingleRun) {
  submitted(1, true);
  updated(1, 0);
  submitted(2, true);
  transferred(2, true);
  EXPECT_TRUE(holds());
  EXPECT_EQ(reached(), 2u);
}

TEST_F(Pt019, AnotherEntry) {
  submitted(1, true);
  updated(1, 1);
  EXPECT_FALSE(holds());
}

TEST_F(Pt019, BytesBesideIt) {
  submitted(1, true);
  updated(1, 0, 8);
  EXPECT_FALSE(holds());
}

TEST_F(Pt019, OtherMemory) {
  submitted(2, true);
  transferred(2, false);
  EXPECT_FALSE(holds());
}

TEST_F(Pt019, WhatRunsOnceIsAnothersMatter) {
  submitted(1, false);
  updated(1, 1);
  submitted(2, false);
  transferred(2, false);
  EXPECT_TRUE(holds());
  EXPECT_EQ(reached(), 0u);
}

// It is not for the second run that they are wrong.
TEST_F(Pt019, SoIsWhatIsWrongAtASingleRunToo) {
  submitted(1, false);
  updated(1, 1);
  transferred(1, false);
  submitted(2, true);
  updated(2, 1);
  transferred(2, false);
  EXPECT_TRUE(holds());
  EXPECT_EQ(reached(), 0u);
}

}  // namespace
}  // namespace wddm::pt_019
