// Bytes that Patch changes, and where they lie.
#include "conformance/rules/tests/trace_test.h"

namespace wddm::patch_002 {
namespace {

class Patch002 : public TraceTest {
 protected:
  void patched(const std::vector<RangeRecord>& changed, std::uint32_t paging = 0) {
    add(ev::Patched{.start = 32, .end = 64, .paging = paging}, changed);
  }
  void returned(DdiId ddi) { add(ev::DdiReturned{.ddi = static_cast<std::uint32_t>(ddi)}); }
  void damaged(GuardArea area = GuardArea::DmaBuffer) {
    add(ev::GuardDamaged{.area = static_cast<std::uint32_t>(area), .first = -4, .bytes = 4});
  }
  bool holds() { return TraceTest::holds("PATCH-002"); }
};

TEST_F(Patch002, InThePortion) {
  patched({{32, 8}, {56, 8}});
  EXPECT_TRUE(holds());
  EXPECT_EQ(times_reached("PATCH-002"), 1u);
}

TEST_F(Patch002, BeforeIt) {
  patched({{24, 8}});
  EXPECT_FALSE(holds());
}

TEST_F(Patch002, BehindIt) {
  patched({{32, 8}, {64, 1}});
  EXPECT_FALSE(holds());
}

TEST_F(Patch002, AcrossItsEnd) {
  patched({{60, 8}});
  EXPECT_FALSE(holds());
}

TEST_F(Patch002, BesideTheBuffer) {
  returned(DdiId::Patch);
  damaged();
  EXPECT_FALSE(holds());
}

TEST_F(Patch002, BesideItsPrivateData) {
  returned(DdiId::Patch);
  damaged(GuardArea::DmaPrivateData);
  EXPECT_FALSE(holds());
}

TEST_F(Patch002, WhatOtherCallsDamageIsAnothersMatter) {
  returned(DdiId::Render);
  damaged();
  returned(DdiId::Patch);
  damaged(GuardArea::PatchedPagingBuffer);
  EXPECT_TRUE(holds());
}

TEST_F(Patch002, SoArePagingBuffers) {
  patched({{0, 8}}, 1);
  EXPECT_TRUE(holds());
  EXPECT_EQ(times_reached("PATCH-002"), 0u);
}

}  // namespace
}  // namespace wddm::patch_002
