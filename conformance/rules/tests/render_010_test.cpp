// What is out of range in an element of the output list.
#include "conformance/rules/tests/trace_test.h"

namespace wddm::render_010 {
namespace {

// A call with altered input that made 64 bytes, and a list of one allocation and one NULL entry.
class Render010 : public TraceTest {
 protected:
  void made(const PatchRecord& element) {
    add(ev::RenderCalled{.allocations = 2, .patches_in = 1, .hostile = 1},
        std::vector<AllocationRecord>{{.size = 4096, .allocation = 0}, {.allocation = kNone}});
    add(ev::Rendered{.dma_used = 64, .hostile = 1}, std::vector<PatchRecord>{element});
  }
  bool holds() { return TraceTest::holds("RENDER-010"); }
};

TEST_F(Render010, AFieldLiesInsideTheBuffer) {
  made({.patch_offset = 60});
  EXPECT_TRUE(holds());
}

TEST_F(Render010, ElementsThatNobodyHasAlteredShowNothing) {
  op(OpKind::Render);
  op(OpKind::TamperCommand);
  made({.patch_offset = 60});
  EXPECT_TRUE(holds());
  EXPECT_EQ(times_reached("RENDER-010"), 0u);
  op(OpKind::Render);
  op(OpKind::TamperPatch);
  op(OpKind::Idle);
  made({.patch_offset = 60});
  EXPECT_EQ(times_reached("RENDER-010"), 1u);
  made({.patch_offset = 61});
  EXPECT_FALSE(holds());
}

TEST_F(Render010, AFieldBehindTheBufferIsOutOfRange) {
  made({.patch_offset = 61});
  EXPECT_FALSE(holds());
}

TEST_F(Render010, AnOffsetBehindTheAllocationIsOutOfRange) {
  made({.allocation_offset = 4097});
  EXPECT_FALSE(holds());
}

TEST_F(Render010, ALimitIsTheFirstByteBehindTheAllocation) {
  made({.allocation_offset = 4096});
  EXPECT_TRUE(holds());
}

TEST_F(Render010, WithNoDmaPatchingPatchOffsetMeansNothing) {
  platform_.scheduling.value = 4 | 8;
  made({.patch_offset = 4096});
  EXPECT_TRUE(holds());
}

TEST_F(Render010, AReleaseAtTheEndOfTheBufferHasNoField) {
  made({.allocation_index = 1, .patch_offset = 64});
  EXPECT_TRUE(holds());
}

TEST_F(Render010, AReleaseNamesAnEntryOfTheList) {
  made({.allocation_index = 2, .patch_offset = 64});
  EXPECT_FALSE(holds());
}

class Render010BrokenOff : public Render010 {
 protected:
  void plain() {
    op(OpKind::Render);
    add(ev::RenderCalled{.allocations = 1, .patches_in = 1});
    add(ev::Rendered{.dma_used = 64});
  }
  void called(OpKind altered, std::uint32_t allocations = 1) {
    op(OpKind::Render);
    op(altered);
    add(ev::RenderCalled{.allocations = allocations, .patches_in = 1, .hostile = 1});
  }
};

TEST_F(Render010BrokenOff, WhereACallHasReturnedBefore) {
  plain();
  called(OpKind::TamperPatch);
  EXPECT_FALSE(holds());
}

TEST_F(Render010BrokenOff, WhereAnyIndexIsOutOfRange) {
  called(OpKind::TamperPatch, 0);
  EXPECT_FALSE(holds());
}

TEST_F(Render010BrokenOff, ADriverThatMayCrashAtAnyCallIsNotAccused) {
  called(OpKind::TamperPatch);
  EXPECT_TRUE(holds());
}

TEST_F(Render010BrokenOff, AtInputOfAnotherKindIsAnothersMatter) {
  plain();
  called(OpKind::Revoke);
  EXPECT_TRUE(holds());
}

TEST_F(Render010BrokenOff, AtBothKindsNobodyKnowsWhich) {
  plain();
  op(OpKind::Render);
  op(OpKind::TamperPatch);
  op(OpKind::TamperCommand);
  add(ev::RenderCalled{.allocations = 1, .patches_in = 1, .hostile = 1});
  EXPECT_TRUE(holds());
}

TEST_F(Render010BrokenOff, InsideOfAPlainCallIsAnothersMatter) {
  plain();
  op(OpKind::Render);
  add(ev::RenderCalled{.allocations = 1, .patches_in = 1});
  EXPECT_TRUE(holds());
}

TEST_F(Render010BrokenOff, ByAWaitIsNoFault) {
  plain();
  called(OpKind::TamperPatch);
  add(ev::Hung{.waiters = 1});
  EXPECT_TRUE(holds());
}

}  // namespace
}  // namespace wddm::render_010
