// Address spaces of particular shapes: roots that are resized, 64 KB pages, linked adapters.
#include <gtest/gtest.h>

#include <vector>

#include "reference/gpummu/tests/checked_host.h"

namespace wddm::gpummu {
namespace {

using testing::at;
using testing::CheckedHost;
using testing::page;
using testing::pages;
using testing::Report;
using testing::report;

class Shape : public CheckedHost {
 public:
  using CheckedHost::CheckedHost;

  std::vector<Decision> map_64kb(std::uint64_t first, std::uint64_t count,
                                 const PhysicalAddress& to) {
    Map options;
    options.use_64kb_pages = true;
    return map(first, count, to, options);
  }
  [[nodiscard]] std::uint32_t leaves(PageTablePageSize page_size) {
    std::uint32_t count = 0;
    for (std::uint32_t i = 0; i < space().tables().most_ids(); ++i) {
      if (!space().tables().exists(TableId{i})) continue;
      const PageTable& table = space().tables()[TableId{i}];
      count += table.level == 0 && table.page_size == page_size;
    }
    return count;
  }
};

template <class D>
std::size_t count(const std::vector<Decision>& decisions) {
  std::size_t found = 0;
  for (const Decision& each : decisions) found += std::holds_alternative<D>(each);
  return found;
}
constexpr auto k4K = PageTablePageSize::Page4K;
constexpr auto k64K = PageTablePageSize::Page64K;

// ---- The root of two levels: leaves of 16 pages.

Report two_levels() {
  return report({4, 8});
}

TEST(Root, ROOT_001_OnlyTwoLevelsHaveARootThatIsTooSmall) {
  Shape space(two_levels(), 1, 2);
  const auto decisions = space.map(32, 1, at(7));
  EXPECT_EQ(std::get<Refused>(decisions[0]), (Refused{Refusal::RootTooSmall, 3}));
  Shape fixed(report({4, 4, 4}), 1, 2);
  EXPECT_EQ(fixed.space().root_entries(), 16u);
}

TEST(Root, ROOT_004_AContextGetsItsRootAtOnce) {
  Shape space(two_levels());
  const auto decisions = space.ask(AddContext{ContextId{5}});
  ASSERT_EQ(decisions.size(), 1u);
  EXPECT_EQ(std::get<SetRoot>(decisions[0]), (SetRoot{ContextId{5}, space.space().root(), 4}));
}

TEST(Root, ROOT_006_TheRootHasTheDriversSizeAndAllAnnouncedEntriesAreWritten) {
  AddressSpace space(two_levels().geometry());
  const auto decisions = space.step(Open{{8192, 100}});
  EXPECT_EQ(std::get<CreateTable>(decisions[0]).bytes, 8192u);
  EXPECT_EQ(std::get<UpdateEntries>(decisions[1]).count, 100u);
}

TEST(Root, ROOT_006_NoMoreEntriesAreAnnouncedThanTheSpaceHas) {
  AddressSpace space(two_levels().geometry());
  static_cast<void>(space.step(Open{{1 << 20, UINT32_MAX}}));
  EXPECT_EQ(space.root_entries(), 256u);
}

TEST(Root, ROOT_007_GrowingKeepsLeavesLinkedAtTheirIndex) {
  Shape space(two_levels(), 1, 2);
  space.map(17, 1, at(7));
  const auto decisions = space.ask(ResizeRoot{{4096, 8}});
  EXPECT_EQ(count<CopyEntries>(decisions), 0u);
  EXPECT_EQ(space.access(page(17)).place, at(7));
  EXPECT_EQ(space.access(page(127)).fault, FaultReason::InvalidEntry);
  space.map(127, 1, at(8));
  EXPECT_EQ(space.access(page(127)).place, at(8));
}

TEST(Root, ROOT_008_ShrinkingCopiesOnTheGpuAndCutsOff) {
  Shape space(two_levels(), 1, 8);
  space.map(17, 1, at(7));
  const auto decisions = space.ask(ResizeRoot{{4096, 2}});
  EXPECT_EQ(count<CopyEntries>(decisions), 1u);
  EXPECT_EQ(space.access(page(17)).place, at(7));
  EXPECT_EQ(space.access(page(32)).fault, FaultReason::BeyondRoot);
}

TEST(Root, ROOT_008_WithCpuVirtualTheSmallerRootIsWritten) {
  Report shape = two_levels();
  shape.caps.page_table_update_mode = PageTableUpdateMode::CpuVirtual;
  Shape space(shape, 1, 8);
  space.map(17, 1, at(7));
  EXPECT_EQ(count<CopyEntries>(space.ask(ResizeRoot{{4096, 2}})), 0u);
  EXPECT_EQ(space.access(page(17)).place, at(7));
}

TEST(Root, ROOT_008_ARootInUseDoesNotShrinkBelowIt) {
  Shape space(two_levels(), 1, 8);
  space.map(17, 1, at(7));
  const auto decisions = space.ask(ResizeRoot{{4096, 1}});
  EXPECT_EQ(std::get<Refused>(decisions[0]), (Refused{Refusal::RootInUse, 2}));
}

TEST(Root, ROOT_009_EveryContextIsBoundAnewBeforeTheOldRootGoes) {
  Shape space(two_levels());
  space.ask(AddContext{ContextId{1}});
  space.ask(AddContext{ContextId{2}});
  space.ask(RemoveContext{ContextId{1}});
  const auto decisions = space.ask(ResizeRoot{{4096, 8}});
  EXPECT_EQ(count<SetRoot>(decisions), 2u);
  EXPECT_EQ(count<DestroyTable>(decisions), 1u);
  EXPECT_EQ(space.access(page(0), Access::Read, 0, ContextId{2}).level, 1);
}

TEST(Root, ROOT_010_ARelocatedRootIsSetForEveryContextAndFlushed) {
  Shape space(report({4, 4, 4}));
  space.map(17, 1, at(7));
  const auto decisions = space.ask(MoveTable{space.space().root()});
  EXPECT_EQ(count<SetRoot>(decisions), 1u);
  EXPECT_EQ(count<FlushTlb>(decisions), 1u);
  EXPECT_EQ(space.access(page(17)).place, at(7));
}

TEST(Root, HugeTablesAreSparseAndWorkAsSmallOnesDo) {
  constexpr std::uint32_t kEntries = 1 << 26;
  Shape space(report({10, 27}), 1, kEntries);  // leaves of 1'024 pages
  const std::uint64_t last = std::uint64_t{kEntries} * 1024 - 1;
  space.map(last - 2000, 2001, at(7));
  space.map(5, 1, at(3));
  EXPECT_EQ(space.access(page(last)).place, at(2007));
  EXPECT_EQ(space.access(page(last - 2001)).outcome, Outcome::Fault);
  EXPECT_EQ(space.space().root_entries_in_use(), kEntries);
  space.ask(Unmap{pages(100, last - 99)});
  EXPECT_EQ(space.access(page(last)).outcome, Outcome::Fault);
  EXPECT_EQ(space.space().tables().count(), 2u);
  space.ask(ResizeRoot{{kPageSize, 2000}});
  EXPECT_EQ(space.access(page(5)).place, at(3));
}

TEST(Root, CloseLeavesNothing) {
  Shape space(report({4, 4, 4}));
  space.map(17, 100, at(7));
  space.ask(RemoveContext{ContextId{0}});
  space.ask(Close{});
  EXPECT_EQ(space.tables(), 0u);
  EXPECT_EQ(space.space().tables().count(), 0u);
}

// ---- 64 KB pages: leaves of 64 pages, four of 64 KB.

Report single() {
  return report({6, 4, 4}).leaves_64kb();
}
Report dual() {
  return report({6, 4, 4}).dual_pte();
}

TEST(Pages64K, PGSZ_001_SystemMemoryIsMappedIn4KPages) {
  Shape space(single());
  space.map_64kb(16, 16, at(160, 0));
  EXPECT_EQ(space.leaves(k4K), 1u);
  Report opted = single();
  opted.caps.sys_mem_64kb_page_supported = true;
  Shape large(opted);
  large.map_64kb(16, 16, at(160, 0));
  EXPECT_EQ(large.leaves(k64K), 1u);
}

TEST(Pages64K, PGSZ_005_Without64KLeavesAPageIsSixteenEntries) {
  Shape space(report({6, 4, 4}));
  space.map_64kb(16, 16, at(160, 2));
  EXPECT_EQ(space.leaves(k4K), 1u);
  EXPECT_EQ(space.access(page(31)).place, at(175, 2));
  space.ask(Unmap{pages(21, 1)});
  EXPECT_EQ(space.access(page(20)).place, at(164, 2));
  EXPECT_EQ(space.access(page(21)).outcome, Outcome::Fault);
}

TEST(Pages64K, PGSZ_006_AddressAndPageAgreeInTheirLow16Bits) {
  Shape space(single());
  EXPECT_EQ(std::get<Refused>(space.map_64kb(17, 16, at(160, 2))[0]).why, Refusal::NotCongruent64K);
  space.map_64kb(17, 30, at(161, 2));  // part of an allocation, from its second page on
  EXPECT_EQ(space.access(page(17)).place, at(161, 2));
}

TEST(Pages64K, PGSZ_007_A64KLeafIsWrittenIn64KUnits) {
  Shape space(single());
  const auto decisions = space.map_64kb(16, 32, at(160, 2));
  for (const Decision& each : decisions) {
    const auto* update = std::get_if<UpdateEntries>(&each);
    if (update == nullptr || update->level != 0 || update->initial) continue;
    EXPECT_EQ(update->first, 1u);
    EXPECT_EQ(update->count, 2u);
    EXPECT_EQ(update->page_size, k64K);
  }
  EXPECT_EQ(space.access(page(47)).place, at(191, 2));
  EXPECT_EQ(space.access(page(48)).outcome, Outcome::Fault);
}

TEST(Pages64K, PGSZ_008_A4KPageConvertsTheLeafForGoodWhileSuspended) {
  Shape space(single());
  space.map_64kb(0, 32, at(160, 2));
  const auto decisions = space.map(40, 1, at(7));
  EXPECT_EQ(count<SuspendContexts>(decisions), 1u);
  EXPECT_EQ(space.leaves(k64K), 0u);
  EXPECT_EQ(space.access(page(31)).place, at(191, 2));
  EXPECT_EQ(space.access(page(40)).place, at(7));
  space.ask(Unmap{pages(40, 1)});
  space.map_64kb(32, 16, at(320, 2));
  EXPECT_EQ(space.leaves(k64K), 0u);
}

TEST(Pages64K, PGSZ_008_TheLeafIsCompleteBeforeLevelOneSaysSo) {
  Shape space(single());
  space.map_64kb(0, 32, at(160, 2));
  std::vector<std::uint32_t> levels;
  for (const Decision& each : space.map(40, 1, at(7))) {
    if (const auto* update = std::get_if<UpdateEntries>(&each)) levels.push_back(update->level);
  }
  EXPECT_EQ(levels, (std::vector<std::uint32_t>{0, 0, 1}));
}

TEST(Pages64K, PGSZ_009_WithDualPtesBothLeavesServeOneRegion) {
  Shape space(dual());
  space.map_64kb(0, 32, at(160, 2));
  const auto decisions = space.map(40, 1, at(7));
  EXPECT_EQ(count<SuspendContexts>(decisions), 0u);
  EXPECT_EQ(space.leaves(k64K), 1u);
  EXPECT_EQ(space.leaves(k4K), 1u);
  EXPECT_EQ(space.access(page(31)).place, at(191, 2));
  EXPECT_EQ(space.access(page(40)).place, at(7));
}

TEST(Pages64K, PGSZ_009_WhatMovesToSystemMemoryChangesLeavesAndBack) {
  Shape space(dual());
  space.map_64kb(0, 32, at(160, 2));
  space.map(0, 16, at(1000, 0));
  EXPECT_EQ(space.access(page(3)).place, at(1003, 0));
  EXPECT_EQ(space.access(page(16)).place, at(176, 2));
  space.map_64kb(0, 16, at(320, 2));
  EXPECT_EQ(space.access(page(3)).place, at(323, 2));
  EXPECT_EQ(space.leaves(k4K), 0u);
}

TEST(Pages64K, PGSZ_009_PartOfA64KPageLeavesTheRestInTheOtherLeaf) {
  Shape space(dual());
  space.map_64kb(0, 16, at(160, 2));
  const auto decisions = space.ask(Unmap{pages(5, 1)});
  EXPECT_EQ(count<SuspendContexts>(decisions), 1u);
  EXPECT_EQ(space.access(page(4)).place, at(164, 2));
  EXPECT_EQ(space.access(page(5)).outcome, Outcome::Fault);
  EXPECT_EQ(space.leaves(k64K), 0u);
}

// ---- Linked adapters.

TEST(Link, LDA_003_RootsHoldTheSameOnEveryGpu) {
  Shape space(report({4, 4, 4}), 2);
  Map one;
  one.adapters = 1;
  space.map(5, 1, at(7), one);
  for (std::uint32_t i = 0; i < 16; ++i) {
    const TableId root = space.space().root();
    EXPECT_EQ(*space.memory().entry(space.place(root, 0), i),
              *space.memory().entry(space.place(root, 1), i));
  }
}

TEST(Link, LDA_004_LeavesDifferFromGpuToGpu) {
  Shape space(report({4, 4, 4}), 2);
  const PhysicalAddress local{7 * kPageSize, SegmentId{1}, PhysicalAdapterIndex{0}};
  space.map(5, 1, local);
  Map one;
  one.adapters = 2;
  space.map(5, 1, at(9, 2), one);
  EXPECT_EQ(space.access(page(5), Access::Read, 0).place, local);
  EXPECT_EQ(space.access(page(5), Access::Read, 1).place, at(9, 2));
}

TEST(Link, LDA_005_UpdatesAndFlushesAreOfTheGpuThatIsMeant) {
  Shape space(report({4, 4, 4}), 2);
  space.map(5, 1, at(7));
  Map one;
  one.adapters = 2;
  const auto decisions = space.map(5, 1, at(9), one);
  ASSERT_EQ(decisions.size(), 2u);
  EXPECT_EQ(std::get<UpdateEntries>(decisions[0]).adapter, PhysicalAdapterIndex{1});
  EXPECT_EQ(std::get<FlushTlb>(decisions[1]).adapter, PhysicalAdapterIndex{1});
}

TEST(Link, LDA_005_TablesAreWrittenOnEachGpu) {
  Shape space(report({4, 4, 4}), 3);
  const auto decisions = space.map(5, 1, at(7));
  EXPECT_EQ(count<CreateTable>(decisions), 2u);
  EXPECT_EQ(count<UpdateEntries>(decisions), 3 * 5u);
}

TEST(Link, LDA_006_AMappingMayBeToAnotherGpusMemory) {
  Shape space(report({4, 4, 4}), 2);
  const PhysicalAddress peer{7 * kPageSize, SegmentId{1}, PhysicalAdapterIndex{1}};
  space.map(5, 1, peer);
  EXPECT_EQ(space.access(page(5), Access::Read, 0).place, peer);
}

}  // namespace
}  // namespace wddm::gpummu
