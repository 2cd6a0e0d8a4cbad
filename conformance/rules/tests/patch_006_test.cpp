// Which parts of buffers show that the GPU begins where it was told.
#include "conformance/rules/tests/trace_test.h"

namespace wddm::patch_006 {
namespace {

class Patch006 : public TraceTest {
 protected:
  // A buffer of these commands, of which packet 5 is the second part.
  void renders(std::vector<OpKind> commands) {
    op(OpKind::Render);
    for (const OpKind command : commands) op(command);
    add(ev::RenderCalled{.render = 3});
    add(ev::Submitted{.packet = 4, .render = 3, .start = 0, .end = 32});
    add(ev::Submitted{.packet = 5, .render = 3, .start = 32, .end = 64});
  }
  void right(std::uint32_t packet = 5) {
    add(ev::MemoryChecked{.cause = static_cast<std::uint32_t>(MemoryCause::Render),
                          .object = packet});
  }
  void differs(std::uint32_t seen, std::uint32_t packet = 5) {
    add(ev::MemoryDiffers{.length = 4,
                          .expected = 7,
                          .seen = seen,
                          .cause = static_cast<std::uint32_t>(MemoryCause::Render),
                          .cause_object = packet});
  }
  bool holds() { return TraceTest::holds("PATCH-006"); }
  std::uint32_t reached() { return times_reached("PATCH-006"); }
};

TEST_F(Patch006, EachPartCountsOnce) {
  renders({OpKind::Add, OpKind::Bind, OpKind::Add});
  right();
  EXPECT_TRUE(holds());
  EXPECT_EQ(reached(), 1u);
}

TEST_F(Patch006, TheFirstPartRunsAgain) {
  renders({OpKind::Add, OpKind::Bind, OpKind::Add});
  differs(8);
  EXPECT_FALSE(holds());
}

TEST_F(Patch006, AFillThatRunsTwiceLeavesNoTrace) {
  renders({OpKind::Fill, OpKind::Copy});
  right();
  EXPECT_EQ(reached(), 0u);
}

TEST_F(Patch006, NorDoesACountInTheLastCommandAlone) {
  renders({OpKind::Fill, OpKind::Add});
  right();
  EXPECT_EQ(reached(), 0u);
}

TEST_F(Patch006, TheNextBufferDoesNotCount) {
  renders({OpKind::Add});
  op(OpKind::Render);
  op(OpKind::Fill);
  add(ev::RenderCalled{.render = 4});
  add(ev::Submitted{.packet = 6, .render = 4, .start = 32, .end = 64});
  right(6);
  EXPECT_EQ(reached(), 0u);
}

TEST_F(Patch006, OfTheFirstPartOthersJudge) {
  renders({OpKind::Add, OpKind::Bind, OpKind::Add});
  differs(8, 4);
  EXPECT_TRUE(holds());
}

TEST_F(Patch006, OtherDifferencesAreAnotherFault) {
  renders({OpKind::Add, OpKind::Bind, OpKind::Add});
  differs(0x55667788);
  EXPECT_TRUE(holds());
}

}  // namespace
}  // namespace wddm::patch_006
