// What runs while memory of its context is evicted.
#include "conformance/rules/tests/trace_test.h"

namespace wddm::ctx_010 {
namespace {

class Ctx010 : public TraceTest {
 protected:
  void evicts(std::uint32_t context, std::uint32_t device = kNone) { moves(context, device, 1); }
  void returns(std::uint32_t context, std::uint32_t device = kNone) { moves(context, device, 0); }
  void submits(std::uint32_t context) { add(ev::Submitted{.packet = 5, .context = context}); }

 private:
  void moves(std::uint32_t context, std::uint32_t device, std::uint32_t evicted) {
    add(ev::ContextAllocationMoved{
        .number = 0, .context = context, .device = device, .evicted = evicted});
  }
};

TEST_F(Ctx010, BackBeforeThePacket) {
  evicts(1);
  returns(1);
  submits(1);
  EXPECT_TRUE(holds("CTX-010"));
  EXPECT_EQ(times_reached("CTX-010"), 1u);
}

TEST_F(Ctx010, NotBack) {
  evicts(1);
  submits(1);
  EXPECT_FALSE(holds("CTX-010"));
}

TEST_F(Ctx010, BackTooLate) {
  evicts(1);
  submits(1);
  returns(1);
  EXPECT_FALSE(holds("CTX-010"));
}

TEST_F(Ctx010, GoneAgain) {
  evicts(1);
  returns(1);
  evicts(1);
  submits(1);
  EXPECT_FALSE(holds("CTX-010"));
}

TEST_F(Ctx010, AnotherContextMayRun) {
  evicts(1);
  submits(2);
  EXPECT_TRUE(holds("CTX-010"));
  EXPECT_EQ(times_reached("CTX-010"), 0u);
}

TEST_F(Ctx010, PagingAndWhatLeavesAContextNeedNothing) {
  evicts(1);
  add(ev::Submitted{.packet = 5, .context = 1, .paging = 1});
  add(ev::Submitted{.packet = 6, .context = 1, .switches = 1});
  EXPECT_TRUE(holds("CTX-010"));
}

TEST_F(Ctx010, OneOfTheDeviceIsEveryContexts) {
  evicts(kNone, 3);
  add(ev::BufferBuilt{.context = 2, .device = 3});
  submits(2);
  EXPECT_FALSE(holds("CTX-010"));
}

TEST_F(Ctx010, OfAnotherDeviceItIsNot) {
  evicts(kNone, 3);
  add(ev::BufferBuilt{.context = 2, .device = 4});
  submits(2);
  EXPECT_TRUE(holds("CTX-010"));
}

TEST_F(Ctx010, WhatHasOnlyMovedSaysNothing) {
  returns(1);
  submits(1);
  EXPECT_TRUE(holds("CTX-010"));
  EXPECT_EQ(times_reached("CTX-010"), 0u);
}

TEST_F(Ctx010, OneThatIsGoneNeedsNothing) {
  evicts(1);
  add(ev::CallbackCalled{.callback =
                             static_cast<std::uint32_t>(CallbackId::DestroyContextAllocation)});
  submits(1);
  EXPECT_TRUE(holds("CTX-010"));
}

TEST_F(Ctx010, NorDoesAnotherInItsPlace) {
  evicts(1);
  add(ev::ContextAllocationMade{.number = 0, .context = 1});
  submits(1);
  EXPECT_TRUE(holds("CTX-010"));
}

}  // namespace
}  // namespace wddm::ctx_010
