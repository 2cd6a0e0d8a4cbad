// The laws of the byte form.
#include <gtest/gtest.h>
#include <rapidcheck/gtest.h>

#include "reference/trace/op.h"
#include "reference/trace/tests/generators.h"

namespace wddm {
namespace {

RC_GTEST_PROP(OpBytes, DecodeUndoesEncode, ()) {
  const std::vector<Op> ops = *test::canonical_ops();
  RC_ASSERT(decode(encode(ops)) == ops);
}

RC_GTEST_PROP(OpBytes, AnyBytesAreSomeScenario, ()) {
  const std::vector<std::uint8_t> bytes = *test::any_bytes();
  const std::vector<Op> ops = decode(bytes);
  RC_ASSERT(ops.size() == bytes.size() / 16);
  for (const Op& op : ops) RC_ASSERT(canonical(op) == op);
}

RC_GTEST_PROP(OpBytes, CanonicalFormOfBytesIsIdempotent, ()) {
  const std::vector<std::uint8_t> once = encode(decode(*test::any_bytes()));
  RC_ASSERT(encode(decode(once)) == once);
}

// The same from ops of any kind: arbitrary bytes seldom hold an assigned number.
RC_GTEST_PROP(OpBytes, EncodeWritesTheCanonicalForm, ()) {
  const auto ops = *rc::gen::container<std::vector<Op>>(test::any_op());
  std::vector<Op> expected;
  for (const Op& op : ops) expected.push_back(canonical(op));
  RC_ASSERT(decode(encode(ops)) == expected);
}

RC_GTEST_PROP(OpBytes, DeletingSixteenBytesDeletesOneOp, ()) {
  const std::vector<Op> ops = *test::canonical_ops();
  RC_PRE(!ops.empty());
  const auto victim = static_cast<std::ptrdiff_t>(*rc::gen::inRange<std::size_t>(0, ops.size()));
  std::vector<std::uint8_t> bytes = encode(ops);
  bytes.erase(bytes.begin() + victim * 16, bytes.begin() + (victim + 1) * 16);
  std::vector<Op> expected = ops;
  expected.erase(expected.begin() + victim);
  RC_ASSERT(decode(bytes) == expected);
}

TEST(OpBytes, AreLittleEndianInTheOrderOfTheMembers) {
  const Op op{OpKind::Copy, 1, 2, 0, 0x11121314, 0x21222324, 0x31323334};
  const std::vector<std::uint8_t> expected = {24,   1,    2,    0,    0x14, 0x13, 0x12, 0x11,
                                              0x24, 0x23, 0x22, 0x21, 0x34, 0x33, 0x32, 0x31};
  EXPECT_EQ(encode({&op, 1}), expected);
}

TEST(OpBytes, MembersWithoutMeaningAreWrittenAsZero) {
  const Op idle{OpKind::Idle};
  const Op stained{OpKind::Idle, 1, 2, 3, 4, 5, 6};
  EXPECT_EQ(encode({&stained, 1}), encode({&idle, 1}));
}

TEST(OpBytes, ShortTailIsDropped) {
  const std::vector<std::uint8_t> bytes(31, 41);
  EXPECT_EQ(decode(bytes), std::vector<Op>{Op{OpKind::Idle}});
}

TEST(OpBytes, OpsBeyondTheLimitAreDropped) {
  const std::vector<std::uint8_t> bytes((kMaxOps + 1) * 16, 41);
  EXPECT_EQ(decode(bytes).size(), kMaxOps);
}

}  // namespace
}  // namespace wddm
