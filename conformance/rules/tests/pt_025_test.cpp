// Copies of entries from a table to itself.
#include "conformance/rules/tests/trace_test.h"
#include "reference/trace/copied_entries.h"

namespace wddm::pt_025 {
namespace {

constexpr std::uint64_t kPage = 4096, kLeaf = 512 * kPage;

class Pt025 : public TraceTest {
 protected:
  // Four entries of a leaf table to four others.
  void copied(std::uint64_t source, std::uint64_t destination, std::uint32_t unlike,
              std::uint32_t outside = 0, std::uint32_t read = 4, std::uint32_t process = 0) {
    add(ev::EntriesCopied{.process = 0,
                          .from_first = 8,
                          .to_first = 16,
                          .count = 4,
                          .read = read,
                          .unlike = unlike,
                          .outside = outside,
                          .ranges = 1},
        std::vector<CopiedFrom>{{.source_va = source * kLeaf + 8 * kPage,
                                 .first_va = destination * kLeaf + 16 * kPage,
                                 .source_process = process}});
  }
};

TEST_F(Pt025, AsTheSource) {
  copied(3, 3, 0);
  EXPECT_TRUE(holds("PT-025"));
  EXPECT_EQ(times_reached("PT-025"), 1u);
}

TEST_F(Pt025, Others) {
  copied(3, 3, 2);
  EXPECT_FALSE(holds("PT-025"));
}

TEST_F(Pt025, TheSourceHasBecomeTheDestination) {
  copied(3, 3, 0, 32);
  EXPECT_FALSE(holds("PT-025"));
}

TEST_F(Pt025, BetweenTwoTablesItIsAnothersAffair) {
  copied(2, 3, 4, 8);
  EXPECT_TRUE(holds("PT-025"));
  EXPECT_EQ(times_reached("PT-025"), 0u);
}

TEST_F(Pt025, SoIsWhatLiesAtTheSameAddressesOfAnotherSpace) {
  copied(3, 3, 4, 0, 4, kPrivilegedSpaceNumber);
  EXPECT_TRUE(holds("PT-025"));
  EXPECT_EQ(times_reached("PT-025"), 0u);
}

TEST_F(Pt025, WhatNobodyCanReadIsNotJudged) {
  copied(3, 3, 0, 0, 0);
  EXPECT_TRUE(holds("PT-025"));
  EXPECT_EQ(times_reached("PT-025"), 0u);
}

}  // namespace
}  // namespace wddm::pt_025
