// The tables made from event.def.
#include "reference/trace/event.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <cstring>
#include <set>
#include <string>
#include <string_view>

namespace wddm {
namespace {

TEST(EventInfo, DescribesThePayload) {
  const EventInfo& info = event_info(EventKind::Rendered);
  EXPECT_STREQ(info.name, "Rendered");
  ASSERT_GE(info.fields.size(), 3u);
  EXPECT_STREQ(info.fields[1].name, "status");
  EXPECT_EQ(info.fields[1].format, FieldFormat::Status);
  EXPECT_STREQ(info.fields[2].name, "dma_used");
  EXPECT_EQ(info.fields[2].offset, offsetof(ev::Rendered, dma_used));
  EXPECT_TRUE(info.fields[2].is_signed);
  EXPECT_FALSE(info.fields[1].is_signed);
}

TEST(EventInfo, WideFieldsAreWide) {
  const EventField& bytes = event_info(EventKind::PoolBalance).fields[0];
  EXPECT_EQ(bytes.size, sizeof(std::uint64_t));
  EXPECT_EQ(bytes.offset, 0);
}

// Names differ, fields lie inside the payload and cover different bytes of it.
TEST(EventInfo, EveryKindIsSound) {
  std::set<std::string> names;
  for (std::size_t kind = 0; kind < kEventKinds; ++kind) {
    const EventInfo& info = event_info(static_cast<EventKind>(kind));
    EXPECT_TRUE(names.insert(info.name).second) << info.name;
    EXPECT_FALSE(std::string_view(info.about).empty()) << info.name;
    unsigned end = 0;
    for (const EventField& field : info.fields) {
      EXPECT_TRUE(field.size == 4 || field.size == 8) << info.name << '.' << field.name;
      EXPECT_GE(field.offset, end) << info.name << '.' << field.name;
      end = field.offset + field.size;
    }
    EXPECT_LE(end, kPayloadInEvent + payload_tail_of(static_cast<EventKind>(kind))) << info.name;
  }
}

// An engine is a node of one of the adapters of a link: a node alone is none.
TEST(EventInfo, ANodeIsNamedWithItsEngine) {
  for (std::size_t kind = 0; kind < kEventKinds; ++kind) {
    const EventInfo& info = event_info(static_cast<EventKind>(kind));
    const auto has = [&](std::string_view name) {
      return std::any_of(info.fields.begin(), info.fields.end(),
                         [&](const EventField& field) { return field.name == name; });
    };
    EXPECT_EQ(has("node"), has("engine")) << info.name;
  }
}

TEST(EventInfo, UnknownKindIsAQuestionMark) {
  EXPECT_STREQ(event_info(EventKind::Count).name, "?");
  EXPECT_TRUE(event_info(static_cast<EventKind>(0xffff)).fields.empty());
}

}  // namespace
}  // namespace wddm
