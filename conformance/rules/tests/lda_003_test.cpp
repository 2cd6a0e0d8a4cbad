// Roots of a process on two GPUs.
#include "conformance/rules/tests/trace_test.h"

namespace wddm::lda_003 {
namespace {

class Lda003 : public TraceTest {
 protected:
  /// Of the one context that each GPU has.
  void sets(std::uint32_t physical_adapter, std::uint64_t place) {
    add(ev::RootSet{.place = place,
                    .context = physical_adapter,
                    .process = 1,
                    .physical_adapter = physical_adapter});
  }
  void submits(std::uint32_t physical_adapter) {
    add(ev::Submitted{.context = physical_adapter, .engine = physical_adapter});
  }
  void updates(std::uint32_t physical_adapter, EntryRecord entry) {
    add(ev::TableUpdated{.place = 0x1000,
                         .process = 1,
                         .level = 1,
                         .first = 3,
                         .count = 1,
                         .entries = 512,
                         .physical_adapter = physical_adapter},
        std::vector<EntryRecord>{entry});
  }
  void compares(std::uint64_t place) {
    add(ev::InstanceCompared{.place = place,
                             .first_place = 0x1000,
                             .process = 1,
                             .physical_adapter = 1,
                             .entries = 512,
                             .root = 1});
  }
  std::size_t failures() { return TraceTest::failures("LDA-003"); }
};

TEST_F(Lda003, OneAddressForAllPasses) {
  sets(0, 0x1000);
  sets(1, 0x1000);
  submits(0);
  EXPECT_EQ(failures(), 0u);
  EXPECT_EQ(times_reached("LDA-003"), 1u);
}

TEST_F(Lda003, AnotherAddressOnTheOtherGpuDoesNot) {
  sets(0, 0x1000);
  sets(1, 0x2000);
  submits(1);
  EXPECT_EQ(failures(), 1u);
}

TEST_F(Lda003, ARootThatMovesIsSetForOneAfterTheOther) {
  sets(0, 0x1000);
  sets(1, 0x1000);
  sets(0, 0x2000);
  sets(1, 0x2000);
  submits(0);
  EXPECT_EQ(failures(), 0u);
  sets(0, 0x3000);
  EXPECT_EQ(failures(), 0u);
  submits(1);
  EXPECT_EQ(failures(), 1u);
}

TEST_F(Lda003, ContextsThatAreGoneLookForNoRoot) {
  sets(0, 0x1000);
  sets(1, 0x1000);
  add(ev::DdiEntered{.ddi = static_cast<std::uint32_t>(DdiId::DestroyContext), .object = 1});
  sets(0, 0x2000);
  submits(0);
  EXPECT_EQ(failures(), 0u);
  EXPECT_EQ(times_reached("LDA-003"), 0u);
}

TEST_F(Lda003, EntriesThatWereAskedForOnOneGpuOnlyDoNotPass) {
  updates(0, {.address = 0x5000, .flags = entry_flag::kValid});
  compares(0x1000);
  updates(1, {.address = 0x5000, .flags = entry_flag::kValid});
  compares(0x1000);
  EXPECT_EQ(failures(), 1u);
}

TEST_F(Lda003, NorDoesARootThatLiesElsewhere) {
  updates(0, {});
  updates(1, {});
  compares(0x2000);
  EXPECT_EQ(failures(), 1u);
}

TEST_F(Lda003, WhatADriverMadeOfEqualUpdatesIsNotOurs) {
  updates(0, {});
  updates(1, {});
  add(ev::InstanceCompared{.place = 0x1000,
                           .first_place = 0x1000,
                           .process = 1,
                           .physical_adapter = 1,
                           .entries = 512,
                           .unlike = 9,
                           .root = 1});
  EXPECT_EQ(failures(), 0u);
}

TEST_F(Lda003, MovedRootsKeepWhatTheyHold) {
  updates(0, {.address = 0x5000, .flags = entry_flag::kValid});
  updates(1, {.address = 0x5000, .flags = entry_flag::kValid});
  add(ev::TableMoved{.from = 0x1000, .to = 0x3000, .process = 1});
  add(ev::InstanceCompared{
      .place = 0x3000, .first_place = 0x3000, .process = 1, .physical_adapter = 1, .root = 1});
  EXPECT_EQ(failures(), 0u);
}

TEST_F(Lda003, LeavesAreNotItsBusiness) {
  add(ev::InstanceCompared{.place = 0x2000, .first_place = 0x1000, .entries = 512, .unlike = 1});
  EXPECT_EQ(failures(), 0u);
  EXPECT_EQ(times_reached("LDA-003"), 0u);
}

}  // namespace
}  // namespace wddm::lda_003
