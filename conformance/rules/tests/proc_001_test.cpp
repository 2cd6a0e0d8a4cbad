// Which handles of processes are compared.
#include "conformance/rules/tests/trace_test.h"

namespace wddm::proc_001 {
namespace {

constexpr std::uint32_t kNoHandle = 0, kItsOwn = 1, kAnothers = 2;

class Proc001 : public TraceTest {
 protected:
  void created(std::uint32_t handle, std::uint32_t status = 0) {
    add(ev::ProcessCreated{.process = 2, .status = status, .handle = handle, .same_as = 1});
  }
};

TEST_F(Proc001, TheHandleOfAnotherProcessIsNotItsOwn) {
  created(kAnothers);
  EXPECT_FALSE(holds("PROC-001"));
}

TEST_F(Proc001, NoHandleIsNotJudged) {
  created(kNoHandle);
  EXPECT_TRUE(holds("PROC-001"));
  EXPECT_EQ(times_reached("PROC-001"), 0u);
}

TEST_F(Proc001, ACallThatFailsGivesNoHandle) {
  created(kAnothers, 0xC0000017);
  EXPECT_TRUE(holds("PROC-001"));
}

TEST_F(Proc001, AHandleOfItsOwnIsJudged) {
  created(kItsOwn);
  EXPECT_EQ(times_reached("PROC-001"), 1u);
}

}  // namespace
}  // namespace wddm::proc_001
