// How often a packet has run, told from its word of the marker allocation.
#include "conformance/host/vidsch/markers.h"

#include "conformance/host/render/repertoire.h"
#include "conformance/host/tests/packets.h"
#include "conformance/host/tests/vidmm_fixture.h"

namespace wddm::host {
namespace {

constexpr std::uint32_t kOffset = 8;

class MarkersTest : public VidMmTest {
 protected:
  /// The marker allocation lies in system memory, and all of its words are 0.
  template <class Body>
  void with_markers(Body body) {
    with({{kMarkerAllocation, 1}}, [&](World& world) {
      Markers markers(world.memory, packets);
      world_ = &world;
      body(markers);
    });
  }
  /// A submitted packet whose word is at kOffset.
  static Packet marked() {
    auto buffer = listed({0});
    buffer->marker_offset = kOffset;
    buffer->render = kOffset / 4;
    Packet packet = packet_of(buffer);
    packet.ordinal = PacketOrdinal{4};
    packet.fence = FenceId{11};
    packet.submissions = 1;
    packet.render()->has_marker = true;
    return packet;
  }
  /// The GPU has come to the packet's last command that often.
  void set_word(std::uint32_t value) {
    ASSERT_TRUE(world_->memory.cpu_write(kMarkerAllocation, kOffset, value));
  }
  std::vector<ev::MarkerRead> reads() const { return seen<ev::MarkerRead>(); }
  PacketTable packets;

