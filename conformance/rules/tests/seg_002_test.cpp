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
                            .banks = static_cast<std::uint32_t>(banks.size())},
        banks);
  }
  void is_wddm2() {
    platform_.interface_version = static_cast<std::uint32_t>(InterfaceVersion::Wddm2_0);
  }
  bool holds() { return TraceTest::holds("SEG-002"); }

 private:
  std::uint32_t number_ = 0;
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
