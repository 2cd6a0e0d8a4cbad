// When memory may be compared with its prediction: at rest, and when no part of a whole is missing.
#include "conformance/host/vidsch/memory_effects.h"

#include "conformance/host/tests/host_fixture.h"
#include "conformance/host/tests/packets.h"
#include "conformance/host/vidmm/paging/paging_operations.h"

namespace wddm::host {
namespace {

class MemoryEffectsTest : public HostTest {
 protected:
  template <class Body>
  void with_effects(Body body) {
    on_machine([&](World& world) {
      ASSERT_NO_FATAL_FAILURE(begin(world));
      effects.emplace(world.memory, world.comparison);
      effects->begin();
      body(world);
    });
  }
  /// A portion of the buffer has ended.
  void ends(const std::shared_ptr<RenderBuffer>& buffer, std::uint32_t end = 0) {
    Packet packet = packet_of(buffer);
    packet.render()->end = end;
    EXPECT_FALSE(effects->ended(packet));
  }
  std::size_t comparisons() const { return seen<ev::MemoryChecked>().size(); }
  static std::shared_ptr<RenderBuffer> cut_into(std::uint32_t portions, std::uint32_t render = 0) {
    auto buffer = listed({0});
    buffer->portions_left = portions;
    buffer->render = render;
    return buffer;
  }
  std::optional<MemoryEffects> effects;
};

TEST_F(MemoryEffectsTest, MemoryIsComparedOnceWhenWorkHasEnded) {
  with_effects([&](World&) {
    effects->compare_if_due(true);
    EXPECT_EQ(comparisons(), 0u) << "nothing has happened";
    ends(cut_into(1));
    effects->compare_if_due(true);
    EXPECT_EQ(comparisons(), 1u);
    effects->compare_if_due(true);
    EXPECT_EQ(comparisons(), 1u);
  });
}

TEST_F(MemoryEffectsTest, ComparisonWaitsForRest) {
  with_effects([&](World&) {
    ends(cut_into(1));
    effects->compare_if_due(false);
    EXPECT_EQ(comparisons(), 0u);
    effects->compare_if_due(true);
    EXPECT_EQ(comparisons(), 1u);
  });
}

TEST_F(MemoryEffectsTest, PartOfABufferIsNoReasonToCompare) {
  with_effects([&](World&) {
    const auto buffer = cut_into(2);
    ends(buffer);
    effects->compare_if_due(true);
    EXPECT_EQ(comparisons(), 0u);
    ends(buffer);
    effects->compare_if_due(true);
    EXPECT_EQ(comparisons(), 1u);
  });
}

TEST_F(MemoryEffectsTest, CommandsTakeEffectWithTheirPortionWhereTheirPlacesAreKnown) {
  with_effects([&](World&) {
    const auto buffer = cut_into(2);
    buffer->stream->commands = {gpu::spin(1), gpu::spin(2)};
    buffer->places = {.known = true, .first = 0, .commands = {0, 1}, .offsets = {0, 32}};
    ends(buffer, 32);
    EXPECT_EQ(buffer->stream->done, 1u);
    ends(cut_into(1, 6));
    effects->compare_if_due(true);
    EXPECT_EQ(comparisons(), 1u) << "what the first portion did is no secret";
    ends(buffer, 64);
    EXPECT_EQ(buffer->stream->done, 2u);
  });
}

TEST_F(MemoryEffectsTest, WhereTheyAreNotCommandsTakeEffectAtTheEndOfTheBuffer) {
  with_effects([&](World&) {
    const auto buffer = cut_into(2);
    buffer->stream->commands = {gpu::spin(1), gpu::spin(2)};
    ends(buffer, 32);
    EXPECT_EQ(buffer->stream->done, 0u);
    ends(cut_into(1, 6));
    effects->compare_if_due(true);
    EXPECT_EQ(comparisons(), 0u) << "nobody knows what the first portion did";
    ends(buffer, 64);
    EXPECT_EQ(buffer->stream->done, 2u);
  });
}

TEST_F(MemoryEffectsTest, ATranslationInPassesCountsAtItsLast) {
  with_effects([&](World&) {
    const auto first = cut_into(1, 5);
    first->last_pass = false;
    ends(first);
    ends(cut_into(1, 6));
    effects->compare_if_due(true);
    EXPECT_EQ(comparisons(), 0u) << "render 5 has run in part";
    ends(cut_into(1, 5));
    effects->compare_if_due(true);
    EXPECT_EQ(comparisons(), 1u);
  });
}

TEST_F(MemoryEffectsTest, ADroppedTranslationIsWaitedForNoMore) {
  with_effects([&](World&) {
    const auto first = cut_into(1, 5);
    first->last_pass = false;
    ends(first);
    ends(cut_into(1, 6));
    effects->translation_dropped(*first);
    effects->compare_if_due(true);
    EXPECT_EQ(comparisons(), 1u);
  });
}

TEST_F(MemoryEffectsTest, AfterLostPacketsNothingIsKnownUntilTheNextStart) {
  with_effects([&](World&) {
    effects->packets_lost();
    ends(cut_into(1));
    effects->compare_if_due(true);
    EXPECT_EQ(comparisons(), 0u);
    effects->begin();
    ends(cut_into(1));
    effects->compare_if_due(true);
    EXPECT_EQ(comparisons(), 1u);
  });
}

TEST_F(MemoryEffectsTest, PagingEndsWithItsLastBuffer) {
  with_effects([&](World& world) {
    memory::Frame frame = 0;
    memory::frames_allocate({&frame, 1}, memory::FrameOwner::Allocation);
    const auto operation =
        map_of({world.objects, world.residency}, {SegmentId{2}, 0}, {&frame, 1}, 0);
    Packet packet = packet_of(operation);
    packet.ordinal = {9};
    EXPECT_FALSE(effects->ended(packet));
    EXPECT_TRUE(operation->started);
    effects->compare_if_due(true);
    EXPECT_EQ(comparisons(), 0u);

    packet.paging()->buffer->last = true;
    EXPECT_TRUE(effects->ended(packet));
    effects->compare_if_due(true);
  });

  const auto checked = seen<ev::MemoryChecked>();
  ASSERT_EQ(checked.size(), 1u);
  EXPECT_EQ(checked[0].cause, static_cast<std::uint32_t>(MemoryCause::Paging));
  EXPECT_EQ(checked[0].object, 9u);
  EXPECT_EQ(checked[0].operation, static_cast<std::uint32_t>(DXGK_OPERATION_MAP_APERTURE_SEGMENT));
}

TEST_F(MemoryEffectsTest, PacketThatIsBrokenOffIsReasonToCompare) {
  with_effects([&](World&) {
    const auto buffer = cut_into(2);
    buffer->started = true;
    ends(buffer);
    effects->broken_off(packet_of(buffer));
    effects->compare_if_due(true);
    EXPECT_EQ(comparisons(), 1u) << "what it may have written is unknown, all else is not";
  });
}

TEST_F(MemoryEffectsTest, PacketThatNeverBeganLeavesNothingToCompare) {
  with_effects([&](World&) {
    effects->broken_off(packet_of(cut_into(1)));
    effects->compare_if_due(true);
    EXPECT_EQ(comparisons(), 0u);
  });
}

TEST_F(MemoryEffectsTest, NothingIsComparedAfterPagingIsBrokenOff) {
  with_effects([&](World&) {
    effects->broken_off(packet_of(paging_of(kNoAllocation)));
    ends(cut_into(1));
    effects->compare_if_due(true);
    EXPECT_EQ(comparisons(), 0u);
  });
}

}  // namespace
}  // namespace wddm::host
