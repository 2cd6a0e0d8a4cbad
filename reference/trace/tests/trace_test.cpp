// Writing a trace and reading it back.
#include "reference/trace/trace.h"

#include <gtest/gtest.h>
#include <rapidcheck/gtest.h>

#include "reference/trace/tests/trace_buffer.h"

namespace wddm {
namespace {

using test::TraceBuffer;

TEST(Trace, IsEmptyAtFirst) {
  const TraceBuffer buffer;
  EXPECT_TRUE(buffer.read().events().empty());
  EXPECT_FALSE(buffer.read().truncated());
}

TEST(Trace, HoldsHeaderAndPayload) {
  TraceBuffer buffer;
  buffer.writer().op = 7;
  buffer.writer().add(ev::DdiEntered{.ddi = 17, .object = 3}, 2, 1, 5);
  const Trace trace = buffer.read();
  ASSERT_EQ(trace.events().size(), 1u);
  const Event& event = trace.events()[0];
  EXPECT_EQ(event.kind, EventKind::DdiEntered);
  EXPECT_EQ(event.irql, 2);
  EXPECT_EQ(event.cpu, 1);
  EXPECT_EQ(event.op, 7);
  EXPECT_EQ(event.thread, 5);
  EXPECT_EQ(event.blob_length, 0u);
  EXPECT_EQ(trace.at<ev::DdiEntered>(0).ddi, 17u);
  EXPECT_EQ(trace.at<ev::DdiEntered>(0).object, 3u);
}

TEST(Trace, BytesBehindAShortPayloadAreZero) {
  TraceBuffer buffer;
  buffer.add(ev::IsrLeft{.claimed = 1});
  const Event event = buffer.read().events()[0];
  for (std::size_t i = sizeof(ev::IsrLeft); i < sizeof(event.payload); ++i)
    EXPECT_EQ(event.payload[i], std::byte{0});
}

TEST(Trace, IsIndexedByKind) {
  TraceBuffer buffer;
  buffer.add(ev::IsrEntered{}).add(ev::IsrLeft{}).add(ev::IsrEntered{});
  const Trace trace = buffer.read();
  ASSERT_EQ(trace.of<ev::IsrEntered>().size(), 2u);
  EXPECT_EQ(trace.of<ev::IsrEntered>()[0], 0u);
  EXPECT_EQ(trace.of<ev::IsrEntered>()[1], 2u);
  EXPECT_TRUE(trace.of<ev::DpcEntered>().empty());
}

struct CountedEvents {
  explicit CountedEvents(const Trace& trace) : count(trace.events().size()) { ++made; }
  std::size_t count;
  static inline int made = 0;
};

TEST(Trace, MakesALedgerOnce) {
  TraceBuffer buffer;
  buffer.add(ev::IsrEntered{}).add(ev::IsrLeft{});
  const Trace trace = buffer.read();
  const Trace other = buffer.read();
  EXPECT_EQ(trace.ledger<CountedEvents>().count, 2u);
  EXPECT_EQ(&trace.ledger<CountedEvents>(), &trace.ledger<CountedEvents>());
  EXPECT_NE(&trace.ledger<CountedEvents>(), &other.ledger<CountedEvents>());
  EXPECT_EQ(CountedEvents::made, 2);
}

TEST(Trace, RecordsOfABlobAreReadInPlace) {
  TraceBuffer buffer;
  const PatchRecord records[] = {{1, 0x05000002, 3, 4, 5, 6}, {7, 8, 9, 10, 11, 12}};
  buffer.add(ev::DebugPrint{}, "odd");
  buffer.writer().add(ev::Rendered{}, 0, 0, 0, records, sizeof(records));
  const Trace trace = buffer.read();
  const auto read = trace.blob<PatchRecord>(trace.events()[1]);
  ASSERT_EQ(read.size(), 2u);
  EXPECT_EQ(read[0].slot(), 2u);
  EXPECT_EQ(read[1].split_offset, 12u);
  EXPECT_EQ(trace.blob_text(trace.events()[0]), "odd");
}

TEST(Trace, RestOfABlobThatIsNoRecordIsDropped) {
  TraceBuffer buffer;
  buffer.add(ev::Patched{}, "0123456789ab");
  const Trace trace = buffer.read();
  EXPECT_EQ(trace.blob<RangeRecord>(trace.events()[0]).size(), 1u);
}

TEST(Trace, BlobMayFillTheArenaToItsLastByte) {
  TraceBuffer buffer(4, 16);
  buffer.add(ev::DebugPrint{}, "1").add(ev::DebugPrint{}, "12345678");
  const Trace trace = buffer.read();
  EXPECT_FALSE(trace.truncated());
  EXPECT_EQ(trace.blob_text(trace.events()[1]), "12345678");
}

// The one kind whose payload is larger than an event; see event.h.
using Wide = ev::CapsReported;
static_assert(payload_tail_of(Wide::kKind) == 16);

TEST(WidePayload, ComesBackWhole) {
  TraceBuffer buffer;
  buffer.add(ev::DebugPrint{}, "odd");
  buffer.add(Wide{
      .highest_address = 1, .interface_version = 2, .engine_resets = 3, .interrupt_message = 4});
  const Trace trace = buffer.read();
  const auto read = trace.at<Wide>(1);
  EXPECT_EQ(read.highest_address, 1u);
  EXPECT_EQ(read.interface_version, 2u);
  EXPECT_EQ(read.engine_resets, 3u);
  EXPECT_EQ(read.interrupt_message, 4u);
  EXPECT_TRUE(trace.blob_bytes(trace.events()[1]).empty());
}

TEST(WidePayload, EveryFieldIsReadByItsDescription) {
  TraceBuffer buffer;
  buffer.add(Wide{.highest_address = 1ull << 40, .misc = 5, .more = 4});
  const Trace trace = buffer.read();
  const auto fields = event_info(Wide::kKind).fields;
  EXPECT_EQ(trace.value(trace.events()[0], fields.front()), 1ull << 40);
  EXPECT_EQ(trace.value(trace.events()[0], fields.back()), 4u);
  EXPECT_NE(print_event(trace, 0).find(" interrupt_message=0 more=0x4"), std::string::npos);
}

TEST(WidePayload, StandsBeforeTheBlob) {
  TraceBuffer buffer;
  buffer.add(Wide{.interrupt_message = 4}, "blob");
  const Trace trace = buffer.read();
  EXPECT_EQ(trace.blob_text(trace.events()[0]), "blob");
  EXPECT_EQ(trace.at<Wide>(0).interrupt_message, 4u);
}

TEST(WidePayload, NeedsRoomInTheArena) {
  TraceBuffer enough(4, 16), little(4, 15);
  enough.add(Wide{.interrupt_message = 4});
  little.add(Wide{.interrupt_message = 4});
  EXPECT_EQ(enough.read().at<Wide>(0).interrupt_message, 4u);
  EXPECT_TRUE(little.read().truncated());
  EXPECT_TRUE(little.read().events().empty());
}

TEST(KindView, FindsEventsOnBothSidesOfAWord) {
  TraceBuffer buffer(300);
  std::vector<std::uint32_t> wanted;
  for (std::uint32_t i = 0; i < 260; ++i) {
    const bool first = i == 0 || i == 63 || i == 64 || i == 259;
    const bool second = i == 62 || i == 191;
    if (first) buffer.add(ev::IsrEntered{});
    if (second) buffer.add(ev::IsrLeft{});
    if (!first && !second) buffer.add(ev::DpcEntered{});
    if (first || second) wanted.push_back(i);
  }
  const Trace trace = buffer.read();

  std::vector<std::uint32_t> found;
  for (const std::uint32_t index : trace.of_any<ev::IsrEntered, ev::DpcLeft, ev::IsrLeft>()) {
    found.push_back(index);
  }
  EXPECT_EQ(found, wanted);
}

TEST(KindView, IsEmptyWhereNoEventIsOfItsKinds) {
  TraceBuffer buffer;
  buffer.add(ev::IsrEntered{});
  const Trace trace = buffer.read();
  for (const std::uint32_t index : trace.of_any<ev::DpcEntered, ev::DpcLeft>()) {
    ADD_FAILURE() << index;
  }
}

TEST(TraceTruncation, EventThatFindsNoRoomIsCounted) {
  TraceBuffer buffer(2);
  buffer.add(ev::IsrEntered{}).add(ev::IsrLeft{});
  EXPECT_FALSE(buffer.read().truncated());
  buffer.add(ev::DpcEntered{}).add(ev::DpcLeft{});
  EXPECT_TRUE(buffer.read().truncated());
  EXPECT_EQ(buffer.read().events().size(), 2u);
  EXPECT_EQ(buffer.head().truncated, 2u);
}

TEST(TraceTruncation, BlobThatFindsNoRoomTakesItsEventAlong) {
  TraceBuffer buffer(8, 16);
  buffer.add(ev::DebugPrint{}, "123456789").add(ev::DebugPrint{}, "1");
  EXPECT_TRUE(buffer.read().truncated());
  EXPECT_EQ(buffer.read().events().size(), 1u);
}

TEST(TraceTruncation, TraceStaysAPrefix) {
  TraceBuffer buffer(8, 8);
  buffer.add(ev::DebugPrint{}, "123456789").add(ev::Ended{});
  EXPECT_TRUE(buffer.read().events().empty());
}

TEST(TraceTruncation, TraceWithoutRoomIsDefined) {
  TraceBuffer buffer(0, 0);
  buffer.add(ev::Ended{});
  EXPECT_TRUE(buffer.read().truncated());
}

TEST(TraceWriter, WithoutStorageDropsEverything) {
  TraceWriter writer;
  writer.add(ev::Ended{}, 0, 0, 0, "text", 4);
}

TEST(TraceWriter, CopiesAppendToTheSameTrace) {
  TraceBuffer buffer;
  TraceWriter copy = buffer.writer();
  buffer.add(ev::IsrEntered{});
  copy.add(ev::IsrLeft{}, 0, 0, 0);
  EXPECT_EQ(buffer.read().events().size(), 2u);
}

TEST(TraceWriter, BeginsAnewWhenItIsCleared) {
  TraceBuffer buffer;
  TraceWriter writer = buffer.writer();
  writer.op = 3;
  writer.add(ev::Ended{}, 0, 0, 0, "text", 4);
  writer.clear();
  EXPECT_TRUE(buffer.read().events().empty());
  writer.add(ev::IsrEntered{}, 0, 0, 0);
  ASSERT_EQ(buffer.read().events().size(), 1u);
  EXPECT_EQ(buffer.read().events()[0].op, kNoOp);
}

// Reads whatever was written, for any sequence of events and blobs and any room, as a naive list
// that is cut where the room ends.
RC_GTEST_PROP(Trace, IsTheLongestPrefixThatFits, ()) {
  const auto events = *rc::gen::inRange<std::uint32_t>(0, 20);
  const auto blobs = *rc::gen::inRange<std::uint32_t>(0, 200);
  const auto texts = *rc::gen::container<std::vector<std::string>>(
      rc::gen::container<std::string>(rc::gen::inRange<char>('a', 'z')));
  TraceBuffer buffer(events, blobs);
  std::size_t kept = 0;
  std::size_t bytes = 0;
  bool cut = false;
  for (std::uint32_t i = 0; i < texts.size(); ++i) {
    buffer.add(ev::DebugPrint{.length = i}, texts[i]);
    const std::size_t start = texts[i].empty() ? bytes : (bytes + 7) / 8 * 8;
    cut = cut || kept == events || (!texts[i].empty() && start + texts[i].size() > blobs);
    if (cut) continue;
    ++kept;
    bytes = start + texts[i].size();
  }
  const Trace trace = buffer.read();
  RC_ASSERT(trace.truncated() == cut);
  RC_ASSERT(trace.events().size() == kept);
  for (std::uint32_t i = 0; i < kept; ++i) {
    RC_ASSERT(trace.at<ev::DebugPrint>(i).length == i);
    RC_ASSERT(trace.blob_text(trace.events()[i]) == texts[i]);
  }
}

}  // namespace
}  // namespace wddm
