// Escapes that return, and one that does not.
#include <d3dkmddi.h>

#include "conformance/rules/tests/trace_test.h"
#include "reference/trace/ddi.h"

namespace wddm::caps_018 {
namespace {

constexpr auto kRefused = static_cast<std::uint32_t>(STATUS_INVALID_PARAMETER);

class Caps018 : public TraceTest {
 protected:
  void enters() { add(ev::DdiEntered{.ddi = static_cast<std::uint32_t>(DdiId::Escape)}); }
  void returns() { add(ev::DdiReturned{.ddi = static_cast<std::uint32_t>(DdiId::Escape)}); }
  void escapes(const ev::EscapeAnswered& answered) {
    enters();
    returns();
    add(answered);
  }
  bool holds() { return TraceTest::holds("CAPS-018"); }
};

TEST_F(Caps018, AnythingMayBeAnswered) {
  escapes({.status = 0, .bytes = 4});
  escapes({.status = kRefused, .bytes = 4});
  EXPECT_TRUE(holds());
  EXPECT_EQ(times_reached("CAPS-018"), 2u);
}

TEST_F(Caps018, BytesBehindTheData) {
  escapes({.bytes = 4, .damaged = 4});
  EXPECT_FALSE(holds());
}

TEST_F(Caps018, NamesTheEscapeAndWhatWasAltered) {
  add(ev::EscapeSent{.data = static_cast<std::uint32_t>(EscapeData::Altered),
                     .bytes = 16,
                     .number = 2,
                     .at = 12,
                     .word = 0x7fffffff});
  escapes({.bytes = 16, .damaged = 4});
  EXPECT_EQ(seen_by("CAPS-018"),
            "4 bytes are, with 16 bytes of private data of the client's escape 2, with 0x7fffffff "
            "at byte 12");
}

TEST_F(Caps018, WhatIsRefusedLeavesNothing) {
  escapes({.status = kRefused, .bytes = 4, .left_blocks = 1});
  EXPECT_FALSE(holds());
}

TEST_F(Caps018, WhatIsTakenMayBeKept) {
  escapes({.status = 0, .bytes = 4, .left_blocks = 1});
  EXPECT_TRUE(holds());
}

TEST_F(Caps018, WithANeighbourPoolSaysNothing) {
  op(OpKind::Neighbour);
  escapes({.status = kRefused, .bytes = 4, .left_blocks = 1});
  EXPECT_TRUE(holds());
}

TEST_F(Caps018, ACallThatDoesNotReturn) {
  enters();
  EXPECT_FALSE(holds());
}

TEST_F(Caps018, WhatGoesWrongBehindTheCallIsAnotherMatter) {
  enters();
  returns();
  EXPECT_TRUE(holds());
}

TEST_F(Caps018, WhatReturnsBesideItIsNotTheCall) {
  enters();
  add(ev::DdiReturned{.ddi = static_cast<std::uint32_t>(DdiId::SubmitCommand)});
  EXPECT_FALSE(holds());
}

TEST_F(Caps018, ACallThatWaits) {
  enters();
  add(ev::Hung{});
  EXPECT_TRUE(holds());
}

}  // namespace
}  // namespace wddm::caps_018
