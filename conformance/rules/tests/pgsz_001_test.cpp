// System pages that a driver merges where its entries do not show it.
#include "conformance/rules/tests/trace_test.h"

namespace wddm::pgsz_001 {
namespace {

constexpr std::uint32_t kPageBytes = 4096;

class Pgsz001 : public TraceTest {
 protected:
  // Sixteen entries of the allocation, so many bytes apart.
  void mapped(std::uint64_t first_va, std::uint64_t apart) {
    std::vector<EntryRecord> entries;
    for (std::uint32_t i = 0; i < 16; ++i) {
      entries.push_back({.address = i * apart, .flags = entry_flag::kValid | entry_flag::kSystem});
    }
    add(ev::TableUpdated{.first_va = first_va, .count = 16, .allocation = 1}, entries);
    add(ev::TableCompared{.update = 0, .packet = kNone, .decoded = 16});
  }
  // Of a block whose first two pages follow each other the second is not as asked for.
  void second_differs(const EntryRecord& wanted, const EntryRecord& seen) {
    std::vector<EntryRecord> entries;
    for (std::uint32_t i = 0; i < 16; ++i) {
      entries.push_back({.address = i * 3 * kPageBytes, .flags = wanted.flags});
    }
    entries[1] = wanted;
    add(ev::TableUpdated{.first_va = 0x20000, .count = 16, .allocation = 1}, entries);
    add(ev::TableCompared{.update = 0, .packet = kNone, .decoded = 16, .wrong = 1},
        std::vector<EntryDifference>{{.expected = wanted, .seen = seen, .index = 1}});
  }
  void wrong_at_page(std::uint32_t page) {
    add(ev::RootSet{.context = 1});
    add(ev::Submitted{.packet = 5, .context = 1});
    add(ev::MemoryDiffers{.where = static_cast<std::uint32_t>(MemoryPlace::Allocation),
                          .object = 1,
                          .offset = page * kPageBytes,
                          .cause = static_cast<std::uint32_t>(MemoryCause::Render),
                          .cause_object = 5});
  }
};

TEST_F(Pgsz001, APageInsideABlockIsNotReached) {
  mapped(0x20000, 3 * kPageBytes);
  wrong_at_page(3);
  EXPECT_FALSE(holds("PGSZ-001"));
}

TEST_F(Pgsz001, AnEntryLeadsBehindTheFirst) {
  constexpr std::uint32_t kFlags = entry_flag::kValid | entry_flag::kSystem;
  second_differs({.address = 7 * kPageBytes, .flags = kFlags},
                 {.address = kPageBytes, .flags = kFlags});
  EXPECT_FALSE(holds("PGSZ-001"));
}

TEST_F(Pgsz001, OneThatIsToLeadThereMayBeWrongElsewhere) {
  constexpr std::uint32_t kFlags = entry_flag::kValid | entry_flag::kSystem;
  second_differs({.address = kPageBytes, .flags = kFlags | entry_flag::kReadOnly},
                 {.address = kPageBytes, .flags = kFlags});
  EXPECT_TRUE(holds("PGSZ-001"));
  EXPECT_EQ(times_reached("PGSZ-001"), 1u);
}

TEST_F(Pgsz001, ThatTheFirstPageIsNotReachedIsAnotherMistake) {
  mapped(0x20000, 3 * kPageBytes);
  wrong_at_page(0);
  EXPECT_TRUE(holds("PGSZ-001"));
}

TEST_F(Pgsz001, PagesThatFollowEachOtherMayBeMerged) {
  mapped(0x20000, kPageBytes);
  wrong_at_page(3);
  EXPECT_TRUE(holds("PGSZ-001"));
  EXPECT_EQ(times_reached("PGSZ-001"), 0u);
}

TEST_F(Pgsz001, NoBlockBeginsInside64KB) {
  mapped(0x21000, 3 * kPageBytes);
  wrong_at_page(3);
  EXPECT_TRUE(holds("PGSZ-001"));
  EXPECT_EQ(times_reached("PGSZ-001"), 0u);
}

}  // namespace
}  // namespace wddm::pgsz_001
