// Which packets SubmitCommandVirtual may refuse, and what else it may not say.
#include "conformance/rules/tests/trace_test.h"

namespace wddm::proc_007 {
namespace {

constexpr std::uint32_t kInvalidParameter = 0xC000000D, kNoMemory = 0xC0000017, kPending = 0x103;

class Proc007 : public TraceTest {
 protected:
  Proc007() { platform_.gpu_mmu = true; }
  bool holds_for(std::uint32_t status, bool paging = false) {
    add(ev::Submitted{.paging = paging, .status = status});
    return holds("PROC-007");
  }
};

TEST_F(Proc007, WhatUserModeWroteMayBeMalformed) {
  EXPECT_TRUE(holds_for(kInvalidParameter));
}

TEST_F(Proc007, WhatItsOwnUserModeBuiltIsNotMalformed) {
  add(ev::PrivateDataGiven{.packet = 1, .hostile = 1});
  add(ev::PrivateDataGiven{.packet = 2, .hostile = 1, .commands_hostile = 1});
  add(ev::PrivateDataGiven{.packet = 3});
  add(ev::Submitted{.packet = 1, .status = kInvalidParameter});
  add(ev::Submitted{.packet = 2, .status = kInvalidParameter});
  add(ev::Submitted{.packet = 3});
  EXPECT_TRUE(holds("PROC-007"));
  add(ev::Submitted{.packet = 3, .status = kInvalidParameter});
  EXPECT_EQ(failures("PROC-007"), 1u);
}

TEST_F(Proc007, AnyOtherFailureStopsWindows) {
  EXPECT_FALSE(holds_for(kNoMemory));
}

TEST_F(Proc007, OtherKindsOfSuccessAreNone) {
  EXPECT_FALSE(holds_for(kPending));
}

TEST_F(Proc007, WhatTheDriverBuiltItselfIsNotMalformed) {
  EXPECT_FALSE(holds_for(kInvalidParameter, true));
}

TEST_F(Proc007, SubmitCommandIsOfAnotherClause) {
  platform_.gpu_mmu = false;
  EXPECT_TRUE(holds_for(kNoMemory));
  EXPECT_EQ(times_reached("PROC-007"), 0u);
}

TEST_F(Proc007, WhatWasRefusedDoesNotRun) {
  add(ev::Submitted{.packet = 3, .status = kInvalidParameter});
  add(ev::Submitted{.packet = 4});
  add(ev::MarkerRead{.packet = 4, .runs = 1, .expected = 1});
  EXPECT_TRUE(holds("PROC-007"));
  add(ev::MarkerRead{.packet = 3, .runs = 1});
  EXPECT_FALSE(holds("PROC-007"));
}

TEST_F(Proc007, NorBeforeTheCallReturns) {
  add(ev::DdiEntered{.ddi = static_cast<std::uint32_t>(DdiId::SubmitCommandVirtual), .object = 3});
  add(ev::MarkerRead{.packet = 3, .runs = 1});
  add(ev::Submitted{.packet = 3, .status = kInvalidParameter});
  EXPECT_FALSE(holds("PROC-007"));
}

// A refusal is no lack of resources.
TEST_F(Proc007, LIFE005_ARefusalIsOfThisClause) {
  add(ev::Submitted{.status = kInvalidParameter});
  EXPECT_TRUE(holds("LIFE-005"));
  platform_.gpu_mmu = false;
  EXPECT_FALSE(holds("LIFE-005"));
}

}  // namespace
}  // namespace wddm::proc_007
