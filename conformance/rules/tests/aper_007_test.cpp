// Which pages of a CPU host aperture our host may give out.
#include "conformance/rules/tests/trace_test.h"

namespace wddm::aper_007 {
namespace {

class Aper007 : public TraceTest {
 protected:
  void call(bool mapped, const std::vector<std::uint32_t>& pages, std::uint32_t gpu = 0) {
    add(ev::HostAperturePages{.segment = 3,
                              .physical_adapter = gpu,
                              .mapped = mapped,
                              .size = 8,
                              .count = static_cast<std::uint32_t>(pages.size())},
        pages);
  }
  void maps(const std::vector<std::uint32_t>& pages, std::uint32_t gpu = 0,
            std::uint32_t status = 0) {
    call(true, pages, gpu);
    add(ev::DdiReturned{.ddi = static_cast<std::uint32_t>(DdiId::MapCpuHostAperture),
                        .status = status});
  }
  void unmaps(const std::vector<std::uint32_t>& pages) { call(false, pages); }
};

TEST_F(Aper007, PagesOfItOneAfterTheOther) {
  maps({7, 0, 3});
  unmaps({0, 3});
  maps({3});
  EXPECT_TRUE(holds("APER-007"));
  EXPECT_EQ(times_reached("APER-007"), 2u);
}

TEST_F(Aper007, ThePageBehindTheLast) {
  maps({8});
  EXPECT_FALSE(holds("APER-007"));
}

TEST_F(Aper007, APageThatIsMapped) {
  maps({1, 2});
  maps({4, 2});
  EXPECT_FALSE(holds("APER-007"));
}

TEST_F(Aper007, APageTwiceInOneCall) {
  maps({2, 5, 2});
  EXPECT_FALSE(holds("APER-007"));
}

TEST_F(Aper007, WhatWasRefusedIsFree) {
  maps({1, 2}, 0, 0xC000009A);
  maps({1});
  EXPECT_TRUE(holds("APER-007"));
}

TEST_F(Aper007, EachGpuHasItsOwn) {
  maps({1});
  maps({1}, 1);
  EXPECT_TRUE(holds("APER-007"));
}

TEST_F(Aper007, AfterAStopNothingIsMapped) {
  maps({1});
  add(ev::MappingBalance{});
  maps({1});
  EXPECT_TRUE(holds("APER-007"));
}

}  // namespace
}  // namespace wddm::aper_007
