// One line for one event.
#include <gtest/gtest.h>

#include <algorithm>

#include "reference/trace/names.h"
#include "reference/trace/op.h"
#include "reference/trace/tests/trace_buffer.h"

namespace wddm {
namespace {

using test::TraceBuffer;

template <class Payload>
std::string printed(const Payload& payload, std::string_view blob = {}) {
  TraceBuffer buffer;
  buffer.add(payload, blob);
  return print_event(buffer.read(), 0);
}

TEST(PrintEvent, BeginsWithNumberOpAndPlace) {
  TraceBuffer buffer;
  buffer.add(ev::Ended{});
  buffer.writer().op = 12;
  buffer.writer().add(ev::DpcEntered{.merged = 2}, 2, 1, 3);
  EXPECT_EQ(print_event(buffer.read(), 1),
            "#1 op=12 thread=3 cpu=1 irql=2 DpcEntered merged=2 physical_adapter=0");
}

TEST(PrintEvent, OutsideOfOpsShowsADash) {
  EXPECT_EQ(printed(ev::Ended{.ops = 4}), "#0 op=- thread=0 cpu=0 irql=0 Ended ops=4");
}

TEST(PrintEvent, NamesDdiAndStatus) {
  EXPECT_EQ(printed(ev::DdiReturned{static_cast<std::uint32_t>(DdiId::Render), 1, 0xC01E0001}),
            "#0 op=- thread=0 cpu=0 irql=0 DdiReturned ddi=DxgkDdiRender object=1 "
            "status=STATUS_GRAPHICS_INSUFFICIENT_DMA_BUFFER");
}

TEST(PrintEvent, NamesCallbackAndPlace) {
  const ev::CallbackCalled event{.callback = static_cast<std::uint32_t>(CallbackId::QueueDpc),
                                 .place = static_cast<std::uint32_t>(CallPlace::Isr)};
  EXPECT_NE(printed(event).find(" callback=DxgkCbQueueDpc handle=0 place=Isr "), std::string::npos);
}

TEST(PrintEvent, NamesOps) {
  EXPECT_NE(printed(ev::OpStarted{static_cast<std::uint32_t>(OpKind::MakeResident)})
                .find(" kind=make_resident"),
            std::string::npos);
  EXPECT_NE(printed(ev::OpStarted{300}).find(" kind=300"), std::string::npos);
}

TEST(PrintEvent, NamesInterruptsAndPagingOperations) {
  EXPECT_NE(printed(ev::Notified{.type = 1}).find(" type=DXGK_INTERRUPT_DMA_COMPLETED"),
            std::string::npos);
  EXPECT_NE(printed(ev::PagingDone{.operation = 1}).find(" operation=DXGK_OPERATION_FILL"),
            std::string::npos);
}

TEST(PrintEvent, SignedFieldsAreSigned) {
  EXPECT_NE(printed(ev::Rendered{.dma_used = -8}).find(" dma_used=-8 "), std::string::npos);
  EXPECT_NE(printed(ev::Rendered{.dma_used = -1}).find(" dma_used=-1 "), std::string::npos);
}

TEST(PrintEvent, WideFieldsAreWide) {
  EXPECT_NE(printed(ev::BugChecked{.p1 = 0xffffffffffffffff, .code = 0x119})
                .find(" p1=0xffffffffffffffff p2=0x0 p3=0x0 p4=0x0 code=0x119"),
            std::string::npos);
}

TEST(PrintEvent, NoObjectIsNone) {
  EXPECT_NE(printed(ev::MemoryChecked{.object = kNone, .operation = kNone})
                .find(" object=none operation=none"),
            std::string::npos);
}

TEST(PrintEvent, BlobOfTextIsQuoted) {
  EXPECT_EQ(printed(ev::DebugPrint{5}, "a\"b\n\x01"),
            R"(#0 op=- thread=0 cpu=0 irql=0 DebugPrint length=5 "a\"b\n\x01")");
  EXPECT_NE(printed(ev::Hung{1}, "x").find(" \"x\""), std::string::npos);
  EXPECT_NE(printed(ev::Crashed{11}, "x").find(" \"x\""), std::string::npos);
  EXPECT_NE(printed(ev::OpSkipped{}, "x").find(" \"x\""), std::string::npos);
}

TEST(PrintEvent, OtherBlobsShowTheirSize) {
  EXPECT_NE(printed(ev::DmaBytes{}, "secret bytes").find(" blob=12"), std::string::npos);
  EXPECT_EQ(printed(ev::DmaBytes{}, "secret bytes").find("secret"), std::string::npos);
}

TEST(PrintEvent, UnknownKindIsAQuestionMark) {
  TraceBuffer buffer;
  buffer.add(ev::Ended{});
  buffer.event(0)->kind = static_cast<EventKind>(60000);
  EXPECT_EQ(print_event(buffer.read(), 0), "#0 op=- thread=0 cpu=0 irql=0 ?");
}

TEST(PrintEvent, EveryKindIsOneLineWithAllItsFields) {
  for (std::size_t kind = 1; kind < kEventKinds; ++kind) {
    TraceBuffer buffer;
    buffer.add(ev::Ended{}, "blob\n");
    buffer.event(0)->kind = static_cast<EventKind>(kind);
    const std::string line = print_event(buffer.read(), 0);
    EXPECT_EQ(line.find('\n'), std::string::npos) << line;
    for (const EventField& field : event_info(static_cast<EventKind>(kind)).fields)
      EXPECT_NE(line.find(std::string(" ") + field.name + "="), std::string::npos) << line;
  }
}

}  // namespace
}  // namespace wddm
