// What a change of the CPU host aperture leaves as it was.
#include "conformance/rules/tests/trace_test.h"

namespace wddm::aper_006 {
namespace {

class Aper006 : public TraceTest {
 protected:
  void changes(ApertureChange change, std::uint64_t wrong) {
    add(ev::HostApertureChanged{.compared = 144,
                                .wrong = wrong,
                                .segment = 3,
                                .change = static_cast<std::uint32_t>(change),
                                .pages = 3});
  }
};

TEST_F(Aper006, TheOthersShowWhatTheyShowed) {
  changes(ApertureChange::Unmapped, 0);
  changes(ApertureChange::MappedAnew, 0);
  changes(ApertureChange::OtherGpu, 0);
  EXPECT_TRUE(holds("APER-006"));
  EXPECT_EQ(times_reached("APER-006"), 3u);
}

TEST_F(Aper006, OneMoreIsUnmapped) {
  changes(ApertureChange::Unmapped, 48);
  EXPECT_FALSE(holds("APER-006"));
}

TEST_F(Aper006, TheFormerPageIsStillWritten) {
  changes(ApertureChange::MappedAnew, 48);
  EXPECT_FALSE(holds("APER-006"));
}

TEST_F(Aper006, AnotherGpuLosesItsPages) {
  changes(ApertureChange::OtherGpu, 144);
  EXPECT_FALSE(holds("APER-006"));
}

TEST_F(Aper006, WhatCouldNotBeChangedSaysNothing) {
  add(ev::HostApertureChanged{.segment = 3, .status = 0xC000000D});
  EXPECT_TRUE(holds("APER-006"));
  EXPECT_EQ(times_reached("APER-006"), 0u);
}

}  // namespace
}  // namespace wddm::aper_006
