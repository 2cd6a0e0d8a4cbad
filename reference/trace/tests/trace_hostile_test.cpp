// Storage that a driver has scribbled over.
#include <gtest/gtest.h>
#include <rapidcheck/gtest.h>

#include <cstring>

#include "reference/platform.h"
#include "reference/trace/tests/trace_buffer.h"

namespace wddm {
namespace {

using test::TraceBuffer;

// Touches everything a reader can touch; sanitizers and the exact storage do the judging.
void read_all(const Trace& trace) {
  std::size_t lines = 0;
  for (std::uint32_t i = 0; i < trace.events().size(); ++i) {
    lines += print_event(trace, i).size();
    for (const PatchRecord& record : trace.blob<PatchRecord>(trace.events()[i]))
      lines += record.slot();
    for (const AllocationRecord& record : trace.blob<AllocationRecord>(trace.events()[i]))
      lines += record.address;
  }
  for (std::size_t kind = 0; kind < kEventKinds; ++kind)
    for (const std::uint32_t index : trace.of(static_cast<EventKind>(kind)))
      RC_ASSERT(trace.events()[index].kind == static_cast<EventKind>(kind));
  lines += platform_of(trace).segments.size();
  RC_ASSERT(lines + 1 != 0);
}

void fill_with_all(TraceBuffer& buffer) {
  buffer.add(ev::PlugInsLoaded{1, 1, 1, 1, 1})
      .add(ev::DebugPrint{}, "text")
      .add(ev::Rendered{}, "blob");
  buffer.add(ev::SegmentReported{.segment = 1}).add(ev::Running{}).add(ev::Ended{});
}

RC_GTEST_PROP(HostileTrace, ArbitraryBytesAreRead, ()) {
  const auto events = *rc::gen::inRange<std::uint32_t>(0, 12);
  const auto blobs = *rc::gen::inRange<std::uint32_t>(0, 64);
  TraceBuffer buffer(events, blobs);
  const auto noise = *rc::gen::container<std::vector<std::uint8_t>>(
      buffer.size(), rc::gen::arbitrary<std::uint8_t>());
  std::memcpy(buffer.bytes(), noise.data(), noise.size());
  // Else nearly every kind would be unknown.
  for (std::uint32_t i = 0; i < events; ++i)
    if (*rc::gen::arbitrary<bool>())
      buffer.event(i)->kind = static_cast<EventKind>(*rc::gen::inRange<int>(0, kEventKinds));
  read_all(buffer.read());
  read_all(buffer.read_sealed());
}

RC_GTEST_PROP(HostileTrace, AnyWordMayBeOverwritten, ()) {
  TraceBuffer buffer(8, 64);
  fill_with_all(buffer);
  const auto at = *rc::gen::inRange<std::size_t>(0, buffer.size() / 4) * 4;
  const auto word =
      *rc::gen::element<std::uint32_t>(0, 1, 8, 9, 0x7fffffff, 0xffffffff, 0xfffffff8);
  std::memcpy(buffer.bytes() + at, &word, sizeof(word));
  read_all(buffer.read());
  read_all(buffer.read_sealed());
}

RC_GTEST_PROP(HostileTrace, WriterStaysInsideItsStorage, ()) {
  TraceBuffer buffer(8, 64);
  fill_with_all(buffer);
  const auto at = *rc::gen::inRange<std::size_t>(0, sizeof(TraceStorage) / 4) * 4;
  const auto word = *rc::gen::arbitrary<std::uint32_t>();
  std::memcpy(buffer.bytes() + at, &word, sizeof(word));
  for (int i = 0; i < 10; ++i) buffer.add(ev::DebugPrint{}, "more text");
  read_all(buffer.read());
}

TEST(HostileTrace, CapacitiesThatDoNotFitTheirSealAreNotBelieved) {
  TraceBuffer buffer(8, 64);
  fill_with_all(buffer);
  buffer.head().event_capacity = 0x10000000;
  EXPECT_TRUE(buffer.read_sealed().events().empty());
  EXPECT_TRUE(buffer.read_sealed().truncated());
}

TEST(HostileTrace, ParentKnowsTheCapacitiesAndReadsOn) {
  TraceBuffer buffer(8, 64);
  fill_with_all(buffer);
  buffer.head().event_capacity = 0x10000000;
  EXPECT_EQ(buffer.read().events().size(), 6u);
  EXPECT_EQ(buffer.read().blob_text(buffer.read().events()[1]), "text");
  EXPECT_TRUE(buffer.read().truncated());
}

TEST(HostileTrace, CountIsClampedToTheCapacity) {
  TraceBuffer buffer(8, 64);
  fill_with_all(buffer);
  buffer.head().events = 1000;
  EXPECT_EQ(buffer.read().events().size(), 8u);
  EXPECT_TRUE(buffer.read().truncated());
}

TEST(HostileTrace, RestOfAPayloadOutOfRangeIsZero) {
  TraceBuffer buffer(8, 64);
  buffer.add(ev::CapsReported{.nodes = 2, .interrupt_message = 4}, "text");
  buffer.event(0)->blob_length = 7;
  EXPECT_EQ(buffer.read().at<ev::CapsReported>(0).interrupt_message, 0u);
  EXPECT_EQ(buffer.read().at<ev::CapsReported>(0).nodes, 2u);
  EXPECT_EQ(buffer.read().blob_text(*buffer.event(0)), "");
  buffer.event(0)->blob_offset = 0x80000000;
  EXPECT_EQ(buffer.read().at<ev::CapsReported>(0).interrupt_message, 0u);
}

TEST(HostileTrace, BlobOutOfRangeIsEmpty) {
  TraceBuffer buffer(8, 64);
  fill_with_all(buffer);
  buffer.event(1)->blob_length = 65;
  EXPECT_EQ(buffer.read().blob_text(*buffer.event(1)), "");
  buffer.event(1)->blob_length = 4;
  buffer.event(1)->blob_offset = 0xfffffff8;
  EXPECT_EQ(buffer.read().blob_text(*buffer.event(1)), "");
}

TEST(HostileTrace, BlobThatIsNotAlignedIsEmpty) {
  TraceBuffer buffer(8, 64);
  fill_with_all(buffer);
  buffer.event(2)->blob_offset = 1;
  EXPECT_TRUE(buffer.read().blob_bytes(*buffer.event(2)).empty());
}

TEST(HostileTrace, UnknownKindIsKeptButNotIndexed) {
  TraceBuffer buffer(8, 64);
  fill_with_all(buffer);
  buffer.event(4)->kind = static_cast<EventKind>(0x7777);
  const Trace trace = buffer.read();
  EXPECT_EQ(trace.events().size(), 6u);
  EXPECT_TRUE(trace.of<ev::Running>().empty());
}

TEST(HostileTraceDeathTest, PayloadOfAnotherKindIsADefectOfOurs) {
  TraceBuffer buffer;
  buffer.add(ev::IsrEntered{});
  const Trace trace = buffer.read();
  EXPECT_EXIT((void)trace.at<ev::IsrLeft>(0), testing::ExitedWithCode(kHarnessExitCode),
              "HARNESS:");
}

}  // namespace
}  // namespace wddm
