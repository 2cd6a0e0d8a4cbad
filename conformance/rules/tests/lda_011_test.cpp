// Roots that contexts of two GPUs run with.
#include "conformance/rules/tests/space_test.h"

namespace wddm::lda_011 {
namespace {

class Lda011 : public SpaceTest {
 protected:
  // Context n is of GPU n - 1, and of one process.
  void sets(std::uint32_t context, std::uint64_t place = 0x1000) {
    add(ev::RootSet{.place = place,
                    .context = context,
                    .process = 3,
                    .entries = 512,
                    .physical_adapter = context - 1});
  }
  std::size_t failures() { return TraceTest::failures("LDA-011"); }
  std::uint32_t reached() { return times_reached("LDA-011"); }
};

TEST_F(Lda011, BothRunWithIt) {
  sets(1);
  sets(2);
  submitted(4, 1);
  right(4);
  submitted(5, 2);
  right(5);
  EXPECT_EQ(failures(), 0u);
  EXPECT_EQ(reached(), 1u);
}

TEST_F(Lda011, TheOtherGpuReadsNoTable) {
  sets(2);
  submitted(5, 2);
  astray(5, AstrayWalk::NoTable);
  EXPECT_EQ(failures(), 1u);
}

TEST_F(Lda011, TheOtherGpuReadsTheFormerRoot) {
  sets(2);
  sets(2, 0x9000);
  submitted(5, 2);
  astray(5, AstrayWalk::FormerTable);
  EXPECT_EQ(failures(), 1u);
}

TEST_F(Lda011, WhatWasSubmittedBeforeKnowsTheFormerRoot) {
  sets(2);
  submitted(5, 2);
  sets(2, 0x9000);
  astray(5, AstrayWalk::FormerTable);
  EXPECT_EQ(failures(), 0u);
}

TEST_F(Lda011, ItsCommandsAreOutOfReach) {
  sets(2);
  submitted(5, 2);
  faulted(5, 0);
  EXPECT_EQ(failures(), 1u);
}

TEST_F(Lda011, AnotherAddressSaysNothingOfRoots) {
  sets(2);
  submitted(5, 2);
  faulted(5, 0x5000);
  EXPECT_EQ(failures(), 0u);
  EXPECT_EQ(reached(), 0u);
}

TEST_F(Lda011, TablesBelowTheRootAreOthersMatter) {
  sets(2);
  submitted(5, 2);
  astray(5, AstrayWalk::NoTable, kLeaf);
  EXPECT_EQ(failures(), 0u);
}

TEST_F(Lda011, TheFirstGpuIsOthersMatter) {
  sets(1);
  submitted(4, 1);
  astray(4, AstrayWalk::NoTable);
  EXPECT_EQ(failures(), 0u);
  EXPECT_EQ(reached(), 0u);
}

TEST_F(Lda011, AnotherContextInTheSlotHasNoRootYet) {
  sets(2);
  add(ev::ContextCreated{.context = 2});
  submitted(5, 2);
  astray(5, AstrayWalk::NoTable);
  EXPECT_EQ(failures(), 0u);
}

}  // namespace
}  // namespace wddm::lda_011
