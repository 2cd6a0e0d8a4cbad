// A wrong write is found, told once, and told of where it lies and what had just run.
#include "conformance/host/vidmm/prediction/memory_comparison.h"

#include "conformance/host/tests/visible_fixture.h"

namespace wddm::host {
namespace {

class MemoryComparisonTest : public VisibleMemoryTest {
 protected:
  /// An allocation of one page, filled into page 1 of the BAR.
  template <class Body>
  void with_filled(Body body) {
    with_visible([&](World& world) {
      ASSERT_NO_FATAL_FAILURE(create(world, {kSlot, 1}));
      std::memset(vram + 4096, 0, 4096);
      world.memory.apply(StepEffect{step(vidmm::StepKind::Fill, kSlot, kLocal, 1, 1)});
      body(world);
    });
  }
  std::vector<ev::MemoryDiffers> differences() const { return seen<ev::MemoryDiffers>(); }
  static std::uint32_t number(MemoryPlace place) { return static_cast<std::uint32_t>(place); }
};

TEST_F(MemoryComparisonTest, MemoryAsPredictedDiffersNowhere) {
  with_filled([&](World& world) { world.comparison.check({}); });
  EXPECT_TRUE(differences().empty());
  const auto checked = seen<ev::MemoryChecked>();
  ASSERT_EQ(checked.size(), 1u);
  EXPECT_EQ(checked[0].differences, 0u);
  EXPECT_GE(checked[0].bytes, kPages * 4096u);
}

TEST_F(MemoryComparisonTest, WrongWriteIsToldOnceByItsAllocation) {
  with_filled([&](World& world) {
    vram[4096 + 0x24] = 7;
    world.comparison.check({});
    world.comparison.check({});
  });
  ASSERT_EQ(differences().size(), 1u);
  EXPECT_EQ(differences()[0].where, number(MemoryPlace::Allocation));
  EXPECT_EQ(differences()[0].object, kSlot.value);
  EXPECT_EQ(differences()[0].offset, 0x24u);
  EXPECT_EQ(differences()[0].expected, 0u);
  EXPECT_EQ(differences()[0].seen, 7u);
}

TEST_F(MemoryComparisonTest, PageThatNobodyUsesIsToldByItsSegment) {
  with_filled([&](World& world) {
    vram[0x10] ^= 1;
    world.comparison.check({});
  });
  ASSERT_EQ(differences().size(), 1u);
  EXPECT_EQ(differences()[0].where, number(MemoryPlace::FreeSegmentPage));
  EXPECT_EQ(differences()[0].object, kNone);
  EXPECT_EQ(differences()[0].offset, 0x10u);
}

TEST_F(MemoryComparisonTest, DummyPageIsToldAsSuch) {
  with_filled([&](World& world) {
    memory::frame_bytes_to_write(world.memory.dummy_frame())[0] = 1;
    world.comparison.check({});
  });
  ASSERT_EQ(differences().size(), 1u);
  EXPECT_EQ(differences()[0].where, number(MemoryPlace::DummyPage));
}

TEST_F(MemoryComparisonTest, WhatHasJustRunIsNamedAndWhetherItWasMeantToWriteThere) {
  with_filled([&](World& world) {
    vram[4096] = vram[0] = 1;
    MemoryBlame blame{.cause = MemoryCause::Paging, .packet = PacketOrdinal{9}};
    blame.allocation = kSlot;
    world.comparison.check(blame);
  });
  ASSERT_EQ(differences().size(), 2u);
  for (const ev::MemoryDiffers& differs : differences()) {
    EXPECT_EQ(differs.cause, static_cast<std::uint32_t>(MemoryCause::Paging));
    EXPECT_EQ(differs.cause_object, 9u);
    EXPECT_EQ(differs.inside, differs.object == kSlot.value ? 1u : 0u);
  }
}

TEST_F(MemoryComparisonTest, OperationsOfTheCpuAreToBlameWhereTheyWereToWrite) {
  with_filled([&](World& world) {
    vram[4096] = vram[0] = 1;
    const MemoryBlame packet{.cause = MemoryCause::Paging, .packet = PacketOrdinal{9}};
    const MemoryBlame at_build{.cause = MemoryCause::Paging, .allocation = kSlot};
    world.comparison.check(packet, {&at_build, 1});
  });
  ASSERT_EQ(differences().size(), 2u);
  for (const ev::MemoryDiffers& differs : differences()) {
    EXPECT_EQ(differs.cause_object, differs.object == kSlot.value ? kNone : 9u);
  }
  EXPECT_EQ(seen<ev::MemoryChecked>().size(), 2u) << "one for each that it vouches for";
}

TEST_F(MemoryComparisonTest, PlaceOfASegmentThatWasMeantIsInside) {
  with_filled([&](World& world) {
    vram[0] = 1;
    MemoryBlame blame{.cause = MemoryCause::Paging};
    blame.segment = kLocal;
    blame.page = 0;
    blame.pages = 1;
    world.comparison.check(blame);
  });
  ASSERT_EQ(differences().size(), 1u);
  EXPECT_EQ(differences()[0].inside, 1u);
}

TEST_F(MemoryComparisonTest, WhereTrackIsLostNothingIsCompared) {
  with_filled([&](World& world) {
    vram[4096] = 1;
    world.memory.lose_track();
    world.comparison.check({});
  });
  EXPECT_TRUE(seen<ev::MemoryChecked>().empty());
}

// Where many scenarios run in one process, only what may have been written is read.
TEST_F(MemoryComparisonTest, WriteThatTheDeviceReportsIsFound) {
  gpu.bars[0].reports_writes = 1;
  with_filled([&](World& world) {
    world.comparison.check({});
    vram[4096] = 1;
    gpu.host->memory_written(gpu.host->host, 0, 4096, 1);
    world.comparison.check({});
  });
  EXPECT_EQ(differences().size(), 1u);
}

// A driver without hardware sets memory of its own aside.
TEST_F(MemoryComparisonTest, WriteThroughAMappingOfTheDriversMemoryIsFound) {
  constexpr std::uint32_t kLarge = 512;
  constexpr std::uint32_t kWritten = 300;
  memory::Frame first = 0;
  with_visible(
      [&](World& world) {
        bool registers = false;
        auto* const mapped =
            static_cast<std::uint8_t*>(memory::bus_map(first * 4096, kLarge * 4096, &registers));
        ASSERT_NE(mapped, nullptr);
        world.comparison.check({});
        EXPECT_TRUE(differences().empty());
        mapped[kWritten * 4096] ^= 1;
        world.comparison.check({});
        EXPECT_EQ(differences().size(), 1u);
        mapped[(kWritten + 1) * 4096] ^= 1;  // it is open by now, and no write there is seen
        world.comparison.check({});
      },
      [&] {
        first = memory::frames_allocate_contiguous(kLarge, memory::FrameOwner::Driver, ~0ull);
        driver.segments[0].CpuTranslatedAddress.QuadPart = static_cast<LONGLONG>(first * 4096);
        driver.segments[0].Size = driver.segments[0].CommitLimit = kLarge * 4096;
      });
  EXPECT_EQ(differences().size(), 2u);
}

// More than one comparison reports, and none is left for the next one, whatever that reads.
TEST_F(MemoryComparisonTest, EachDifferenceIsOfOneComparison) {
  constexpr std::uint32_t kLarge = 512;
  constexpr std::uint32_t kFilled = 100;
  memory::Frame first = 0;
  with_visible(
      [&](World& world) {
        ASSERT_NO_FATAL_FAILURE(create(world, {kSlot, kFilled}));
        for (std::uint32_t i = 1; i <= kFilled; ++i) memory::frame_bytes_to_write(first + i)[0] = 1;
        world.comparison.check({});
        world.memory.apply(StepEffect{step(vidmm::StepKind::Fill, kSlot, kLocal, 1, kFilled)});
        world.comparison.check({});
        session().process = Process::OneRun;
        world.comparison.check({});
        session().process = Process::ManyRuns;
      },
      [&] {
        first = memory::frames_allocate_contiguous(kLarge, memory::FrameOwner::Driver, ~0ull);
        driver.segments[0].CpuTranslatedAddress.QuadPart = static_cast<LONGLONG>(first * 4096);
        driver.segments[0].Size = driver.segments[0].CommitLimit = kLarge * 4096;
      });
  const auto checked = seen<ev::MemoryChecked>();
  ASSERT_EQ(checked.size(), 3u);
  EXPECT_EQ(checked[1].differences, kFilled);
  EXPECT_EQ(checked[2].differences, 0u);
}

TEST_F(MemoryComparisonTest, OneRunInAProcessReadsAllOfIt) {
  gpu.bars[0].reports_writes = 1;
  session().process = Process::OneRun;
  with_filled([&](World& world) {
    world.comparison.check({});
    vram[4096] = 1;
    world.comparison.check({});
  });
  session().process = Process::ManyRuns;
  EXPECT_EQ(differences().size(), 1u);
}

TEST_F(MemoryComparisonTest, TheLastOfSomeRunsReadsAllOfIt) {
  gpu.bars[0].reports_writes = 1;
  std::size_t before_the_end = 1;
  session().process = Process::SomeRuns;
  with_filled([&](World& world) {
    world.comparison.check({});
    vram[4096] = 1;
    world.comparison.check({});
    before_the_end = differences().size();
    world.comparison.check_at_end();
  });
  session().process = Process::ManyRuns;
  EXPECT_EQ(before_the_end, 0u);
  EXPECT_EQ(differences().size(), 1u);
}

// A large BAR begins as zeros, however few of its pages VidMm uses.
TEST_F(MemoryComparisonTest, FewPagesOfALargeBarThatReportsWritesAreAsPredicted) {
  gpu.bars[0] = {.size = 2 * memory::kMostUnusedBytes, .memory = 1, .reports_writes = 1};
  session().process = Process::OneRun;
  with_filled([&](World& world) { world.comparison.check({}); });
  session().process = Process::ManyRuns;
  EXPECT_EQ(seen<ev::MemoryChecked>().size(), 1u);
  EXPECT_TRUE(differences().empty());
}

// -- memory that no BAR shows

class UnseenMemoryTest : public VidMmTest {
 protected:
  static constexpr std::uint64_t kPages = 2;

