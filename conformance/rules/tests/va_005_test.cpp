// What a Map leaves that its host would not: pages that lead nowhere, elsewhere, or permit too
// much.
#include "conformance/rules/pt/table_updates.h"
#include "conformance/rules/tests/trace_test.h"
#include "reference/gpuva/va_request.h"
#include "reference/trace/copied_entries.h"

namespace wddm::va_005 {
namespace {

constexpr std::uint64_t kBase = 0x2000000, kMemory = 0x800000, kPage = 4096;
constexpr EntryRecord kNowhere{};

EntryRecord leads_to(std::uint64_t page, std::uint32_t flags = 0) {
  return {.address = kMemory + page * kPage, .flags = entry_flag::kValid | flags};
}

class Va005 : public TraceTest {
 protected:
  void asks(AddressUpdate kind, std::uint64_t to, std::uint64_t pages, std::uint64_t from = 0,
            std::uint32_t repeated = 0, std::uint32_t access = gpuva::kProtectWrite) {
    add(ev::AddressAnswered{.base = kBase + to * kPage,
                            .size = pages * kPage,
                            .offset = kBase + from * kPage,
                            .request = static_cast<std::uint32_t>(AddressRequest::Update),
                            .protection = static_cast<std::uint32_t>(kind),
                            .repeated = repeated,
                            .access = access});
  }
  void entries(std::uint64_t first, const std::vector<EntryRecord>& written) {
    add(ev::TableUpdated{.first_va = kBase + first * kPage,
                         .count = static_cast<std::uint32_t>(written.size())},
        written);
  }
  void copied(std::uint64_t from, std::uint64_t to, std::uint32_t count) {
    add(ev::EntriesCopied{.count = count, .read = count, .ranges = 1},
        std::vector<CopiedFrom>{
            {.source_va = kBase + from * kPage, .first_va = kBase + to * kPage}});
  }
  bool ends() {
    op(OpKind::Idle);
    return holds("VA-005");
  }
};

TEST_F(Va005, AMapThatIsCarriedOut) {
  asks(AddressUpdate::Map, 0, 2);
  entries(0, {leads_to(0), leads_to(1)});
  EXPECT_TRUE(ends());
  EXPECT_EQ(times_reached("VA-005"), 1u);
}

TEST_F(Va005, NothingIsMappedOfWhatIsNotThere) {
  asks(AddressUpdate::Map, 0, 2);
  EXPECT_TRUE(ends());
  EXPECT_EQ(times_reached("VA-005"), 0u);
}

TEST_F(Va005, APageOfAMapIsLeftOut) {
  asks(AddressUpdate::Map, 0, 3);
  entries(0, {leads_to(0), kNowhere, leads_to(2)});
  EXPECT_FALSE(ends());
}

TEST_F(Va005, ATableThatWasMadeAnewIsEmptiedWhereItLay) {
  entries(0, {leads_to(0)});
  add(ev::TableUpdated{.place = 0x4000, .first_va = kBase, .count = 1, .flags = pt::kInitialUpdate},
      std::vector<EntryRecord>{leads_to(0)});
  entries(0, {kNowhere});
  asks(AddressUpdate::Copy, 1, 1);
  add(ev::TableUpdated{.place = 0x4000, .first_va = kBase + kPage, .first = 1, .count = 1},
      std::vector<EntryRecord>{leads_to(0)});
  EXPECT_TRUE(ends());
}

TEST_F(Va005, ATableThatNothingLeadsToIsEmptied) {
  constexpr EntryRecord kZero{.flags = entry_flag::kValid | entry_flag::kZero};
  entries(0, {leads_to(0)});
  asks(AddressUpdate::Zero, 0, 1);
  add(ev::TableUpdated{.first_va = kBase, .level = 1, .count = 1}, std::vector{kZero});
  entries(0, {kNowhere});
  EXPECT_TRUE(ends());
}

TEST_F(Va005, TablesOfBothPageSizesBeginAtOneAddress) {
  const auto in_64kb = [this] {
    add(
        ev::TableUpdated{
            .place = 0x8000, .first_va = kBase, .count = 1, .flags = pt::kUse64KBPages},
        std::vector<EntryRecord>{leads_to(0)});
  };
  in_64kb();
  add(ev::TableUpdated{.place = 0x4000, .first_va = kBase, .count = 1, .flags = pt::kInitialUpdate},
      std::vector<EntryRecord>{kNowhere});
  in_64kb();
  asks(AddressUpdate::Copy, 1, 1);
  entries(1, {leads_to(0)});
  EXPECT_TRUE(ends());
}

TEST_F(Va005, LargeEntriesAreNotFollowed) {
  asks(AddressUpdate::Map, 0, 2);
  entries(0, {leads_to(0)});
  add(ev::TableUpdated{.first_va = kBase, .level = 1, .count = 1},
      std::vector<EntryRecord>{leads_to(0, entry_flag::kLargePage)});
  EXPECT_TRUE(ends());
  EXPECT_EQ(times_reached("VA-005"), 0u);
}

TEST_F(Va005, LargeEntriesStayWhereTheRootComesToLeadToTheirTable) {
  asks(AddressUpdate::Map, 0, 513);
  add(ev::TableUpdated{.first_va = kBase, .level = 1, .count = 1},
      std::vector<EntryRecord>{leads_to(0, entry_flag::kLargePage)});
  entries(512, {leads_to(512)});
  add(ev::TableUpdated{.first_va = kBase, .level = 2, .count = 1},
      std::vector<EntryRecord>{leads_to(1024)});
  EXPECT_TRUE(ends());
}

TEST_F(Va005, AMapThatDoesNotRepeat) {
  asks(AddressUpdate::Map, 0, 4, 0, 2 * kPage);
  entries(0, {leads_to(0), leads_to(1), leads_to(0), leads_to(1)});
  EXPECT_TRUE(ends());
  asks(AddressUpdate::Map, 0, 4, 0, 2 * kPage);
  entries(0, {leads_to(0), leads_to(1), leads_to(2), leads_to(3)});
  EXPECT_FALSE(ends());
}

TEST_F(Va005, AMapThatPermitsTooMuch) {
  platform_.gpu_mmu_caps.value = 1;  // ReadOnlyMemorySupported
  asks(AddressUpdate::Map, 0, 1, 0, 0, 0);
  entries(0, {leads_to(0, entry_flag::kReadOnly)});
  EXPECT_TRUE(ends());
  asks(AddressUpdate::Map, 0, 1, 0, 0, 0);
  entries(0, {leads_to(0)});
  EXPECT_FALSE(ends());
}

// The entry is still that of an earlier mapping: what a copy makes of it nobody knows.
TEST_F(Va005, ACopyOfAPageThatAnotherAllocationIsMappedAt) {
  entries(0, {leads_to(0)});
  add(ev::AddressAnswered{
      .size = kPage, .address = kBase, .request = static_cast<std::uint32_t>(AddressRequest::Map)});
  asks(AddressUpdate::Copy, 1, 1);
  entries(1, {kNowhere});
  EXPECT_TRUE(ends());
  entries(0, {leads_to(3)});
  asks(AddressUpdate::Copy, 1, 1);
  entries(1, {kNowhere});
  EXPECT_FALSE(ends()) << "by now it is written";
}

TEST_F(Va005, ACopyReadsBeforeItWrites) {
  entries(0, {leads_to(0), leads_to(1), kNowhere});
  asks(AddressUpdate::Copy, 1, 2, 0);
  entries(1, {leads_to(0), leads_to(1)});
  EXPECT_TRUE(ends());
}

TEST_F(Va005, ACopyOfTheSourcesEntries) {
  entries(0, {leads_to(0), kNowhere});
  entries(8, {leads_to(8), leads_to(9)});
  asks(AddressUpdate::Copy, 8, 2, 0);
  copied(0, 8, 2);
  EXPECT_TRUE(ends());
  EXPECT_EQ(times_reached("VA-005"), 1u);
}

TEST_F(Va005, ACopyOfOthers) {
  entries(0, {leads_to(0), kNowhere});
  entries(8, {leads_to(8), leads_to(9)});
  asks(AddressUpdate::Copy, 8, 2, 0);
  copied(0, 8, 1);
  EXPECT_FALSE(ends());
}

TEST_F(Va005, ACopyEntryByEntry) {
  entries(0, {leads_to(0), leads_to(1), kNowhere});
  asks(AddressUpdate::Copy, 1, 2, 0);
  entries(1, {leads_to(0), leads_to(0)});
  EXPECT_FALSE(ends());
}

TEST_F(Va005, WhatADriverRefusesIsTheLast) {
  entries(0, {leads_to(0), leads_to(1)});
  asks(AddressUpdate::Unmap, 0, 2);
  add(ev::TableUpdated{.first_va = kBase, .count = 1, .status = 0xC000000D},
      std::vector<EntryRecord>{kNowhere});
  EXPECT_TRUE(ends());
  asks(AddressUpdate::Unmap, 0, 2);
  EXPECT_TRUE(ends()) << "nothing is asked for any more";
  EXPECT_EQ(times_reached("VA-005"), 0u);
}

TEST_F(Va005, AnotherProcessOfThatNumberIsJudged) {
  add(ev::TableUpdated{.first_va = kBase, .count = 1, .status = 0xC000000D},
      std::vector<EntryRecord>{kNowhere});
  add(ev::ProcessCreated{});
  entries(0, {leads_to(0), leads_to(1)});
  asks(AddressUpdate::Unmap, 0, 2);
  EXPECT_FALSE(ends());
}

// Entries of level 1 lead to a leaf of 4 KB pages, to one of 64 KB pages, or to both.
class Va005Pairs : public Va005 {
 protected:
  static constexpr std::uint64_t kSecondLeaf = 0x8000, kLevel1 = 0xC000;
  static constexpr EntryRecord kZero{.flags = entry_flag::kValid | entry_flag::kZero};

