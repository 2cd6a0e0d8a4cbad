// What counts as a sign of another root where a device logs no walks: faults at what is mapped, and
// nothing else.
#include "conformance/rules/tests/trace_test.h"
#include "conformance/sdk/device.h"

namespace wddm::root_005 {
namespace {

constexpr std::uint64_t kEntryBytes = 1u << 21;
constexpr std::uint32_t kContext = 1, kProcess = 0, kPacket = 5, kFence = 9;

class Root005 : public TraceTest {
 protected:
  Root005() {
    platform_.page_table_levels = 2;
    add(ev::PageTableLevelReported{.level = 0, .index_bits = 9});
  }
  void set_root(std::uint32_t entries) {
    add(ev::RootSet{.context = kContext, .process = kProcess, .entries = entries});
  }
  void submits() { add(ev::Submitted{.packet = kPacket, .fence = kFence, .context = kContext}); }
  void faults(std::uint64_t address) {
    add(ev::AccessFaulted{.address = address, .fence = kFence, .level = 1, .packet = kPacket});
  }
  void mark_is_read() { add(ev::MarkerRead{.packet = kPacket}); }
  void maps(std::uint64_t address, std::uint32_t flags) {
    add(ev::TableUpdated{.first_va = address, .process = kProcess, .level = 0, .count = 1},
        std::vector<EntryRecord>{{.flags = flags}});
  }
  bool holds() { return TraceTest::holds("ROOT-005"); }
};

TEST_F(Root005, AFaultBetweenTheOldLimitAndTheNewOne) {
  set_root(4);
  set_root(16);
  submits();
  faults(8 * kEntryBytes);
  mark_is_read();
  EXPECT_FALSE(holds());
}

TEST_F(Root005, AFaultBelowTheOldLimitHasOtherReasons) {
  set_root(4);
  set_root(16);
  submits();
  faults(3 * kEntryBytes);
  mark_is_read();
  EXPECT_TRUE(holds());
}

TEST_F(Root005, AnotherContextInTheSlotHasNoOldLimit) {
  set_root(4);
  add(ev::ContextCreated{.context = kContext});
  set_root(16);
  submits();
  faults(8 * kEntryBytes);
  mark_is_read();
  EXPECT_TRUE(holds());
}

TEST_F(Root005, AFaultBehindTheNewLimitIsRight) {
  set_root(4);
  set_root(16);
  submits();
  faults(16 * kEntryBytes);
  mark_is_read();
  EXPECT_TRUE(holds());
}

TEST_F(Root005, WhatIsNotMappedFaults) {
  set_root(4);
  set_root(16);
  maps(8 * kEntryBytes, entry_flag::kValid);
  maps(8 * kEntryBytes, 0);
  submits();
  faults(8 * kEntryBytes);
  mark_is_read();
  EXPECT_TRUE(holds());
}

TEST_F(Root005, WhatIsMappedDoesNot) {
  set_root(4);
  set_root(16);
  maps(8 * kEntryBytes, entry_flag::kValid);
  maps(9 * kEntryBytes, 0);
  submits();
  faults(8 * kEntryBytes);
  mark_is_read();
  EXPECT_FALSE(holds());
}

TEST_F(Root005, AReadOnlyPageMayFault) {
  set_root(4);
  set_root(16);
  maps(8 * kEntryBytes, entry_flag::kValid | entry_flag::kReadOnly);
  submits();
  faults(8 * kEntryBytes);
  mark_is_read();
  EXPECT_TRUE(holds());
}

TEST_F(Root005, APageThatIsNotToBeExecutedDoesNot) {
  set_root(4);
  set_root(16);
  maps(8 * kEntryBytes, entry_flag::kValid | entry_flag::kNoExecute);
  submits();
  faults(8 * kEntryBytes);
  mark_is_read();
  EXPECT_FALSE(holds());
}

// Hostile packets have no mark, and ask for any address.
TEST_F(Root005, WithoutAMarkNothingIsSaid) {
  set_root(4);
  set_root(16);
  submits();
  faults(8 * kEntryBytes);
  EXPECT_TRUE(holds());
}

TEST_F(Root005, AWalkThatBeginsElsewhere) {
  set_root(4);
  submits();
  add(ev::WalkAstray{
      .fence = kFence, .level = 1, .why = static_cast<std::uint32_t>(AstrayWalk::OtherSpace)});
  EXPECT_FALSE(holds());
}

TEST_F(Root005, AWalkThatGoesAstrayBelowTheRootIsNotOfTheRoot) {
  set_root(4);
  submits();
  add(ev::WalkAstray{
      .fence = kFence, .level = 0, .why = static_cast<std::uint32_t>(AstrayWalk::FormerTable)});
  EXPECT_TRUE(holds());
}

}  // namespace
}  // namespace wddm::root_005
