// Operations inside pages: which differences are of offsets, and which of entries.
#include "conformance/rules/tests/trace_test.h"

namespace wddm::mmu_006 {
namespace {

constexpr std::uint32_t kVirtualTransfer = 8;
constexpr std::uint64_t kSource = 0x40000, kDestination = 0xA0000;

class Mmu006 : public TraceTest {
 protected:
  // The entries of two pages, as the decoder found them.
  void window(std::uint64_t first_va, std::uint32_t wrong, std::uint32_t pages = 2) {
    add(ev::TableUpdated{.first_va = first_va, .process = kSystemProcessNumber, .count = pages},
        std::vector<EntryRecord>(pages, {.flags = entry_flag::kValid}));
    add(ev::TableCompared{
        .update = updates_++, .process = kSystemProcessNumber, .decoded = pages, .wrong = wrong});
  }
  void transfer(std::uint64_t inside, std::uint64_t size, bool differs) {
    if (!differs) return done(inside, size, nullptr);
    const ev::MemoryDiffers first{.offset = static_cast<std::uint32_t>(inside)};
    done(inside, size, &first);
  }
  // The first word that differs.
  void differs_at(std::uint64_t inside, std::uint64_t size, std::uint32_t offset,
                  std::uint32_t expected, std::uint32_t seen) {
    const ev::MemoryDiffers first{.offset = offset, .expected = expected, .seen = seen};
    done(inside, size, &first);
  }

 private:
  void done(std::uint64_t inside, std::uint64_t size, const ev::MemoryDiffers* differs) {
    add(ev::PagingBuilt{.operation = kVirtualTransfer},
        std::vector<PagingArguments>{{.size = size,
                                      .source_address = kSource + inside,
                                      .destination_address = kDestination + inside}});
    add(ev::PagingDone{.operation = kVirtualTransfer, .packet = 9});
    const auto cause = static_cast<std::uint32_t>(MemoryCause::Paging);
    add(ev::MemoryChecked{
        .cause = cause, .object = 9, .differences = differs != nullptr ? 1u : 0u});
    if (differs == nullptr) return;
    ev::MemoryDiffers blamed = *differs;
    blamed.cause = cause;
    blamed.cause_object = 9;
    add(blamed);
  }

  std::uint32_t updates_ = 0;
};

TEST_F(Mmu006, AnOffsetGetsLost) {
  window(kSource, 0);
  window(kDestination, 0);
  transfer(0xFF9, 16, true);
  EXPECT_FALSE(holds("MMU-006"));
}

TEST_F(Mmu006, WithoutADecoderMemoryIsEnough) {
  transfer(0xFF9, 16, true);
  EXPECT_FALSE(holds("MMU-006"));
}

TEST_F(Mmu006, WrongEntriesAreOfOtherClauses) {
  window(kSource, 0);
  window(kDestination, 1);
  transfer(0xFF9, 16, true);
  EXPECT_TRUE(holds("MMU-006"));
  window(kDestination, 0);
  transfer(0xFF9, 16, true);
  EXPECT_FALSE(holds("MMU-006"));
}

TEST_F(Mmu006, ARightEntryCoversNoWrongOneBesideIt) {
  window(kSource, 0);
  window(kDestination, 1, 1);
  window(kDestination + 0x1000, 0, 1);
  transfer(0xFF9, 16, true);
  EXPECT_TRUE(holds("MMU-006"));
  window(kDestination, 0, 1);
  transfer(0xFF9, 16, true);
  EXPECT_FALSE(holds("MMU-006"));
}

// Bytes 4089 to 4104: of the word at 4104 the first byte is the operation's.
TEST_F(Mmu006, WhatLiesBehindTheEndIsNoMatterOfTheOffset) {
  differs_at(0xFF9, 16, 4104, 0x11223344, 0xAABBCC44);
  EXPECT_TRUE(holds("MMU-006"));
  EXPECT_FALSE(holds("VPAGE-002"));
  differs_at(0xFF9, 16, 4104, 0x11223344, 0xAABBCCDD);
  EXPECT_FALSE(holds("MMU-006"));
}

TEST_F(Mmu006, WhatLiesAheadOfTheBeginIsOne) {
  differs_at(0xFF9, 16, 4032, 0, 1);
  EXPECT_FALSE(holds("MMU-006"));
}

TEST_F(Mmu006, WholePagesSayNothingOfOffsets) {
  transfer(0, 4096, true);
  EXPECT_TRUE(holds("MMU-006"));
  EXPECT_EQ(times_reached("MMU-006"), 0u);
  transfer(0, 100, false);
  EXPECT_EQ(times_reached("MMU-006"), 1u);
}

}  // namespace
}  // namespace wddm::mmu_006
