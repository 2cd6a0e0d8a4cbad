// Tables of one level below the root on two GPUs.
#include "conformance/rules/tests/trace_test.h"

namespace wddm::lda_004 {
namespace {

class Lda004 : public TraceTest {
 protected:
  void updates(std::uint32_t physical_adapter, EntryRecord entry, std::uint64_t first_va = 0) {
    add(ev::TableUpdated{.place = 0x1000,
                         .first_va = first_va,
                         .process = 1,
                         .first = 3,
                         .count = 1,
                         .flags = 1u << 1,  // InitialUpdate
                         .entries = 512,
                         .physical_adapter = physical_adapter},
        std::vector<EntryRecord>{entry});
  }
  void compares() {
    add(ev::InstanceCompared{.place = 0x1000,
                             .first_place = 0x1000,
                             .process = 1,
                             .physical_adapter = 1,
                             .entries = 512});
  }
  // UpdateGpuVirtualAddress of two pages.
  void maps_tiles(std::uint64_t base, std::uint32_t refused = 0) {
    add(ev::AddressAnswered{.base = base,
                            .size = 0x2000,
                            .process = 1,
                            .request = static_cast<std::uint32_t>(AddressRequest::Update),
                            .refused = refused});
  }
  bool holds() { return TraceTest::holds("LDA-004"); }

  static constexpr EntryRecord kFirst{.address = 0x5000, .flags = entry_flag::kValid};
  static constexpr EntryRecord kSecond{.address = 0x6000, .flags = entry_flag::kValid};
};

TEST_F(Lda004, TheSameOnBothPasses) {
  updates(0, kFirst);
  updates(1, kFirst);
  compares();
  EXPECT_TRUE(holds());
  EXPECT_EQ(times_reached("LDA-004"), 1u);
}

TEST_F(Lda004, AnInstanceThatNobodyInitializedDoesNot) {
  updates(0, kFirst);
  compares();
  EXPECT_FALSE(holds());
}

TEST_F(Lda004, EntriesOfOneOnlyDoNot) {
  updates(0, kFirst);
  updates(1, kSecond);
  compares();
  EXPECT_FALSE(holds());
}

TEST_F(Lda004, TilesAreOfTheGpuOfTheirContext) {
  maps_tiles(0x3000);
  updates(0, kFirst, 0x4000);
  updates(1, kSecond, 0x4000);
  compares();
  EXPECT_TRUE(holds());
}

TEST_F(Lda004, WhatLiesBehindTilesIsOfBoth) {
  maps_tiles(0x3000);
  updates(0, kFirst, 0x5000);
  updates(1, kSecond, 0x5000);
  compares();
  EXPECT_FALSE(holds());
}

TEST_F(Lda004, TilesThatWereRefusedAreNone) {
  maps_tiles(0x3000, 1);
  updates(0, kFirst, 0x4000);
  updates(1, kSecond, 0x4000);
  compares();
  EXPECT_FALSE(holds());
}

}  // namespace
}  // namespace wddm::lda_004
