// Accesses at addresses that led nowhere and were mapped then.
#include "conformance/rules/tests/trace_test.h"
#include "reference/trace/copied_entries.h"

namespace wddm::vpage_006 {
namespace {

constexpr std::uint32_t kUse64KBPages = 8;

class Vpage006 : public TraceTest {
 protected:
  Vpage006() {
    add(ev::RootSet{.context = 1, .process = 3});
    add(ev::RootSet{.context = 2, .process = 4});
  }
  void submitted(std::uint32_t packet, std::uint32_t context = 1) {
    add(ev::Submitted{.packet = packet, .render = packet, .fence = packet, .context = context});
  }
  void faults(std::uint32_t packet, std::uint64_t address = 0x5000) {
    add(ev::AccessFaulted{.address = address, .fence = packet, .packet = packet});
  }
  void updated(std::uint32_t entry_flags, std::uint64_t first_va = 0x5000, std::uint32_t flags = 0,
               std::uint32_t status = 0) {
    add(
        ev::TableUpdated{
            .first_va = first_va, .process = 3, .count = 1, .flags = flags, .status = status},
        std::vector<EntryRecord>{{.address = 0x9000, .flags = entry_flags}});
  }
  void runs(std::uint32_t packet, std::uint32_t times) {
    add(ev::MarkerRead{.packet = packet, .runs = times, .expected = 1});
  }
  void fault_and_map() {
    submitted(2);
    faults(2);
    updated(entry_flag::kValid);
  }
  bool holds() { return TraceTest::holds("VPAGE-006"); }
};

TEST_F(Vpage006, TheNextAccessFindsIt) {
  fault_and_map();
  submitted(3);
  runs(3, 1);
  EXPECT_TRUE(holds());
  EXPECT_EQ(times_reached("VPAGE-006"), 1u);
}

TEST_F(Vpage006, TheNextAccessFaultsAgain) {
  fault_and_map();
  submitted(3);
  faults(3, 0x5008);
  EXPECT_FALSE(holds());
}

TEST_F(Vpage006, WhatWasCopiedThereMayBeNothing) {
  fault_and_map();
  add(ev::EntriesCopied{.process = 3, .count = 2},
      std::vector<CopiedFrom>{{.source_va = 0x8000, .first_va = 0x4000, .source_process = 3}});
  submitted(3);
  faults(3);
  EXPECT_TRUE(holds());
}

TEST_F(Vpage006, WhatWasCopiedElsewhereSaysNothingOfIt) {
  fault_and_map();
  add(ev::EntriesCopied{.process = 3, .count = 1},
      std::vector<CopiedFrom>{{.source_va = 0x8000, .first_va = 0x4000, .source_process = 3}});
  submitted(3);
  faults(3);
  EXPECT_FALSE(holds());
}

TEST_F(Vpage006, APageOf64KBIsOneEntry) {
  submitted(2);
  faults(2, 0x15000);
  updated(entry_flag::kValid, 0x10000, kUse64KBPages);
  submitted(3);
  faults(3, 0x15000);
  EXPECT_FALSE(holds());
}

TEST_F(Vpage006, WhatWasNotMappedFaultsAgain) {
  submitted(2);
  faults(2);
  submitted(3);
  faults(3);
  EXPECT_TRUE(holds());
  EXPECT_EQ(times_reached("VPAGE-006"), 0u);
}

TEST_F(Vpage006, AnUpdateThatTheDriverRefusedMapsNothing) {
  submitted(2);
  faults(2);
  updated(entry_flag::kValid, 0x5000, 0, 0xC000000D);
  submitted(3);
  faults(3);
  EXPECT_TRUE(holds());
  EXPECT_EQ(times_reached("VPAGE-006"), 0u);
}

TEST_F(Vpage006, WhatWasMappedForReadingMayFault) {
  submitted(2);
  faults(2);
  updated(entry_flag::kValid | entry_flag::kReadOnly);
  submitted(3);
  faults(3);
  EXPECT_TRUE(holds());
}

TEST_F(Vpage006, WhatWasUnmappedAgainFaults) {
  fault_and_map();
  updated(0);
  submitted(3);
  faults(3);
  EXPECT_TRUE(holds());
}

// What was freed while its tables were away is written nowhere.
TEST_F(Vpage006, TablesThatWereAwayMayComeBackWithoutIt) {
  platform_.page_table_levels = 2;
  fault_and_map();
  add(ev::TableMoved{.process = 3, .level = 1, .gone = 1});
  submitted(3);
  faults(3);
  EXPECT_TRUE(holds());
  updated(entry_flag::kValid);
  submitted(4);
  faults(4);
  EXPECT_FALSE(holds());
}

TEST_F(Vpage006, TablesThatMoveLeadThereStill) {
  platform_.page_table_levels = 2;
  fault_and_map();
  add(ev::TableMoved{.process = 3, .level = 1});
  add(ev::TableMoved{.process = 4, .level = 1, .gone = 1});
  submitted(3);
  faults(3);
  EXPECT_FALSE(holds());
}

TEST_F(Vpage006, ALaterProcessOfTheNumberHasNothingMapped) {
  fault_and_map();
  add(ev::ProcessCreated{.process = 3});
  submitted(3);
  faults(3);
  EXPECT_TRUE(holds());
}

TEST_F(Vpage006, PacketsFromBeforeTheUpdateMayFault) {
  submitted(2);
  submitted(3);
  faults(2);
  updated(entry_flag::kValid);
  faults(3);
  EXPECT_TRUE(holds());
}

TEST_F(Vpage006, OtherProcessesHaveTheirOwn) {
  fault_and_map();
  submitted(3, 2);
  faults(3);
  EXPECT_TRUE(holds());
}

// An entry of level 1 covers 2 MB.
class Vpage006AboveTheLeaf : public Vpage006 {
 protected:
  Vpage006AboveTheLeaf() {
    add(ev::GpuMmuReported{.levels = 2});
    add(ev::PageTableLevelReported{.level = 0, .index_bits = 9});
  }
  void directory(std::uint32_t entry_flags, std::uint64_t first_va = 0, std::uint32_t flags = 0) {
    add(
        ev::TableUpdated{
            .first_va = first_va, .process = 3, .level = 1, .count = 1, .flags = flags},
        std::vector<EntryRecord>{{.address = 0x9000, .flags = entry_flags}});
  }
  void faults_again() {
    submitted(3);
    faults(3);
  }
};

TEST_F(Vpage006AboveTheLeaf, ATableThatIsGoneTakesItsEntriesWithIt) {
  fault_and_map();
  directory(0);
  faults_again();
  EXPECT_TRUE(holds());
  EXPECT_EQ(times_reached("VPAGE-006"), 0u);
}

TEST_F(Vpage006AboveTheLeaf, OfOtherAddressesItTakesNothing) {
  fault_and_map();
  directory(0, 1u << 21);
  faults_again();
  EXPECT_FALSE(holds());
}

TEST_F(Vpage006AboveTheLeaf, ATableThatItLeadsToStays) {
  fault_and_map();
  directory(entry_flag::kValid);
  faults_again();
  EXPECT_FALSE(holds());
}

TEST_F(Vpage006AboveTheLeaf, ANewDirectoryIsInUseOnceItIsLedTo) {
  constexpr std::uint32_t kInitialUpdate = 2;
  fault_and_map();
  directory(0, 0, kInitialUpdate);
  faults_again();
  EXPECT_FALSE(holds());
}

TEST_F(Vpage006AboveTheLeaf, ALargePageIsMappedByIt) {
  submitted(2);
  faults(2);
  directory(entry_flag::kValid | entry_flag::kLargePage);
  faults_again();
  EXPECT_FALSE(holds());
}

TEST_F(Vpage006, GpusOfALinkHaveTheirOwnTables) {
  fault_and_map();  // on GPU 0
  for (const std::uint32_t packet : {3u, 4u}) {
    add(ev::Submitted{
        .packet = packet, .render = packet, .fence = packet, .context = 1, .engine = 1});
    add(ev::AccessFaulted{.address = 0x5000, .fence = packet, .engine = 1, .packet = packet});
  }
  EXPECT_TRUE(holds());
  EXPECT_EQ(times_reached("VPAGE-006"), 0u);
}

TEST_F(Vpage006, WhatTheIommuRefusesNoEntryPermits) {
  submitted(2);
  add(ev::IommuFaulted{.address = 0x5000, .packet = 2});
  faults(2);
  updated(entry_flag::kValid);
  submitted(3);
  add(ev::IommuFaulted{.address = 0x5000, .packet = 3});
  faults(3);
  EXPECT_TRUE(holds());
  EXPECT_EQ(times_reached("VPAGE-006"), 0u);
}

TEST_F(Vpage006, WhoDoesNotWaitForTheUpdateMayFault) {
  fault_and_map();
  add(ev::NotAwaited{.render = 3});
  submitted(3);
  faults(3);
  EXPECT_TRUE(holds());
  EXPECT_EQ(times_reached("VPAGE-006"), 0u);
}

}  // namespace
}  // namespace wddm::vpage_006
