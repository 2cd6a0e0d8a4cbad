// What the CPU is told to see.
#include "conformance/rules/tests/trace_test.h"

namespace wddm::seg_006 {
namespace {

constexpr std::uint32_t kAperture = 1, kVisible = 4, kHostAperture = 1u << 13;

class Seg006 : public TraceTest {
 protected:
  void segment(std::uint32_t flags, SegmentWindow window, std::uint32_t page = 0,
               std::uint32_t host_pages = 0) {
    add(ev::SegmentReported{.size = 16 * 4096,
                            .segment = ++number_,
                            .flags = flags,
                            .round = round_,
                            .physical_adapter = gpu_,
                            .window = static_cast<std::uint32_t>(window),
                            .window_page = page,
                            .host_aperture_pages = host_pages});
  }
  bool holds() { return TraceTest::holds("SEG-006"); }

  void asked_again() {
    ++round_;
    number_ = 0;
  }

  std::uint32_t gpu_ = 0;

 private:
  std::uint32_t round_ = 0;
  std::uint32_t number_ = 0;
};

TEST_F(Seg006, WhatNobodySees) {
  segment(0, SegmentWindow::None);
  segment(kAperture | kVisible, SegmentWindow::None);
  EXPECT_TRUE(holds());
}

TEST_F(Seg006, InsideOfABar) {
  segment(kVisible, SegmentWindow::Inside);
  EXPECT_TRUE(holds());
}

TEST_F(Seg006, BehindTheEndOfABar) {
  segment(kVisible, SegmentWindow::Beyond);
  EXPECT_FALSE(holds());
}

TEST_F(Seg006, Nowhere) {
  segment(kVisible, SegmentWindow::None);
  EXPECT_FALSE(holds());
}

TEST_F(Seg006, SystemMemoryThatTheDriverHolds) {
  segment(kVisible, SegmentWindow::Elsewhere);
  EXPECT_TRUE(holds());
}

TEST_F(Seg006, TwoBesideEachOther) {
  segment(kVisible, SegmentWindow::Inside, 0);
  segment(kVisible, SegmentWindow::Inside, 16);
  EXPECT_TRUE(holds());
}

TEST_F(Seg006, TwoAtOnePlace) {
  segment(kVisible, SegmentWindow::Inside, 0);
  segment(kVisible, SegmentWindow::Inside, 15);
  EXPECT_FALSE(holds());
}

TEST_F(Seg006, TwoAtOnePlaceWhenTheDeviceLiesElsewhere) {
  segment(kVisible, SegmentWindow::Inside, 0);
  segment(kVisible, SegmentWindow::Inside, 16);
  asked_again();
  segment(kVisible, SegmentWindow::Inside, 32);
  segment(kVisible, SegmentWindow::Inside, 32);
  EXPECT_FALSE(holds());
}

TEST_F(Seg006, OneMayComeToWhereAnotherWas) {
  segment(kVisible, SegmentWindow::Inside, 0);
  segment(kVisible, SegmentWindow::Inside, 16);
  asked_again();
  segment(kVisible, SegmentWindow::Inside, 16);
  segment(kVisible, SegmentWindow::Inside, 32);
  EXPECT_TRUE(holds());
}

TEST_F(Seg006, AHostApertureOfNoPage) {
  segment(kHostAperture, SegmentWindow::Inside);
  EXPECT_FALSE(holds());
}

TEST_F(Seg006, EachGpuOfALinkHasABarOfItsOwn) {
  segment(kVisible, SegmentWindow::Inside, 0);
  gpu_ = 1;
  segment(kVisible, SegmentWindow::Inside, 0);
  segment(kHostAperture, SegmentWindow::Inside, 16, 8);
  EXPECT_TRUE(holds());
  EXPECT_EQ(times_reached("SEG-006"), 3u);
}

// What lies in the BAR of the first is in none of the second's.
TEST_F(Seg006, TheWindowOfAnotherGpu) {
  segment(kHostAperture, SegmentWindow::Inside, 0, 8);
  gpu_ = 1;
  segment(kHostAperture, SegmentWindow::None, 0, 8);
  EXPECT_FALSE(holds());
}

TEST_F(Seg006, TwoAtOnePlaceOfTheSecondGpu) {
  gpu_ = 1;
  segment(kVisible, SegmentWindow::Inside, 0);
  segment(kHostAperture, SegmentWindow::Inside, 15, 8);
  EXPECT_FALSE(holds());
}

TEST_F(Seg006, TheSecondGpuMayHaveSegmentsThatTheFirstHasNot) {
  platform_.started = true;
  platform_.linked_adapters = 2;
  EXPECT_EQ(find_rule("SEG-006")->applies(platform_), nullptr);
}

TEST_F(Seg006, WithoutSuchASegmentItSaysSo) {
  const auto applies = [this] { return find_rule("SEG-006")->applies(platform_); };
  platform_.segments.resize(1);
  platform_.segments[0].flags.value = kAperture;
  EXPECT_EQ(applies(), nullptr) << "it may come, as long as the driver has not started";
  platform_.started = true;
  EXPECT_NE(applies(), nullptr);
  platform_.segments[0].flags.value = kHostAperture;
  EXPECT_EQ(applies(), nullptr);
}

}  // namespace
}  // namespace wddm::seg_006
