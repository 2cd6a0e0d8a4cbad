// What an address space decides, one clause per test; carried out and looked at by SmallHost.
#include "reference/gpummu/address_space.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <vector>

#include "reference/gpummu/tests/checked_host.h"

namespace wddm::gpummu {
namespace {

using testing::at;
using testing::CheckedHost;
using testing::four_levels;
using testing::page;
using testing::pages;
using testing::Report;
using testing::report;

template <class D>
std::vector<D> all(const std::vector<Decision>& decisions) {
  std::vector<D> found;
  for (const Decision& each : decisions) {
    if (const auto* decision = std::get_if<D>(&each)) found.push_back(*decision);
  }
  return found;
}

/// Position of the first decision for which `matches` is true.
template <class D, class F>
std::size_t position(const std::vector<Decision>& decisions, F&& matches) {
  for (std::size_t i = 0; i < decisions.size(); ++i) {
    const auto* decision = std::get_if<D>(&decisions[i]);
    if (decision != nullptr && matches(*decision)) return i;
  }
  return SIZE_MAX;
}

class Space : public CheckedHost {
 public:
  using CheckedHost::CheckedHost;

  std::vector<Decision> unmap(std::uint64_t first, std::uint64_t count) {
    return ask(Unmap{pages(first, count)});
  }
  [[nodiscard]] Refused refusal(const Input& input) {
    const auto refusals = all<Refused>(ask(input));
    return refusals.empty() ? Refused{Refusal{255}} : refusals.front();
  }
  [[nodiscard]] TableId leaf_at(std::uint64_t page_number) {
    TableId id = space().root();
    const GpuVirtualAddress va = page(page_number);
    for (std::uint32_t level = space().geometry().root_level(); level > 0; --level) {
      id = PageTables::pointee(space().tables().entry(id, 0, space().geometry().index(level, va)));
    }
    return id;
  }
};

TEST(AddressSpace, PT_002_TablesHaveTheSizeAndSegmentOfTheirLevel) {
  Report shape = four_levels();
  shape.levels[1].page_table_size_in_bytes = 8192;
  shape.levels[1].page_table_segment_id = {2};
  shape.levels[1].page_table_alignment_in_bytes = 8192;
  Space space(shape);
  const auto created = all<CreateTable>(space.map(5, 1, at(7)));
  ASSERT_EQ(created.size(), 3u);
  EXPECT_EQ(created[1].level, 1u);
  EXPECT_EQ(created[1].bytes, 8192u);
  EXPECT_EQ(created[1].segment, SegmentId{2});
  EXPECT_EQ(created[1].alignment, 8192u);
}

TEST(AddressSpace, PT_002_ThePagingProcessHasItsOwnSegment) {
  Report shape = four_levels();
  shape.levels[3].paging_process_page_table_segment_id = {};
  AddressSpace space(shape.geometry(), 1, Owner::PagingProcess);
  const auto decisions = space.step(Open{});
  EXPECT_EQ(std::get<CreateTable>(decisions[0]).segment, SegmentId{});
}

TEST(AddressSpace, PT_003_ATableIsInitializedAndFilledBeforeItsParentLeadsToIt) {
  Space space(four_levels());
  const auto decisions = space.map(5, 1, at(7));
  const auto at_level = [&](std::uint32_t level, bool initial) {
    return position<UpdateEntries>(decisions, [=](const UpdateEntries& each) {
      return each.level == level && each.initial == initial;
    });
  };
  EXPECT_LT(at_level(0, true), at_level(0, false));
  EXPECT_LT(at_level(0, false), at_level(1, false));
  EXPECT_LT(at_level(1, true), at_level(1, false));
  EXPECT_LT(at_level(1, false), at_level(2, false));
  EXPECT_LT(at_level(2, false), at_level(3, false));
}

TEST(AddressSpace, PT_003_AnInitialUpdateWritesEveryEntryInvalid) {
  Space space(four_levels());
  for (const auto& each : all<UpdateEntries>(space.map(5, 1, at(7)))) {
    if (!each.initial) continue;
    EXPECT_EQ(each.first, 0u);
    EXPECT_EQ(each.count, 512u);
    EXPECT_TRUE(each.repeat);
    EXPECT_EQ(space.space().elements(each)[0], Written{});
  }
}

TEST(AddressSpace, PT_005_AMovedSurfaceIsRewrittenAndFlushed) {
  Space space(four_levels());
  space.map(5, 3, at(7));
  const auto decisions = space.map(5, 3, at(70));
  ASSERT_EQ(decisions.size(), 2u);
  EXPECT_EQ(std::get<UpdateEntries>(decisions[0]).first_va, page(5));
  EXPECT_EQ(std::get<FlushTlb>(decisions[1]).range, pages(5, 3));
  EXPECT_EQ(space.access(page(6)).place, at(71));
}

TEST(AddressSpace, PT_006_ATableMovesWhileContextsAreSuspended) {
  Space space(four_levels());
  space.map(5, 1, at(7));
  const auto decisions = space.ask(MoveTable{space.leaf_at(5)});
  EXPECT_TRUE(std::holds_alternative<SuspendContexts>(decisions.front()));
  EXPECT_TRUE(std::holds_alternative<ResumeContexts>(decisions.back()));
}

TEST(AddressSpace, PT_007_TheParentFollowsAMovedTable) {
  Space space(four_levels());
  space.map(5, 1, at(7));
  const auto decisions = space.ask(MoveTable{space.leaf_at(5)});
  const auto updates = all<UpdateEntries>(decisions);
  ASSERT_EQ(updates.size(), 1u);
  EXPECT_EQ(updates[0].level, 1u);
  EXPECT_EQ(all<FlushTlb>(decisions).size(), 1u);
  EXPECT_EQ(space.access(page(5)).place, at(7));
}

TEST(AddressSpace, PT_004_AnEvictedTableIsAnnouncedAndItsMappingsFault) {
  Space space(four_levels());
  space.map(5, 1, at(7));
  const TableId leaf = space.leaf_at(5);
  const auto decisions = space.ask(EvictTable{leaf});
  const auto updates = all<UpdateEntries>(decisions);
  EXPECT_TRUE(updates.back().notify_eviction);
  EXPECT_EQ(updates.back().table, leaf);
  EXPECT_EQ(space.access(page(5)).outcome, Outcome::Fault);
  EXPECT_TRUE(space.suspended());
}

TEST(AddressSpace, PT_003_ATableThatComesBackIsWrittenWithItsFinalValues) {
  Space space(four_levels());
  space.map(5, 1, at(7));
  const TableId leaf = space.leaf_at(5);
  space.ask(EvictTable{leaf});
  space.map(6, 1, at(8));  // remembered, not written
  const auto updates = all<UpdateEntries>(space.ask(MakeTableResident{leaf}));
  EXPECT_TRUE(updates.front().initial);
  EXPECT_EQ(space.access(page(5)).place, at(7));
  EXPECT_EQ(space.access(page(6)).place, at(8));
  EXPECT_FALSE(space.suspended());
}

TEST(AddressSpace, PT_009_EqualEntriesAreOneRepeatedElement) {
  Space space(four_levels());
  const auto updates = all<UpdateEntries>(space.ask(MapZero{pages(5, 100)}));
  const auto leaf = std::find_if(updates.begin(), updates.end(),
                                 [](const auto& each) { return each.level == 0 && !each.initial; });
  EXPECT_TRUE(leaf->repeat);
  EXPECT_EQ(leaf->count, 100u);
  EXPECT_EQ(space.space().elements(*leaf).size(), 1u);
}

TEST(AddressSpace, PT_014_ScatteredPagesAreEachAnElement) {
  Space space(four_levels());
  const PageRun runs[] = {{at(5), kPageSize}, {at(2), kPageSize}, {at(9), kPageSize}};
  space.ask(Map{.range = pages(0, 3), .pages = runs, .protection = {}});
  EXPECT_EQ(space.access(page(0)).place, at(5));
  EXPECT_EQ(space.access(page(1)).place, at(2));
  EXPECT_EQ(space.access(page(2)).place, at(9));
}

TEST(AddressSpace, PT_015_EveryEntryIsInvalidBeforeATableGoes) {
  Report shape = four_levels();
  shape.caps.explicit_page_table_invalidation = true;
  Space space(shape);
  space.map(0, 1024, at(7));
  const auto decisions = space.unmap(0, 1 << 18);  // all of a level-1 table
  EXPECT_EQ(all<DestroyTable>(decisions).size(), 4u);
  EXPECT_GE(all<UpdateEntries>(decisions).size(), 5u);
}

TEST(AddressSpace, PT_015_WithoutTheCapATableIsOnlyUnlinked) {
  Space space(four_levels());
  space.map(0, 1024, at(7));
  const auto decisions = space.unmap(0, 1 << 18);
  EXPECT_EQ(all<DestroyTable>(decisions).size(), 4u);
  EXPECT_EQ(all<UpdateEntries>(decisions).size(), 2u);  // what is left of it is empty too
}

TEST(AddressSpace, PT_016_UpdatesSuspendContextsOnlyWithTheCap) {
  Report shape = four_levels();
  shape.caps.page_table_update_require_address_space_idle = true;
  Space with(shape), without(four_levels());
  const auto suspended = with.map(5, 1, at(7));
  EXPECT_TRUE(std::holds_alternative<SuspendContexts>(suspended.front()));
  EXPECT_TRUE(std::holds_alternative<ResumeContexts>(suspended.back()));
  EXPECT_TRUE(all<SuspendContexts>(without.map(5, 1, at(7))).empty());
}

TEST(AddressSpace, PTE_002_UnmapWritesInvalidEntries) {
  Space space(four_levels());
  space.map(5, 3, at(7));
  const auto decisions = space.unmap(6, 1);
  ASSERT_EQ(decisions.size(), 2u);
  EXPECT_EQ(space.space().elements(std::get<UpdateEntries>(decisions[0]))[0], Written{});
  EXPECT_EQ(space.access(page(6)).outcome, Outcome::Fault);
  EXPECT_EQ(space.access(page(7)).place, at(9));
}

TEST(AddressSpace, PTE_003_AWholeEntryOfAnyLevelBecomesZeroAtOnce) {
  Space space(four_levels());
  const auto updates =
      all<UpdateEntries>(space.ask(MapZero{{{std::uint64_t{1} << 39}, 1ull << 39}}));
  ASSERT_EQ(updates.size(), 1u);
  EXPECT_EQ(updates[0].level, 3u);
  EXPECT_EQ(space.access({(1ull << 40) - 1}, Access::Write).outcome, Outcome::Zero);
  EXPECT_EQ(space.space().tables().count(), 1u);
}

TEST(AddressSpace, PTE_003_APageInTheMiddleOfAZeroRegionLeavesTheRestZero) {
  Space space(four_levels());
  space.ask(MapZero{pages(0, 1 << 18)});
  space.map(1000, 1, at(7));
  EXPECT_EQ(space.access(page(999)).outcome, Outcome::Zero);
  EXPECT_EQ(space.access(page(1000)).place, at(7));
  EXPECT_EQ(space.access(page(200'000)).outcome, Outcome::Zero);
}

TEST(AddressSpace, PTE_003_ZeroIsRefusedWithoutTheCap) {
  Report shape = four_levels();
  shape.caps.zero_in_pte_supported = false;
  Space space(shape);
  EXPECT_EQ(space.refusal(MapZero{pages(0, 1)}).why, Refusal::ZeroUnsupported);
}

TEST(AddressSpace, PTE_004_ProtectionThatTheCapsLackIsLeftOut) {
  Report shape = four_levels();
  shape.caps.read_only_memory_supported = false;
  Space space(shape);
  space.map(5, 1, at(7), {.range = {}, .pages = {}, .protection = {.read_only = true}});
  EXPECT_EQ(space.access(page(5), Access::Write).outcome, Outcome::Memory);
}

Map large() {
  Map map;
  map.use_large_pages = true;
  return map;
}

TEST(AddressSpace, PTE_007_AWholeAlignedEntryIsALargePage) {
  Space space(four_levels().large_pages());
  const auto updates = all<UpdateEntries>(space.map(512, 1024, at(512), large()));
  EXPECT_EQ(updates.size(), 5u);  // two tables initialized, three written
  EXPECT_EQ(space.access(page(1535)).place, at(1535));
  EXPECT_EQ(space.access(page(1535)).level, 1);
}

TEST(AddressSpace, PTE_007_AnUnalignedBaseIsOneOnlyWithTheCap) {
  Report shape = four_levels().large_pages();
  Space without(shape);
  without.map(512, 512, at(513), large());
  EXPECT_EQ(without.access(page(512)).level, 0);
  shape.caps.allow_non_aligned_large_page_address = true;
  Space with(shape);
  with.map(512, 512, at(513), large());
  EXPECT_EQ(with.access(page(600)).level, 1);
  EXPECT_EQ(with.access(page(600)).place, at(601));
}

TEST(AddressSpace, PTE_007_APageOutOfALargePageSplitsIt) {
  Space space(four_levels().large_pages());
  space.map(512, 512, at(512), large());
  space.unmap(600, 1);
  EXPECT_EQ(space.access(page(599)).place, at(599));
  EXPECT_EQ(space.access(page(600)).outcome, Outcome::Fault);
  EXPECT_EQ(space.access(page(1023)).place, at(1023));
}

TEST(AddressSpace, PTE_008_DriverProtectionComesWithEveryRewriteOfItsEntries) {
  Space space(four_levels());
  Map map;
  map.driver_protection = 42;
  space.map(5, 2, at(7), map);
  space.map(7, 2, at(9));
  const TableId leaf = space.leaf_at(5);
  space.ask(EvictTable{leaf});
  std::vector<std::uint64_t> protections;
  for (const auto& each : all<UpdateEntries>(space.ask(MakeTableResident{leaf}))) {
    if (each.level == 0) protections.push_back(each.driver_protection);
  }
  EXPECT_EQ(protections, (std::vector<std::uint64_t>{0, 42, 0}));
}

TEST(AddressSpace, PTE_008_NoLargePageHasDriverProtection) {
  Space space(four_levels().large_pages());
  Map map = large();
  map.driver_protection = 42;
  space.map(512, 512, at(512), map);
  EXPECT_EQ(space.access(page(512)).level, 0);
}

TEST(AddressSpace, VPAGE_006_FromInvalidToValidIsFlushedUnlessTheCapSaysNo) {
  Report shape = four_levels();
  Space remembers(shape);
  remembers.map(5, 1, at(7));
  EXPECT_EQ(all<FlushTlb>(remembers.map(6, 1, at(8))).size(), 1u);
  shape.caps.invalid_tlb_entries_not_cached = true;
  Space forgets(shape);
  forgets.map(5, 1, at(7));
  EXPECT_TRUE(all<FlushTlb>(forgets.map(6, 1, at(8))).empty());
}

TEST(AddressSpace, VPAGE_010_KeptTablesStayWithoutUse) {
  Space space(four_levels());
  space.ask(KeepTables{pages(0, 2048)});
  const std::uint32_t tables = space.space().tables().count();
  space.map(1, 1000, at(7));
  const auto decisions = space.unmap(0, 1 << 20);
  EXPECT_TRUE(all<DestroyTable>(decisions).empty());
  EXPECT_EQ(space.space().tables().count(), tables);
  EXPECT_EQ(tables, 1 + 1 + 1 + 4u);
  for (const auto& each : all<UpdateEntries>(decisions)) EXPECT_EQ(each.level, 0u);
}

TEST(AddressSpace, VPAGE_010_KeptLeavesArePagesOfOneSize) {
  for (const bool dual : {false, true}) {
    Report shape = four_levels();
    Space space(dual ? shape.dual_pte() : shape.leaves_64kb());
    KeepTables keep{pages(512, 128)};
    keep.page_size = PageTablePageSize::Page64K;
    const auto made = all<CreateTable>(space.ask(keep));
    EXPECT_EQ(std::count_if(made.begin(), made.end(),
                            [](const CreateTable& each) {
                              return each.level == 0 &&
                                     each.page_size == PageTablePageSize::Page64K;
                            }),
              1);
    Map large;
    large.use_64kb_pages = true;
    const auto mapped = space.map(512, 32, at(16), large);
    EXPECT_TRUE(all<CreateTable>(mapped).empty());
    const auto written = all<UpdateEntries>(mapped);
    ASSERT_EQ(written.size(), 1u);
    EXPECT_EQ(written[0].count, 2u);
    EXPECT_TRUE(all<DestroyTable>(space.unmap(512, 32)).empty());
  }
}

TEST(AddressSpace, PROC_003_OfWhatADriverReservesItsOwnLeavesAreNotMade) {
  Space space(four_levels());
  const auto decisions = space.ask(KeepTables{.range = pages(512, 1024), .lowest = 1});
  const std::uint32_t tables = space.space().tables().count();
  EXPECT_EQ(tables, 1 + 1 + 1u);
  for (const auto& each : all<UpdateEntries>(decisions)) EXPECT_NE(each.level, 0u);
  space.map(0, 1, at(7));
  space.unmap(0, 1);
  EXPECT_EQ(space.space().tables().count(), tables) << "the leaf goes, what was kept stays";
}

TEST(AddressSpace, RefusesWhatUserModeMayGetWrong) {
  Space space(four_levels());
  const PageRun page_run{at(7), kPageSize};
  const auto with = [&](VaRange range, PageRun run) {
    Map map;
    map.range = range;
    map.pages = {&run, 1};
    return space.refusal(map).why;
  };
  EXPECT_EQ(with({{0}, 0}, page_run), Refusal::BeyondAddressSpace);
  EXPECT_EQ(with({{1ull << 48}, kPageSize}, page_run), Refusal::BeyondAddressSpace);
  EXPECT_EQ(with({{kPageSize}, UINT64_MAX}, page_run), Refusal::BeyondAddressSpace);
  EXPECT_EQ(with({{1}, kPageSize}, page_run), Refusal::NotPageAligned);
  EXPECT_EQ(with(pages(0, 1), {{1, {1}, {}}, kPageSize}), Refusal::NotPageAligned);
  EXPECT_EQ(with(pages(0, 2), page_run), Refusal::RunsOfOtherSize);
  EXPECT_EQ(with(pages(0, 1), {at(7), 2 * kPageSize}), Refusal::RunsOfOtherSize);
  EXPECT_EQ(with(pages(0, 2), {{~std::uint64_t{0xfff}, {1}, {}}, 2 * kPageSize}),
            Refusal::PageBeyondSegment);
  EXPECT_EQ(with(pages(0, 1), {{0, {1}, {1}}, kPageSize}), Refusal::PhysicalAdapter);
}

TEST(AddressSpace, AMillionPagesIn48BitsCostByWhatIsMapped) {
  AddressSpace space(four_levels().geometry());
  static_cast<void>(space.step(Open{}));
  for (std::uint64_t i = 0; i < 1024; ++i) {
    const PageRun run{at(i << 10), 1024 * kPageSize};
    Map map;
    map.range = pages(i << 26, 1024);
    map.pages = {&run, 1};
    static_cast<void>(space.step(map));
  }
  EXPECT_EQ(space.tables().count(), 1 + 512u + 1024 + 2048);
  EXPECT_EQ(space.translate(page((1023ull << 26) + 5), Access::Read).place, at((1023 << 10) + 5));
}

}  // namespace
}  // namespace wddm::gpummu