  Va005Pairs() {
    constexpr std::uint32_t kDualPte = 128;
    add(ev::GpuMmuReported{.caps = kDualPte, .leaf_64kb_bytes = 4096, .levels = 2});
    add(ev::PageTableLevelReported{.level = 0, .index_bits = 9});
  }
  void in_64kb(const std::vector<EntryRecord>& written, std::uint32_t flags = 0) {
    add(ev::TableUpdated{.place = kSecondLeaf,
                         .first_va = kBase,
                         .count = static_cast<std::uint32_t>(written.size()),
                         .flags = flags | pt::kUse64KBPages},
        written);
  }
  void first_half(const EntryRecord& written) {
    add(ev::TableUpdated{.place = kLevel1, .first_va = kBase, .level = 1, .count = 1},
        std::vector{written});
  }
  // Its pages were mapped in the first leaf, which goes.
  void zeros(const std::vector<EntryRecord>& written) {
    entries(0, {leads_to(0), leads_to(1)});
    asks(AddressUpdate::Zero, 0, 32);
    entries(0, {kNowhere, kNowhere});
    in_64kb(written);
    first_half(kNowhere);
  }
};

TEST_F(Va005Pairs, ZerosStandInTheSecondLeaf) {
  zeros({kZero, kZero});
  EXPECT_TRUE(ends());
  EXPECT_EQ(times_reached("VA-005"), 1u);
}

TEST_F(Va005Pairs, ZerosInHalfOfIt) {
  zeros({kZero, kNowhere});
  EXPECT_FALSE(ends());
}

TEST_F(Va005Pairs, WhatIsEmptiedInTheFirstLeafAlone) {
  zeros({kZero, kZero});
  EXPECT_TRUE(ends());
  asks(AddressUpdate::Unmap, 0, 16);
  entries(0, std::vector<EntryRecord>(16));
  EXPECT_FALSE(ends());
}

TEST_F(Va005Pairs, WhatIsEmptiedInTheSecond) {
  zeros({kZero, kZero});
  EXPECT_TRUE(ends());
  asks(AddressUpdate::Unmap, 0, 16);
  in_64kb({kNowhere});
  EXPECT_TRUE(ends());
}

TEST_F(Va005Pairs, TheSecondLeafGoesWithAllThatItSays) {
  zeros({kZero, kZero});
  EXPECT_TRUE(ends());
  asks(AddressUpdate::Unmap, 0, 512);
  first_half(kNowhere);
  add(ev::TableMoved{.from = kSecondLeaf, .gone = 1});
  EXPECT_TRUE(ends());
}

TEST_F(Va005Pairs, ASecondLeafThatIsBegunTakesNothingFromTheFirst) {
  entries(0, {leads_to(0)});
  in_64kb(std::vector<EntryRecord>(32), pt::kInitialUpdate);
  asks(AddressUpdate::Copy, 1, 1);
  entries(1, {leads_to(0)});
  EXPECT_TRUE(ends());
}

TEST_F(Va005Pairs, AnEntryOfLevelOneThatGivesZerosHasNoLeaves) {
  zeros({kZero, kZero});
  EXPECT_TRUE(ends());
  first_half(kZero);
  first_half(kNowhere);
  asks(AddressUpdate::Copy, 0, 16, 256);
  EXPECT_TRUE(ends());
}

class Va005Interlocked : public Va005 {
 protected:
  Va005Interlocked() {
    entries(0, {leads_to(0), leads_to(1)});
    asks(AddressUpdate::Unmap, 0, 2);
    update(0);
  }
  void update(std::uint32_t stage) { add(ev::TileUpdate{.stage = stage}); }
};

TEST_F(Va005Interlocked, IsCarriedOut) {
  update(1);
  entries(0, {kNowhere, kNowhere});
  update(2);
  EXPECT_TRUE(ends());
  EXPECT_EQ(times_reached("VA-005"), 1u);
}

TEST_F(Va005Interlocked, LeavesAPage) {
  update(1);
  entries(0, {kNowhere});
  update(2);
  EXPECT_FALSE(holds("VA-005")) << "the trace may end there";
  EXPECT_FALSE(ends());
}

TEST_F(Va005Interlocked, IsSaidToBeLeftUndoneBehindItsEnd) {
  update(1);
  update(2);
  add(ev::OpSkipped{.kind = static_cast<std::uint32_t>(OpKind::UpdateAddress)});
  EXPECT_TRUE(ends());
}

TEST_F(Va005Interlocked, MeetsAResetOfTheAdapter) {
  update(1);
  add(ev::AdapterReset{});
  update(2);
  EXPECT_TRUE(ends());
}

TEST_F(Va005Interlocked, BeginsBehindAResetThatItWaitedIn) {
  add(ev::AdapterReset{});
  update(1);
  update(2);
  EXPECT_TRUE(ends());
}

// ... whose entries come back when the tables do.
TEST_F(Va005Interlocked, BeginsWhileTheTablesAreEvicted) {
  platform_.page_table_levels = 2;
  add(ev::TableMoved{.level = 1, .gone = 1});
  update(1);
  update(2);
  EXPECT_TRUE(ends());
  EXPECT_EQ(times_reached("VA-005"), 0u);
}

TEST_F(Va005, AnUnmapLeavesNothing) {
  entries(0, {leads_to(0), leads_to(1)});
  asks(AddressUpdate::Unmap, 0, 2);
  entries(0, {kNowhere});
  EXPECT_FALSE(ends());
}

}  // namespace
}  // namespace wddm::va_005
