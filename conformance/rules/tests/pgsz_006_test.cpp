// Addresses of pages of 64 KB.
#include "conformance/rules/tests/trace_test.h"

namespace wddm::pgsz_006 {
namespace {

constexpr std::uint32_t kSegmentUses64KBPages = 1u << 11, kUse64KBPages = 8;

class Pgsz006 : public TraceTest {
 protected:
  Pgsz006() {
    platform_.segments.push_back({.size = 1 << 20, .flags = {kSegmentUses64KBPages}});
    platform_.segments.push_back({.size = 1 << 20});
  }
  void entry(std::uint64_t va, std::uint64_t page, std::uint32_t flags = kUse64KBPages) {
    add(ev::TableUpdated{.first_va = va, .count = 1, .flags = flags},
        std::vector<EntryRecord>{{.address = page, .flags = entry_flag::kValid}});
  }
  void created(std::uint32_t write_set) {
    add(ev::AllocationCreated{.allocation = 1, .write_set = write_set});
  }
  void mapped(std::uint64_t address, std::uint64_t offset = 0, std::uint64_t base = 0) {
    add(ev::AddressAnswered{.base = base,
                            .size = 0x10000,
                            .offset = offset,
                            .address = address,
                            .request = static_cast<std::uint32_t>(AddressRequest::Map),
                            .allocation = 1});
  }
  bool holds() { return TraceTest::holds("PGSZ-006"); }
  std::uint32_t reached() { return times_reached("PGSZ-006"); }
};

TEST_F(Pgsz006, Multiples) {
  entry(0x20000, 0x30000);
  EXPECT_TRUE(holds());
  EXPECT_EQ(reached(), 1u);
}

TEST_F(Pgsz006, AnAddressThatIsNone) {
  entry(0x21000, 0x30000);
  EXPECT_FALSE(holds());
}

TEST_F(Pgsz006, APageThatIsNone) {
  entry(0x20000, 0x31000);
  EXPECT_FALSE(holds());
}

TEST_F(Pgsz006, PagesCountFromTheStartOfTheirSegment) {
  platform_.segments[0].base = 0x1000;
  platform_.segments[1] = {.size = 1 << 21, .flags = {1}};  // an aperture at the same addresses
  entry(0x20000, 0x31000);
  EXPECT_TRUE(holds());
  entry(0x20000, 0x30000);
  EXPECT_FALSE(holds());
}

TEST_F(Pgsz006, EntriesOf4KBMayBeAnywhere) {
  entry(0x21000, 0x35000, 0);
  EXPECT_TRUE(holds());
  EXPECT_EQ(reached(), 0u);
}

TEST_F(Pgsz006, WhatVidMmChoosesAgreesWithTheOffset) {
  created(1);
  mapped(0x21000, 0x1000);
  EXPECT_TRUE(holds());
  EXPECT_EQ(reached(), 1u);
  mapped(0x21000);
  EXPECT_FALSE(holds());
}

TEST_F(Pgsz006, WhatUserModeChoosesNeedNot) {
  created(1);
  mapped(0x21000, 0, 0x21000);
  EXPECT_TRUE(holds());
  EXPECT_EQ(reached(), 0u);
}

TEST_F(Pgsz006, NorWhatLiesInPagesOf4KB) {
  created(2);
  mapped(0x21000);
  EXPECT_TRUE(holds());
}

}  // namespace
}  // namespace wddm::pgsz_006
