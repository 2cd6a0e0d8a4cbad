// Which addresses a driver may reserve for itself, and when.
#include "conformance/rules/tests/trace_test.h"

namespace wddm::proc_002 {
namespace {

constexpr std::uint64_t kLeaf = 1u << 21;
constexpr std::uint64_t kRootEntry = 1u << 30;

// Three levels of 9 bits; CreateProcess of process 1 runs.
class Proc002 : public TraceTest {
 protected:
  Proc002() {
    add(ev::GpuMmuReported{.address_bits = 39, .levels = 3});
    for (std::uint32_t level = 0; level < 3; ++level) {
      add(ev::PageTableLevelReported{.level = level, .index_bits = 9});
    }
  }
  bool holds_for(const ev::RangeReserved& range) {
    add(range);
    return holds("PROC-002");
  }
  static ev::RangeReserved good() {
    return {.size = 2 * kLeaf,
            .base = 0,
            .start = 4 * kRootEntry,
            .process = 1,
            .creating = 1,
            .alignment = kLeaf};
  }
};

TEST_F(Proc002, WholeLeafTablesDuringCreationAreRight) {
  EXPECT_TRUE(holds_for(good()));
  EXPECT_EQ(times_reached("PROC-002"), 1u);
}

TEST_F(Proc002, LaterIsTooLate) {
  ev::RangeReserved late = good();
  late.creating = kNone;
  EXPECT_FALSE(holds_for(late));
}

TEST_F(Proc002, AnotherProcessIsWrong) {
  ev::RangeReserved other = good();
  other.process = 0;
  EXPECT_FALSE(holds_for(other));
}

TEST_F(Proc002, LessThanALeafTableIsWrong) {
  ev::RangeReserved little = good();
  little.size = 0x10000;
  EXPECT_FALSE(holds_for(little));
}

TEST_F(Proc002, TheBaseIsThatOfALeafTable) {
  ev::RangeReserved shifted = good();
  shifted.base = shifted.start = 4 * kRootEntry + kLeaf / 2;
  EXPECT_FALSE(holds_for(shifted));
}

TEST_F(Proc002, AlignmentIsAPowerOfTwo) {
  ev::RangeReserved odd = good();
  odd.alignment = 3 * kLeaf;
  EXPECT_FALSE(holds_for(odd));
}

TEST_F(Proc002, TheFirstEntryOfTheRootIsNotTheDrivers) {
  ev::RangeReserved low = good();
  low.base = low.start = 8 * kLeaf;
  EXPECT_FALSE(holds_for(low));
}

}  // namespace
}  // namespace wddm::proc_002