 private:
  World* world_ = nullptr;
};

TEST_F(MarkersTest, TellsHowOftenAPacketHasRunBesideHowOftenItMust) {
  with_markers([&](Markers& markers) {
    set_word(1);
    markers.read(marked(), 1, MarkerReason::AtEnd);
  });
  ASSERT_EQ(reads().size(), 1u);
  EXPECT_EQ(reads()[0].packet, 4u);
  EXPECT_EQ(reads()[0].fence, 11u);
  EXPECT_EQ(reads()[0].runs, 1u);
  EXPECT_EQ(reads()[0].expected, 1u);
  EXPECT_EQ(reads()[0].reason, static_cast<std::uint32_t>(MarkerReason::AtEnd));
}

TEST_F(MarkersTest, PacketWithoutAWordOfItsOwnTellsNothing) {
  with_markers([&](Markers& markers) {
    Packet other_portion = marked();
    other_portion.render()->has_marker = false;
    Packet hostile = marked();
    hostile.render()->buffer->marker_offset = kNone;
    Packet earlier_pass = marked();
    earlier_pass.render()->buffer->last_pass = false;
    for (const Packet* packet : {&other_portion, &hostile, &earlier_pass}) {
      markers.read(*packet, 1, MarkerReason::AtEnd);
    }
    markers.read(packet_of(paging_of(kNoAllocation)), 1, MarkerReason::AtEnd);
  });
  EXPECT_TRUE(reads().empty());
}

TEST_F(MarkersTest, WhileTheWordsAreBroughtInTheyTellNothing) {
  with_markers([&](Markers& markers) {
    packets.add(vidsch::PacketId{1}, packet_of(paging_of(kMarkerAllocation)));
    markers.read(marked(), 1, MarkerReason::AtEnd);
  });
  EXPECT_TRUE(reads().empty());
}

// After the last word comes the first again.
TEST_F(MarkersTest, WordThatAnotherRenderUsedCountsFromWhatItHeld) {
  with_markers([&](Markers& markers) {
    set_word(5);
    Packet packet = marked();
    packet.render()->buffer->render += kMarkerWords;
    markers.submitted(packet);
    set_word(6);
    markers.read(packet, 1, MarkerReason::AtEnd);
  });
  ASSERT_EQ(reads().size(), 1u);
  EXPECT_EQ(reads()[0].runs, 1u);
}

// Beside patterns that stand for what its client lacks there are half as many words.
TEST_F(MarkersTest, TheFirstWordComesAgainWhereThePatternsBegin) {
  with_markers([&](Markers& markers) {
    set_word(1);
    Packet packet = marked();
    packet.render()->buffer->render += kMarkerBytes / 4;
    markers.submitted(packet);
    set_word(2);
    markers.read(packet, 1, MarkerReason::AtEnd);
  });
  ASSERT_EQ(reads().size(), 1u);
  EXPECT_EQ(reads()[0].runs, 1u);
}

TEST_F(MarkersTest, ALadderOfItsOwnCountsFromNothingWhereverItLiesYet) {
  with_markers([&](Markers& markers) {
    Packet packet = marked();
    packet.render()->buffer->marker_is_ladder = true;
    packet.render()->buffer->render = kOffset / Repertoire::kLadderBytes;
    const PacketTable::Node paging = [&] {
      packets.add(vidsch::PacketId{1}, packet_of(paging_of(kMarkerAllocation)));
      markers.submitted(packet);
      return packets.extract(vidsch::PacketId{1});
    }();
    markers.read(packet, 1, MarkerReason::AtEnd);
  });
  ASSERT_EQ(reads().size(), 1u);
  EXPECT_EQ(reads()[0].runs, 0u);
}

TEST_F(MarkersTest, PacketThatIsSubmittedAgainMustNotHaveRun) {
  with_markers([&](Markers& markers) {
    Packet packet = marked();
    markers.submitted(packet);
    EXPECT_TRUE(reads().empty());
    packet.submissions = 2;
    markers.submitted(packet);
  });
  ASSERT_EQ(reads().size(), 1u);
  EXPECT_EQ(reads()[0].expected, 0u);
  EXPECT_EQ(reads()[0].reason, static_cast<std::uint32_t>(MarkerReason::AfterPreempted));
}

class MarkersOfALedger : public MarkersTest {
 protected:
  /// Packets with fences 11, 12 and 13, all with the driver.
  MarkersOfALedger() {
    for (std::uint32_t fence = 11; fence <= 13; ++fence) {
      Packet packet = marked();
      packet.fence = FenceId{fence};
      packet.ordinal = PacketOrdinal{fence};
      packets.add(vidsch::PacketId{fence}, std::move(packet));
      EXPECT_EQ(ledger.submitted(FenceId{fence}, vidsch::PacketKind::Render),
                vidsch::SubmitOutcome::Accepted);
    }
  }
  std::vector<std::pair<std::uint32_t, std::uint32_t>> expected() const {
    std::vector<std::pair<std::uint32_t, std::uint32_t>> all;
    for (const ev::MarkerRead& read : reads()) all.emplace_back(read.fence, read.expected);
    return all;
  }
  vidsch::FenceLedger ledger;
};

TEST_F(MarkersOfALedger, CompletionCoversAllUpToItsFence) {
  with_markers([&](Markers& markers) { markers.read_all(ledger, {}, FenceId{12}, false); });
  EXPECT_EQ(expected(), (std::vector<std::pair<std::uint32_t, std::uint32_t>>{{11, 1}, {12, 1}}));
}

TEST_F(MarkersOfALedger, PreemptionSaysOfTheRestThatTheyHaveNotRun) {
  with_markers([&](Markers& markers) { markers.read_all(ledger, {}, FenceId{11}, true); });
  EXPECT_EQ(expected(),
            (std::vector<std::pair<std::uint32_t, std::uint32_t>>{{11, 1}, {12, 0}, {13, 0}}));
  EXPECT_EQ(reads()[0].reason, static_cast<std::uint32_t>(MarkerReason::AtPreempted));
}

TEST_F(MarkersOfALedger, TheFenceOfARefusedPacketCoversWhatIsBeforeIt) {
  ledger.rejected(FenceId{12});
  with_markers([&](Markers& markers) { markers.read_all(ledger, {}, FenceId{12}, true); });
  EXPECT_EQ(expected(), (std::vector<std::pair<std::uint32_t, std::uint32_t>>{{11, 1}, {13, 0}}));
}

TEST_F(MarkersOfALedger, OtherNodesAreNotRead) {
  with_markers(
      [&](Markers& markers) { markers.read_all(ledger, {.node = NodeId{1}}, FenceId{13}, false); });
  EXPECT_TRUE(reads().empty());
}

}  // namespace
}  // namespace wddm::host
