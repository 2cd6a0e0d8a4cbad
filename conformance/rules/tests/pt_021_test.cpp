// What the CPU host aperture must show before there is anything to map.
#include "conformance/rules/tests/trace_test.h"

namespace wddm::pt_021 {
namespace {

class Pt021 : public TraceTest {
 protected:
  bool holds_for(const ev::HostApertureMapped& mapped) {
    add(mapped);
    return holds("PT-021");
  }
};

TEST_F(Pt021, PagesThatShowWhatTheyShouldAreRight) {
  EXPECT_TRUE(holds_for({.compared = 144, .segment = 3, .pages = 3}));
  EXPECT_EQ(times_reached("PT-021"), 1u);
}

TEST_F(Pt021, AnotherPageIsWrong) {
  EXPECT_FALSE(holds_for({.compared = 144, .wrong = 24, .segment = 3, .pages = 3}));
}

TEST_F(Pt021, EachGpuOfALinkHasItsOwn) {
  add(ev::HostApertureMapped{.compared = 144, .segment = 3, .pages = 3});
  EXPECT_FALSE(holds_for({.segment = 3, .pages = 3, .status = 0xC000000D, .physical_adapter = 1}));
}

TEST_F(Pt021, ThereIsNoRefusal) {
  EXPECT_FALSE(holds_for({.segment = 3, .pages = 3, .status = 0xC0000001}));
}

TEST_F(Pt021, UnmappingWorksToo) {
  EXPECT_FALSE(holds_for({.compared = 144, .segment = 3, .pages = 3, .unmap_status = 0xC000000D}));
}

}  // namespace
}  // namespace wddm::pt_021
