// Where Patch may write when it is given a paging buffer.
#include "conformance/rules/tests/trace_test.h"

namespace wddm::patch_005 {
namespace {

class Patch005 : public TraceTest {
 protected:
  void damaged(GuardArea area) {
    add(ev::GuardDamaged{.area = static_cast<std::uint32_t>(area), .first = 64, .bytes = 1});
  }
  void patched(const std::vector<RangeRecord>& changed) {
    add(ev::Patched{.start = 0, .end = 32, .paging = 1}, changed);
  }
  bool holds() { return TraceTest::holds("PATCH-005"); }
};

TEST_F(Patch005, TheSubmittedBytesMayChange) {
  patched({{.offset = 0, .length = 32}});
  EXPECT_TRUE(holds());
}

TEST_F(Patch005, TheBytesBehindThemMayNot) {
  patched({{.offset = 32, .length = 1}});
  EXPECT_FALSE(holds());
}

TEST_F(Patch005, NothingBehindTheBufferChanges) {
  damaged(GuardArea::PatchedPagingBuffer);
  EXPECT_FALSE(holds());
  EXPECT_TRUE(TraceTest::holds("PAGE-001"));
}

TEST_F(Patch005, WhatBuildPagingBufferWritesIsNotOfPatch) {
  damaged(GuardArea::PagingBuffer);
  EXPECT_TRUE(holds());
  EXPECT_FALSE(TraceTest::holds("PAGE-001"));
}

}  // namespace
}  // namespace wddm::patch_005
