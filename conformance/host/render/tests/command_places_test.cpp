// Which commands of a stream lie in which bytes, by what a decoder found there.
#include "conformance/host/render/command_places.h"

#include <gtest/gtest.h>

#include "conformance/host/render/decode.h"

namespace wddm::host {
namespace {

constexpr std::uint32_t kNoSlot = ~0u;

WddmDecoded decoded(std::uint32_t kind, std::uint32_t offset, std::uint32_t slot = kNoSlot,
                    std::uint32_t source = kNoSlot) {
  WddmDecoded found{};
  found.kind = kind;
  found.offset = offset;
  found.slot = slot;
  found.source_slot = source;
  return found;
}
constexpr std::uint32_t kSetting = 0;

CommandStream stream_of(std::vector<gpu::Command> commands) {
  CommandStream stream;
  stream.commands = std::move(commands);
  return stream;
}
// 0: bind, 1: fill, 2: copy, 3: unbind, 4: spin
CommandStream five_commands() {
  return stream_of({gpu::bind(1, AllocationId{7}), gpu::fill(std::uint16_t{1}, 0, 4, 9),
                    gpu::copy(1, 0, 2, 0, 4), gpu::unbind(1), gpu::spin(5)});
}
std::vector<WddmDecoded> as_five_commands() {
  return {decoded(kSetting, 0), decoded(WDDM_COMMAND_FILL, 16, 1),
          decoded(WDDM_COMMAND_COPY, 32, 1, 2), decoded(kSetting, 48),
          decoded(WDDM_COMMAND_SPIN, 64)};
}

TEST(CommandPlaces, CommandsHaveRunWhoseBytesLieBeforeTheEnd) {
  CommandStream stream = five_commands();
  const CommandPlaces places = place_commands(stream, as_five_commands());
  ASSERT_TRUE(places.known);
  EXPECT_EQ(places.through(16), 0u);
  EXPECT_EQ(places.through(32), 2u) << "the fill, and the bind before it";
  EXPECT_EQ(places.through(64), 3u);
  EXPECT_EQ(places.through(80), 5u);
}

TEST(CommandPlaces, ALaterPassGoesOnWhereTheEarlierOneEnded) {
  CommandStream stream = five_commands();
  const std::vector<WddmDecoded> all = as_five_commands();
  ASSERT_TRUE(place_commands(stream, std::span(all).first(2)).known);
  const std::vector<WddmDecoded> rest = {decoded(WDDM_COMMAND_COPY, 0, 1, 2),
                                         decoded(WDDM_COMMAND_SPIN, 32)};
  const CommandPlaces places = place_commands(stream, rest);
  ASSERT_TRUE(places.known);
  EXPECT_EQ(places.through(0), 2u);
  EXPECT_EQ(places.through(16), 3u);
}

TEST(CommandPlaces, AnotherSlotIsAnotherCommand) {
  CommandStream stream = five_commands();
  std::vector<WddmDecoded> found = as_five_commands();
  found[2].source_slot = 3;
  EXPECT_FALSE(place_commands(stream, found).known);
}

TEST(CommandPlaces, OnceNotUnderstoodLaterPassesAreNotEither) {
  CommandStream stream = five_commands();
  EXPECT_FALSE(place_commands(stream, std::vector{decoded(WDDM_COMMAND_ADD, 0, 1)}).known);
  EXPECT_FALSE(place_commands(stream, as_five_commands()).known);
}

TEST(CommandPlaces, MoreCommandsThanWereAskedForAreNotUnderstood) {
  CommandStream stream = five_commands();
  std::vector<WddmDecoded> found = as_five_commands();
  found.push_back(decoded(WDDM_COMMAND_SPIN, 80));
  EXPECT_FALSE(place_commands(stream, found).known);
}

TEST(CommandPlaces, AKindThatNobodyDefinedIsNotUnderstood) {
  CommandStream stream = five_commands();
  EXPECT_FALSE(place_commands(stream, std::vector{decoded(0x100, 0)}).known);
}

TEST(CommandPlaces, LoadsByTheirOwnKindsAreState) {
  std::vector found = {decoded(WDDM_COMMAND_BIND, 0, 1), decoded(WDDM_COMMAND_FILL, 16, 1),
                       decoded(WDDM_COMMAND_COPY, 32, 1, 2), decoded(WDDM_COMMAND_UNBIND, 48, 1),
                       decoded(WDDM_COMMAND_SPIN, 64)};
  call_loads_state(found);
  EXPECT_EQ(found[0].kind, kSetting);
  EXPECT_EQ(found[3].slot, kNoSlot);
  CommandStream stream = five_commands();
  EXPECT_TRUE(place_commands(stream, found).known);
}

}  // namespace
}  // namespace wddm::host
