// What user mode takes away of its buffers, and when.
#include "conformance/host/render/user_side.h"

#include <gtest/gtest.h>

namespace wddm::host {
namespace {

Op revoked(Input input, std::uint32_t accessible, std::uint32_t after_passes) {
  return {.kind = OpKind::Revoke,
          .a = static_cast<std::uint8_t>(input),
          .x = accessible,
          .y = after_passes};
}

class UserSideTest : public ::testing::Test {
 protected:
  UserSideTest() {
    memory::map();
    input.command.assign(64, 7);
    input.patches.resize(2);
  }
  static constexpr std::uint32_t kCommandBit = 1, kListBit = 2;
  UserInput input;
};

TEST_F(UserSideTest, AllCanBeReadOfHonestInput) {
  UserSide side(input, {});
  side.begin_pass(0);
  EXPECT_EQ(side.revoked(), 0u);
  EXPECT_EQ(memory::user_accessible(side.command()), 64u);
}

TEST_F(UserSideTest, WhatIsGoneAtOnceIsGoneInEveryPass) {
  const Op ops[] = {revoked(Input::Command, 24, 0)};
  UserSide side(input, ops);
  for (const std::uint32_t pass : {0u, 1u}) {
    side.begin_pass(pass);
    EXPECT_EQ(side.revoked(), kCommandBit);
    EXPECT_EQ(memory::user_accessible(side.command()), 24u);
  }
}

TEST_F(UserSideTest, WhatGoesBetweenPassesStaysWhereItIs) {
  const Op ops[] = {revoked(Input::PatchList, 24, 1)};
  UserSide side(input, ops);
  side.begin_pass(0);
  const void* const list = side.patches();
  EXPECT_EQ(side.revoked(), 0u);
  EXPECT_GE(memory::user_accessible(list), 48u);

  side.begin_pass(1);
  EXPECT_EQ(side.patches(), list);
  EXPECT_EQ(side.revoked(), kListBit);
  EXPECT_EQ(memory::user_accessible(list), 24u);
  EXPECT_EQ(memory::user_accessible(side.command()), 64u);
}

TEST_F(UserSideTest, TheLastElementOfABufferCounts) {
  const Op ops[] = {revoked(Input::Command, 24, 0), revoked(Input::Command, 32, 1)};
  UserSide side(input, ops);
  side.begin_pass(0);
  EXPECT_EQ(side.revoked(), 0u);
  side.begin_pass(1);
  EXPECT_EQ(memory::user_accessible(side.command()), 32u);
}

}  // namespace
}  // namespace wddm::host
