// What an answer may leave as it was.
#include <d3dkmddi.h>

#include <cstddef>

#include "conformance/rules/tests/trace_test.h"

namespace wddm::alloc_015 {
namespace {

class Alloc015 : public TraceTest {
 protected:
  void leaves(DdiId ddi, std::uint32_t member, std::uint32_t bytes) {
    add(ev::AnswerUnwritten{
        .ddi = static_cast<std::uint32_t>(ddi), .member = member, .bytes = bytes});
  }
  bool holds() { return TraceTest::holds("ALLOC-015"); }
};

TEST_F(Alloc015, AMemberThatIsOutIsWritten) {
  op(OpKind::Prefill);
  leaves(DdiId::CreateAllocation, offsetof(DXGK_ALLOCATIONINFO, EvictionSegmentSet), 4);
  EXPECT_FALSE(holds());
}

TEST_F(Alloc015, WhatIsReservedMayStay) {
  op(OpKind::Prefill);
  leaves(DdiId::CreateContext, offsetof(DXGK_CONTEXTINFO, Reserved), 4);
  EXPECT_TRUE(holds());
}

TEST_F(Alloc015, ItsNeighbourMayNot) {
  op(OpKind::Prefill);
  leaves(DdiId::CreateContext, offsetof(DXGK_CONTEXTINFO, Reserved), 8);
  EXPECT_FALSE(holds());
}

TEST_F(Alloc015, HandlesAreWritten) {
  op(OpKind::Prefill);
  leaves(DdiId::OpenAllocation, offsetof(DXGK_OPENALLOCATIONINFO, hDeviceSpecificAllocation), 8);
  EXPECT_FALSE(holds());
}

TEST_F(Alloc015, SoAreAnswersToQueries) {
  op(OpKind::Prefill);
  leaves(DdiId::QueryAdapterInfo, offsetof(DXGK_QUERYSEGMENTOUT4, PagingBufferSize), 4);
  EXPECT_FALSE(holds());
}

TEST_F(Alloc015, ARefusedContextShowsNothing) {
  op(OpKind::Prefill);
  add(ev::ContextCreated{.status = 0xC000000D});
  EXPECT_EQ(times_reached("ALLOC-015"), 0u);
  add(ev::ContextCreated{});
  EXPECT_EQ(times_reached("ALLOC-015"), 1u);
}

TEST_F(Alloc015, WithoutAPatternNothingIsReached) {
  add(ev::AllocationCreated{.allocation = 0});
  EXPECT_TRUE(holds());
  EXPECT_EQ(times_reached("ALLOC-015"), 0u);
}

}  // namespace
}  // namespace wddm::alloc_015
