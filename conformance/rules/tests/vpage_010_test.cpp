// Addresses of the paging process that lead nowhere, or where they led before.
#include "conformance/rules/tests/trace_test.h"

namespace wddm::vpage_010 {
namespace {

constexpr std::uint32_t kTransfer = 8, kFill = 9;
constexpr std::uint32_t kSystem = kSystemProcessNumber;

class Vpage010 : public TraceTest {
 protected:
  Vpage010() { add(ev::GpuMmuReported{.address_bits = 40}); }
  void leads(std::uint64_t address, std::uint64_t to, std::uint32_t flags = entry_flag::kValid) {
    add(ev::TableUpdated{.first_va = address, .process = kSystem, .count = 1, .has_buffer = 1},
        std::vector<EntryRecord>{{.address = to, .flags = flags}});
  }
  void flushes(std::uint64_t start, std::uint64_t end) {
    add(ev::TlbFlushBuilt{.start = start, .end = end, .process = kSystem});
  }
  void fills(std::uint64_t address, std::uint64_t size) {
    add(ev::PagingBuilt{.operation = kFill},
        std::vector<PagingArguments>{{.size = size, .destination_address = address}});
  }
};

TEST_F(Vpage010, MappedAddressesAreUsed) {
  leads(0x40000, 0x1000);
  fills(0x40010, 0xff0);
  EXPECT_TRUE(holds("VPAGE-010"));
  EXPECT_EQ(times_reached("VPAGE-010"), 2u);
}

TEST_F(Vpage010, ARangeThatEndsBehindWhatIsMapped) {
  leads(0x40000, 0x1000);
  fills(0x40010, 0xff1);
  EXPECT_EQ(failures("VPAGE-010"), 1u);
}

TEST_F(Vpage010, ASourceThatIsNotMapped) {
  leads(0x40000, 0x1000);
  add(ev::PagingBuilt{.operation = kTransfer},
      std::vector<PagingArguments>{
          {.size = 16, .source_address = 0x50000, .destination_address = 0x40000}});
  EXPECT_EQ(failures("VPAGE-010"), 1u);
}

TEST_F(Vpage010, AnEntryThatIsInvalidByThen) {
  leads(0x40000, 0x1000);
  leads(0x40000, 0, 0);
  flushes(0x40000, 0x41000);
  fills(0x40000, 16);
  EXPECT_EQ(failures("VPAGE-010"), 1u);
}

TEST_F(Vpage010, AnEntryThatLedElsewhereIsFlushed) {
  leads(0x40000, 0x1000);
  leads(0x40000, 0x2000);
  fills(0x40000, 16);
  EXPECT_EQ(failures("VPAGE-010"), 1u);
  flushes(0, 0);
  fills(0x40000, 16);
  EXPECT_EQ(failures("VPAGE-010"), 1u);
}

TEST_F(Vpage010, AFlushOfOtherAddressesIsNone) {
  leads(0x40000, 0x1000);
  leads(0x40000, 0x2000);
  flushes(0x41000, 0x42000);
  fills(0x40000, 16);
  EXPECT_EQ(failures("VPAGE-010"), 1u);
}

TEST_F(Vpage010, WhatADriverHasRefusedIsFollowedByNoFlush) {
  leads(0x40000, 0x1000);
  add(ev::TableUpdated{.first_va = 0x40000,
                       .process = kSystem,
                       .count = 1,
                       .status = 0xC000000D,
                       .has_buffer = 1},
      std::vector<EntryRecord>{{.address = 0x2000, .flags = entry_flag::kValid}});
  fills(0x40000, 16);
  EXPECT_TRUE(holds("VPAGE-010"));
  fills(0, 16);
  EXPECT_EQ(failures("VPAGE-010"), 1u) << "its first page is used all the same";
  add(ev::ProcessCreated{.process = kSystem});
  leads(0x40000, 0x1000);
  fills(0x50000, 16);
  EXPECT_EQ(failures("VPAGE-010"), 2u);
}

TEST_F(Vpage010, AnotherProcessBeginsAnew) {
  leads(0x40000, 0x1000);
  add(ev::ProcessCreated{.process = kSystem});
  leads(0x40000, 0x2000);
  fills(0x40000, 16);
  EXPECT_TRUE(holds("VPAGE-010"));
}

TEST_F(Vpage010, ALargePageMapsTheFirstPageToo) {
  add(ev::TableUpdated{.process = kSystem, .level = 1, .count = 1},
      std::vector<EntryRecord>{{.flags = entry_flag::kValid | entry_flag::kLargePage}});
  EXPECT_EQ(failures("VPAGE-010"), 1u);
}

TEST_F(Vpage010, TheFirstPageLeadsNowhere) {
  leads(0, 0, 0);
  EXPECT_TRUE(holds("VPAGE-010"));
  leads(0, 0x1000);
  EXPECT_EQ(failures("VPAGE-010"), 1u);
}

}  // namespace
}  // namespace wddm::vpage_010
