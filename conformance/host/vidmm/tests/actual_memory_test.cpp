// Which pages the CPU sees, and where.
#include "conformance/host/vidmm/prediction/actual_memory.h"

#include "conformance/host/tests/visible_fixture.h"

namespace wddm::host {
namespace {

using ActualMemoryTest = VisibleMemoryTest;

TEST_F(ActualMemoryTest, PageOfASegmentIsThatOfTheBar) {
  with_visible([&](World& world) {
    const ActualMemory& actual = world.memory.actual();
    EXPECT_EQ(actual.page(kLocal, 1), vram + 4096);
    EXPECT_EQ(actual.page_to_write(kLocal, 1), vram + 4096);
    EXPECT_EQ(actual.page(kLocal, 2), nullptr) << "behind the BAR";
  });
}

TEST_F(ActualMemoryTest, SegmentThatIsNotCpuVisibleIsNotSeen) {
  with_visible(
      [&](World& world) {
        EXPECT_EQ(world.memory.actual().page(kLocal, 0), nullptr);
        EXPECT_FALSE(world.memory.actual().sees_all(kLocal, 1));
      },
      [&] { driver.segments[0].Flags.CpuVisible = 0; });
}

TEST_F(ActualMemoryTest, AllPagesAreSeenOrNotAll) {
  with_visible([&](World& world) {
    const ActualMemory& actual = world.memory.actual();
    EXPECT_TRUE(actual.sees_all(kLocal, kPages));
    EXPECT_FALSE(actual.sees_all(kLocal, kPages + 1));
    EXPECT_FALSE(actual.sees_all(kLocal, 0));
  });
}

TEST_F(ActualMemoryTest, PagesOfOtherGpusAreSoUntilTheFirstHasThemAgain) {
  with_visible([&](World& world) {
    const Residency& residency = world.residency;
    ActualMemory actual(world.adapter, residency, world.memory.frames());
    actual.lies_on(1, {kLocal, 1}, 2);
    EXPECT_EQ(actual.gpu_of(kLocal, 0), 0u);
    EXPECT_EQ(actual.gpu_of(kLocal, 2), 1u);
    actual.lies_on(0, {kLocal, 2}, 1);
    EXPECT_EQ(actual.gpu_of(kLocal, 1), 1u);
    EXPECT_EQ(actual.gpu_of(kLocal, 2), 0u);
    EXPECT_EQ(actual.of_others().size(), 1u);
  });
}

TEST_F(ActualMemoryTest, SystemPagesAreNamedByTheirNumber) {
  with_visible([&](World& world) {
    const auto number = world.memory.frames().find(world.memory.dummy_frame());
    ASSERT_TRUE(number.has_value());
    const ActualMemory& actual = world.memory.actual();
    EXPECT_EQ(actual.page(kNoSegment, *number), memory::frame_bytes(world.memory.dummy_frame()));
    EXPECT_EQ(actual.page(kNoSegment, world.memory.frames().size()), nullptr);
  });
}

TEST_F(ActualMemoryTest, SystemPageThatIsToBeWrittenCountsAsWritten) {
  with_visible([&](World& world) {
    const memory::Frame dummy = world.memory.dummy_frame();
    memory::forget_written();
    static_cast<void>(
        world.memory.actual().page_to_write(kNoSegment, *world.memory.frames().find(dummy)));
    ASSERT_EQ(memory::written_frames().size(), 1u);
    EXPECT_EQ(memory::written_frames()[0], dummy);
  });
}

// A driver without hardware sets memory of its own aside.
TEST_F(ActualMemoryTest, MemoryOfTheDriverIsSeenUntilItIsFreed) {
  memory::Frame first = 0;
  with_visible(
      [&](World& world) {
        const ActualMemory& actual = world.memory.actual();
        EXPECT_EQ(actual.page(kLocal, 1), memory::frame_bytes(first + 1));
        EXPECT_EQ(actual.first_frame_of(kLocal), first);
        EXPECT_FALSE(actual.writes_known(kLocal));
        memory::frames_free(std::vector<memory::Frame>{first, first + 1});
        EXPECT_EQ(actual.page(kLocal, 1), nullptr);
      },
      [&] {
        first = memory::frames_allocate_contiguous(kPages, memory::FrameOwner::Driver, ~0ull);
        driver.segments[0].CpuTranslatedAddress.QuadPart = static_cast<LONGLONG>(first * 4096);
      });
}

TEST_F(ActualMemoryTest, WritesAreKnownWhereTheDeviceReportsThem) {
  gpu.bars[0].reports_writes = 1;
  with_visible([&](World& world) { EXPECT_TRUE(world.memory.actual().writes_known(kLocal)); });
}

TEST_F(ActualMemoryTest, SmallBarsBeginUnused) {
  gpu.bars[0].reports_writes = 1;
  with_visible([&](World& world) { EXPECT_TRUE(world.memory.actual().begins_unused(kLocal)); });
}

TEST_F(ActualMemoryTest, LargeBarsBeginAsZerosThoughLittleOfThemIsUsed) {
  gpu.bars[0] = {.size = 2 * memory::kMostUnusedBytes, .memory = 1, .reports_writes = 1};
  with_visible([&](World& world) {
    EXPECT_TRUE(world.memory.actual().writes_known(kLocal));
    EXPECT_FALSE(world.memory.actual().begins_unused(kLocal));
  });
}

TEST_F(ActualMemoryTest, WritesAreNotKnownWhereItDoesNot) {
  with_visible([&](World& world) { EXPECT_FALSE(world.memory.actual().writes_known(kLocal)); });
}

}  // namespace
}  // namespace wddm::host
