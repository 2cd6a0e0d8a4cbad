// In which ops calls are made to fail.
#include <gtest/gtest.h>

#include <initializer_list>

#include "conformance/rules/fails_on_purpose.h"

namespace wddm {
namespace {

bool fails_in_the_last_of(std::initializer_list<OpKind> ops) {
  MadeToFail made_to_fail;
  for (const OpKind kind : ops) made_to_fail.begins(static_cast<std::uint32_t>(kind));
  return made_to_fail.now();
}

TEST(MadeToFailOps, TheNextOne) {
  EXPECT_FALSE(fails_in_the_last_of({OpKind::Evict}));
  EXPECT_TRUE(fails_in_the_last_of({OpKind::FailPool, OpKind::Evict}));
  EXPECT_FALSE(fails_in_the_last_of({OpKind::FailPool, OpKind::Evict, OpKind::Evict}));
}

TEST(MadeToFailOps, ChoicesAndOtherModifiersAreNotTheOne) {
  EXPECT_TRUE(fails_in_the_last_of(
      {OpKind::FailCallback, OpKind::TransferChunk, OpKind::Schedule, OpKind::Evict}));
  EXPECT_FALSE(fails_in_the_last_of(
      {OpKind::FailCallback, OpKind::TransferChunk, OpKind::Evict, OpKind::TransferChunk}));
}

TEST(MadeToFailOps, AListHasAllOfItsElements) {
  EXPECT_TRUE(fails_in_the_last_of({OpKind::FailPool, OpKind::Render, OpKind::Spin}));
  EXPECT_FALSE(
      fails_in_the_last_of({OpKind::FailPool, OpKind::Render, OpKind::Spin, OpKind::Idle}));
}

TEST(MadeToFailOps, HostileDataIsOneItself) {
  EXPECT_TRUE(fails_in_the_last_of({OpKind::HostileData}));
  EXPECT_FALSE(fails_in_the_last_of({OpKind::HostileData, OpKind::Evict}));
}

TEST(MadeToFailOps, ATraceMayLie) {
  MadeToFail made_to_fail;
  made_to_fail.begins(0xFFFFFFFF);
  EXPECT_FALSE(made_to_fail.now());
}

}  // namespace
}  // namespace wddm
