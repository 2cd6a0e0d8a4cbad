// The catalogue of ops and the canonical form of one op.
#include "reference/trace/op.h"

#include <gtest/gtest.h>
#include <rapidcheck/gtest.h>

#include <algorithm>

#include "reference/harness_assert.h"
#include "reference/trace/tests/generators.h"

namespace wddm {
namespace {

TEST(OpCatalogue, IsFoundByNumber) {
  for (const OpInfo& info : op_catalogue()) EXPECT_EQ(op_info(info.kind), &info);
}

TEST(OpCatalogue, UnassignedNumberIsNotFound) {
  EXPECT_EQ(op_info(OpKind::None), nullptr);
  EXPECT_EQ(op_info(static_cast<OpKind>(255)), nullptr);
}

TEST(OpCatalogue, HoldsWhatOpDefSays) {
  const OpInfo* const info = op_info(OpKind::Fill);
  ASSERT_NE(info, nullptr);
  EXPECT_STREQ(info->name, "fill");
  EXPECT_TRUE(info->is(OpRole::Element));
  EXPECT_EQ(info->domain, OpDomain::Rendering);
  EXPECT_TRUE(info->needs_state(Need::Recording));
  ASSERT_EQ(info->fields.size(), 4u);
  EXPECT_EQ(info->fields[2].member, Member::y);
  EXPECT_STREQ(info->fields[2].name, "size");
  EXPECT_EQ(info->fields[2].fallback, 4096u);
  EXPECT_EQ(info->fields[3].shape, FieldShape::Hex);
}

TEST(OpCatalogue, SaysWhatAnOpMakesEndsAndMoves) {
  EXPECT_TRUE(op_info(OpKind::CreateContext)->does(EffectKind::Makes, FieldShape::Context));
  EXPECT_FALSE(op_info(OpKind::CreateContext)->does(EffectKind::Makes, FieldShape::Device));
  EXPECT_TRUE(op_info(OpKind::DestroyAllocation)->does(EffectKind::Ends, FieldShape::Allocation));
  EXPECT_TRUE(op_info(OpKind::Evict)->does(EffectKind::Moves, FieldShape::Allocation));
  EXPECT_TRUE(op_info(OpKind::Stop)->ends_all());
  EXPECT_FALSE(op_info(OpKind::Idle)->ends_all());
}

TEST(OpCatalogue, HasAnOpThatMakesAndOneThatEndsEachObject) {
  for (const FieldShape space : {FieldShape::Device, FieldShape::Context, FieldShape::Allocation}) {
    const auto any = [&](EffectKind kind) {
      return std::any_of(op_catalogue().begin(), op_catalogue().end(),
                         [&](const OpInfo& op) { return op.does(kind, space); });
    };
    EXPECT_TRUE(any(EffectKind::Makes) && any(EffectKind::Ends)) << static_cast<int>(space);
  }
}

TEST(Fields, OfSixtyFourBitsTakeYAndZ) {
  Op op{.kind = OpKind::Fill};
  set_field(op, Member::q, 0x123456789abcdef0);
  EXPECT_EQ(op.y, 0x9abcdef0u);
  EXPECT_EQ(op.z, 0x12345678u);
  EXPECT_EQ(field_of(op, Member::q), 0x123456789abcdef0u);
}

TEST(OpCatalogue, OpWithoutFieldsHasNone) {
  EXPECT_TRUE(op_info(OpKind::Idle)->fields.empty());
}

TEST(ShapeValues, AreNamedInOrderOfTheirEnumeration) {
  const auto values = shape_values(FieldShape::PatchMember);
  EXPECT_STREQ(values[static_cast<std::size_t>(PatchMember::SplitOffset)], "SplitOffset");
  EXPECT_STREQ(shape_values(FieldShape::Take)[static_cast<std::size_t>(Take::Mask)], "mask");
  EXPECT_TRUE(shape_values(FieldShape::Number).empty());
}

TEST(Canonical, UnassignedKindBecomesNone) {
  EXPECT_EQ(canonical(Op{static_cast<OpKind>(200), 1, 2, 3, 4, 5, 6}), Op{});
}

TEST(Canonical, MembersWithoutMeaningBecomeZero) {
  EXPECT_EQ(canonical(Op{OpKind::Idle, 1, 2, 3, 4, 5, 6}), Op{OpKind::Idle});
}

TEST(Canonical, ValuesAreBroughtToTheNearestLimit) {
  const Op low = canonical(Op{OpKind::CreateAllocation, 7, 0, 0, 0});
  EXPECT_EQ(low.x, 1u);
  const Op high = canonical(Op{OpKind::CreateAllocation, 7, 200, 9, 5000});
  EXPECT_EQ(high, (Op{OpKind::CreateAllocation, 7, 2, 1, 4096}));
}

RC_GTEST_PROP(Canonical, IsIdempotent, ()) {
  const Op once = canonical(*test::any_op());
  RC_ASSERT(canonical(once) == once);
}

RC_GTEST_PROP(Canonical, LeavesWhatIsInsideTheLimits, ()) {
  const Op op = *test::canonical_op();
  RC_ASSERT(canonical(op) == op);
}

RC_GTEST_PROP(Fields, WhatIsSetIsGot, ()) {
  Op op = *test::any_op();
  const auto member = static_cast<Member>(*rc::gen::inRange(0, 7));
  const auto raw = *rc::gen::arbitrary<std::uint64_t>();
  const std::uint64_t value = raw >> (64 - bits_of(member));
  const Op before = op;
  set_field(op, member, value);
  RC_ASSERT(field_of(op, member) == value);
  set_field(op, member, field_of(before, member));
  RC_ASSERT(op == before);
}

TEST(FieldsDeathTest, MemberThatDoesNotExistIsADefectOfOurs) {
  Op op;
  const auto none = static_cast<Member>(7);
  EXPECT_EXIT(set_field(op, none, 0), testing::ExitedWithCode(kHarnessExitCode), "HARNESS:");
  EXPECT_EXIT((void)field_of(op, none), testing::ExitedWithCode(kHarnessExitCode), "HARNESS:");
}

TEST(FieldsDeathTest, ValueBeyondAByteIsADefectOfOurs) {
  Op op;
  EXPECT_EXIT(set_field(op, Member::a, 256), testing::ExitedWithCode(kHarnessExitCode), "HARNESS:");
}

}  // namespace
}  // namespace wddm