  /// An allocation of one page, filled into page 1; the device reads its memory if `reads`.
  template <class Body>
  void with_filled(bool reads, Body body) {
    device = &gpu.table;
    on_machine([&](World& world) {
      ASSERT_NO_FATAL_FAILURE(begin(world));
      if (reads) gpu.has_unseen_memory(world.adapter.segment(kLocal).base, kPages * 4096);
      ASSERT_NO_FATAL_FAILURE(create(world, {kSlot, 1}));
      world.comparison.check({});
      before = seen<ev::MemoryChecked>().size();
      world.memory.apply(StepEffect{step(vidmm::StepKind::Fill, kSlot, kLocal, 1, 1)});
      body(world);
    });
  }
  /// Comparisons behind the fill.
  std::size_t comparisons() const { return seen<ev::MemoryChecked>().size() - before; }

  FakeDevice gpu;
  std::size_t before = 0;
};

TEST_F(UnseenMemoryTest, TheDeviceReadsIt) {
  with_filled(true, [&](World& world) {
    gpu.unseen[0] = 1;
    world.comparison.check({});
    EXPECT_TRUE(seen<ev::MemoryDiffers>().empty()) << "nothing is predicted for page 0";
    gpu.unseen[4096 + 0x24] = 7;
    world.comparison.check({});
    world.comparison.check({});
  });
  EXPECT_EQ(comparisons(), 3u);
  const auto differences = seen<ev::MemoryDiffers>();
  ASSERT_EQ(differences.size(), 1u);
  EXPECT_EQ(differences[0].object, kSlot.value);
  EXPECT_EQ(differences[0].offset, 0x24u);
  EXPECT_EQ(differences[0].seen, 7u);
}

TEST_F(UnseenMemoryTest, WhatNobodyCanLookAtVouchesForNobody) {
  with_filled(false, [&](World& world) {
    world.comparison.check({});
    EXPECT_EQ(comparisons(), 0u);
    world.comparison.check({});
    EXPECT_EQ(comparisons(), 1u) << "nothing is new there";
  });
  EXPECT_TRUE(seen<ev::MemoryDiffers>().empty());
}

TEST_F(UnseenMemoryTest, ADifferenceElsewhereIsToldAllTheSame) {
  with_filled(false, [&](World& world) {
    memory::frame_bytes_to_write(world.memory.dummy_frame())[0] = 1;
    world.comparison.check({});
  });
  EXPECT_EQ(comparisons(), 1u);
  EXPECT_EQ(seen<ev::MemoryDiffers>().size(), 1u);
}

TEST_F(UnseenMemoryTest, WhatIsLeftOfItWithoutPowerIsNotForetold) {
  with_filled(true, [&](World& world) {
    world.comparison.check({});
    world.memory.power_was_lost();
    gpu.unseen[4096] = 7;
    world.comparison.check({});
  });
  EXPECT_TRUE(seen<ev::MemoryDiffers>().empty());
}

}  // namespace
}  // namespace wddm::host
