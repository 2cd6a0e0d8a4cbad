// What a driver does with private data that user mode has cut or altered.
#include <d3dkmddi.h>

#include "conformance/rules/tests/trace_test.h"

namespace wddm::alloc_010 {
namespace {

class Alloc010 : public TraceTest {
 protected:
  void enters(DdiId ddi) { add(ev::DdiEntered{.ddi = static_cast<std::uint32_t>(ddi)}); }
  void returns(DdiId ddi) { add(ev::DdiReturned{.ddi = static_cast<std::uint32_t>(ddi)}); }
  // As the op does before it tries what it has altered.
  void comes_and_goes() {
    for (const DdiId ddi : {DdiId::CreateAllocation, DdiId::OpenAllocation, DdiId::CloseAllocation,
                            DdiId::DestroyAllocation}) {
      enters(ddi);
      returns(ddi);
    }
  }
  void tried(NTSTATUS status, std::int32_t left_blocks, std::uint32_t damaged = 0) {
    add(ev::HostileDataTried{.given = 4,
                             .whole = 32,
                             .status = static_cast<std::uint32_t>(status),
                             .damaged = damaged,
                             .left_blocks = left_blocks});
  }
};

TEST_F(Alloc010, Refused) {
  tried(STATUS_INVALID_PARAMETER, 0);
  EXPECT_TRUE(holds("ALLOC-010"));
  EXPECT_EQ(times_reached("ALLOC-010"), 1u);
}

TEST_F(Alloc010, RefusedAndSomethingStays) {
  tried(STATUS_INVALID_PARAMETER, 1);
  EXPECT_FALSE(holds("ALLOC-010"));
}

TEST_F(Alloc010, AcceptedAndNowhereToBe) {
  for (const std::uint32_t impossible : {1u, 2u, 4u, 8u}) {
    add(ev::HostileDataTried{.given = 32, .whole = 32, .impossible = impossible});
  }
  EXPECT_EQ(failures("ALLOC-010"), 4u);
}

TEST_F(Alloc010, AcceptedAsWhatItCanBe) {
  add(ev::HostileDataTried{.given = 32, .whole = 32});
  EXPECT_TRUE(holds("ALLOC-010"));
  EXPECT_EQ(times_reached("ALLOC-010"), 1u);
}

TEST_F(Alloc010, DataOfContextsAreAnothersMatter) {
  add(ev::HostileDataTried{.data = static_cast<std::uint32_t>(DataOf::Context),
                           .status = static_cast<std::uint32_t>(STATUS_INVALID_PARAMETER),
                           .damaged = 3,
                           .left_blocks = 1});
  EXPECT_TRUE(holds("ALLOC-010"));
  EXPECT_EQ(times_reached("ALLOC-010"), 0u);
}

TEST_F(Alloc010, WhatStaysMayBeANeighbours) {
  op(OpKind::Neighbour);
  op(OpKind::HostileData);
  tried(STATUS_INVALID_PARAMETER, 1);
  EXPECT_TRUE(holds("ALLOC-010"));
  tried(STATUS_INVALID_PARAMETER, 0, 3);
  EXPECT_FALSE(holds("ALLOC-010"));
}

TEST_F(Alloc010, AcceptedMayKeepSomething) {
  tried(STATUS_SUCCESS, 1);
  EXPECT_TRUE(holds("ALLOC-010"));
}

TEST_F(Alloc010, WritesBehindThem) {
  tried(STATUS_SUCCESS, 0, 3);
  EXPECT_FALSE(holds("ALLOC-010"));
}

TEST_F(Alloc010, DoesNotReturn) {
  op(OpKind::HostileData);
  comes_and_goes();
  enters(DdiId::CreateAllocation);
  EXPECT_FALSE(holds("ALLOC-010"));
}

TEST_F(Alloc010, DoesNotReturnFromOpening) {
  op(OpKind::HostileData);
  comes_and_goes();
  enters(DdiId::CreateAllocation);
  returns(DdiId::CreateAllocation);
  enters(DdiId::OpenAllocation);
  EXPECT_FALSE(holds("ALLOC-010"));
}

TEST_F(Alloc010, WithUntouchedDataItIsAnothersMatter) {
  op(OpKind::HostileData);
  comes_and_goes();
  op(OpKind::HostileData);
  enters(DdiId::CreateAllocation);
  EXPECT_TRUE(holds("ALLOC-010"));
  EXPECT_EQ(times_reached("ALLOC-010"), 0u);
}

TEST_F(Alloc010, DoesNotReturnFromAnotherCall) {
  op(OpKind::HostileData);
  comes_and_goes();
  enters(DdiId::CreateAllocation);
  returns(DdiId::CreateAllocation);
  enters(DdiId::DestroyAllocation);
  EXPECT_TRUE(holds("ALLOC-010"));
}

TEST_F(Alloc010, HonestDataAreNoneOfItsBusiness) {
  op(OpKind::CreateAllocation);
  enters(DdiId::CreateAllocation);
  EXPECT_TRUE(holds("ALLOC-010"));
  EXPECT_EQ(times_reached("ALLOC-010"), 0u);
}

}  // namespace
}  // namespace wddm::alloc_010
