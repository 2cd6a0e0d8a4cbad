// Bytes beside the outputs of Render.
#include "conformance/rules/tests/trace_test.h"

namespace wddm::render_004 {
namespace {

class Render004 : public TraceTest {
 protected:
  void returned(DdiId ddi) { add(ev::DdiReturned{.ddi = static_cast<std::uint32_t>(ddi)}); }
  void damaged(GuardArea area) {
    add(ev::GuardDamaged{.area = static_cast<std::uint32_t>(area), .bytes = 1});
  }
  bool holds() { return TraceTest::holds("RENDER-004"); }
};

TEST_F(Render004, NothingIsWrittenThere) {
  returned(DdiId::Render);
  add(ev::Rendered{});
  EXPECT_TRUE(holds());
  EXPECT_EQ(times_reached("RENDER-004"), 1u);
}

TEST_F(Render004, EachOutputHasItsEnd) {
  returned(DdiId::Render);
  damaged(GuardArea::DmaBuffer);
  damaged(GuardArea::DmaPrivateData);
  damaged(GuardArea::PatchListOut);
  EXPECT_EQ(failures("RENDER-004"), 3u);
}

TEST_F(Render004, OtherCallsAreAnothersMatter) {
  returned(DdiId::Render);
  returned(DdiId::Patch);
  damaged(GuardArea::DmaBuffer);
  EXPECT_TRUE(holds());
}

TEST_F(Render004, OtherAreasAreAnothersMatter) {
  returned(DdiId::Render);
  damaged(GuardArea::PagingBuffer);
  EXPECT_TRUE(holds());
}

}  // namespace
}  // namespace wddm::render_004
