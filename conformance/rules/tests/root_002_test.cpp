// Sizes of roots, and what they are the smallest of.
#include "conformance/rules/tests/levels_test.h"

namespace wddm::root_002 {
namespace {

constexpr std::uint32_t kUse64KBPages = 1u << 11;

class Root002 : public LevelsTest {
 protected:
  Root002() { caps(2); }
  // The root lies in segment 1.
  void root(std::uint32_t alignment = 4096) {
    add(ev::PageTableLevelReported{.level = 1, .segment = 1, .alignment = alignment});
  }
  void says(std::uint32_t asked, std::uint64_t bytes, std::uint32_t answered,
            std::uint32_t adapter = 0) {
    add(ev::RootSizeReported{
        .bytes = bytes, .physical_adapter = adapter, .asked = asked, .answered = answered});
  }
  bool holds() { return TraceTest::holds("ROOT-002"); }
};

TEST_F(Root002, PageByPage) {
  root();
  says(1, 4096, 512);
  says(512, 4096, 512);
  says(513, 8192, 1024);
  says(1, 4096, 512);
  EXPECT_TRUE(holds());
  EXPECT_EQ(times_reached("ROOT-002"), 4u);
}

TEST_F(Root002, NoWholePage) {
  root();
  says(600, 6000, 750);
  EXPECT_FALSE(holds());
}

TEST_F(Root002, PagesAreThoseOfItsSegment) {
  platform_.segments.push_back({.size = 1 << 20, .flags = {kUse64KBPages}});
  root();
  says(1, 4096, 512);
  EXPECT_FALSE(holds());
}

TEST_F(Root002, APageOf64KB) {
  platform_.segments.push_back({.size = 1 << 20, .flags = {kUse64KBPages}});
  root();
  says(1, 65536, 8192);
  EXPECT_TRUE(holds());
}

TEST_F(Root002, TheLargestForOne) {
  root();
  says(1, 1 << 20, 1);
  EXPECT_FALSE(holds());
}

TEST_F(Root002, HardwareMayKnowNothingSmallerIfItSaysWhatThatHolds) {
  root();
  says(1, 1 << 20, 1 << 17);
  says(513, 1 << 20, 1 << 17);
  EXPECT_TRUE(holds());
}

TEST_F(Root002, HardwareMayTakeLargerPieces) {
  root(16384);
  says(1, 16384, 2048);
  says(2049, 32768, 4096);
  EXPECT_TRUE(holds());
}

TEST_F(Root002, LessForMore) {
  root();
  says(512, 8192, 512);
  says(1024, 4096, 1024);
  EXPECT_FALSE(holds());
}

TEST_F(Root002, AnotherOneForTheSame) {
  root();
  says(600, 8192, 1024);
  says(600, 12288, 1024);
  EXPECT_FALSE(holds());
}

TEST_F(Root002, NoMoreThanForFewer) {
  root();
  says(1, 4096, 512);
  says(513, 4096, 513);
  EXPECT_FALSE(holds());
}

TEST_F(Root002, LessThanAByteForEach) {
  root();
  says(8192, 4096, 8192);
  EXPECT_FALSE(holds());
}

TEST_F(Root002, OfALinkEachGpuHasItsOwnPieces) {
  root();
  add(ev::PageTableLevelReported{.physical_adapter = 1, .level = 1, .alignment = 16384});
  says(1, 16384, 2048, 1);
  EXPECT_TRUE(holds());
  says(1, 16384, 1);
  EXPECT_FALSE(holds());
}

TEST_F(Root002, OfALinkEachGpuHasItsOwnSegments) {
  root();
  add(ev::SegmentReported{.segment = 1, .flags = kUse64KBPages, .physical_adapter = 1});
  add(ev::PageTableLevelReported{
      .physical_adapter = 1, .level = 1, .segment = 1, .alignment = 4096});
  says(1, 65536, 8192, 1);
  says(1, 4096, 512);
  EXPECT_TRUE(holds());
  says(1, 4096, 512, 1);
  EXPECT_FALSE(holds());
}

TEST_F(Root002, EachGpuHasItsOwn) {
  root();
  says(1024, 8192, 1024);
  says(1024, 4096, 1024, 1);
  EXPECT_TRUE(holds());
}

}  // namespace
}  // namespace wddm::root_002
