// Whose addresses may not overlap, and which ends of banks are given.
#include "conformance/rules/tests/trace_test.h"

namespace wddm::seg_002 {
namespace {

constexpr std::uint32_t kAperture = 1, kMemory = 0;

class Seg002 : public TraceTest {
 protected:
  void segment(std::uint64_t base, std::uint32_t flags,
               const std::vector<std::uint64_t>& banks = {}) {
    add(ev::SegmentReported{.base = base,
                            .size = 0x10000,
                            .commit_limit = 0x10000,
                            .segment = ++number_,
                            .flags = flags,
                            .version = 3,
                            .banks = static_cast<std::uint32_t>(banks.size()),
                            .round = round_},
        banks);
  }
  bool holds_for(const ev::SegmentReported& reported) {
    add(reported);
    return holds();
  }
  void asked_again() {
    ++round_;
    number_ = 0;
  }
  void is_wddm2() {
    platform_.interface_version = static_cast<std::uint32_t>(InterfaceVersion::Wddm2_0);
  }
  bool holds() { return TraceTest::holds("SEG-002"); }

 private:
  std::uint32_t number_ = 0, round_ = 0;
};

TEST_F(Seg002, MemoryAndAnApertureAtOneAddress) {
  segment(0, kMemory);
  segment(0, kAperture);
  EXPECT_FALSE(holds());
  is_wddm2();
  EXPECT_TRUE(holds());
}

TEST_F(Seg002, TwoMemorySegmentsWithAnApertureBetweenThem) {
  is_wddm2();
  segment(0, kMemory);
  segment(0x4000, kAperture);
  segment(0x8000, kMemory);
  EXPECT_FALSE(holds());
}

TEST_F(Seg002, TheyMayLieElsewhereLater) {
  segment(0, kMemory);
  segment(0x10000, kMemory);
  asked_again();
  segment(0x10000, kMemory);
  segment(0x20000, kMemory);
  EXPECT_TRUE(holds());
}

TEST_F(Seg002, ThenTheyDoNotOverlapEither) {
  segment(0, kMemory);
  segment(0x10000, kMemory);
  asked_again();
  segment(0x10000, kMemory);
  segment(0x1f000, kMemory);
  EXPECT_FALSE(holds());
}

TEST_F(Seg002, NoSize) {
  EXPECT_FALSE(holds_for({.segment = 1, .version = 3}));
}

TEST_F(Seg002, NoWholePages) {
  EXPECT_FALSE(holds_for({.size = 0x10800, .commit_limit = 0x10800, .segment = 1, .version = 3}));
}

TEST_F(Seg002, MemoryThatIsNotCommittedWhole) {
  EXPECT_FALSE(holds_for({.size = 0x10000, .commit_limit = 0x8000, .segment = 1, .version = 3}));
}

TEST_F(Seg002, OfAnApertureLessMayBeCommitted) {
  EXPECT_TRUE(holds_for(
      {.size = 0x10000, .commit_limit = 0x8000, .segment = 1, .flags = kAperture, .version = 3}));
}

TEST_F(Seg002, OfAnApertureNoMoreMayBeCommittedThanItHasAddresses) {
  EXPECT_FALSE(holds_for(
      {.size = 0x10000, .commit_limit = 0x20000, .segment = 1, .flags = kAperture, .version = 4}));
}

TEST_F(Seg002, FromWddm2OnTheLimitIsOfAperturesAlone) {
  EXPECT_TRUE(holds_for({.size = 0x10000, .segment = 1, .version = 4}));
}

TEST_F(Seg002, ABankThatEndsBehindTheSegment) {
  segment(0, kMemory, {0x4000, 0x10001});
  EXPECT_FALSE(holds());
}

TEST_F(Seg002, EndsOfBanks) {
  segment(0, kMemory, {0x4000, 0x8000});
  EXPECT_TRUE(holds());
}

TEST_F(Seg002, EndsOfBanksThatDoNotIncrease) {
  segment(0, kMemory, {0x4000, 0x4000});
  EXPECT_FALSE(holds());
}

}  // namespace
}  // namespace wddm::seg_002
