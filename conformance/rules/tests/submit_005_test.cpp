// What packets with NullRendering leave behind.
#include "conformance/rules/tests/trace_test.h"
#include "reference/trace/ddi.h"

namespace wddm::submit_005 {
namespace {

constexpr std::uint32_t kNullRendering = 8;

class Submit005 : public TraceTest {
 protected:
  void submits(std::uint32_t flags) {
    add(ev::DdiEntered{.ddi = static_cast<std::uint32_t>(DdiId::SubmitCommand), .object = 1},
        std::vector{ddi_arguments::SubmitCommand{.flags = flags}});
  }
  void marker(std::uint32_t runs) { add(ev::MarkerRead{.packet = 1, .runs = runs}); }
  void differs(std::uint32_t packet) { add(ev::MemoryDiffers{.cause_object = packet}); }
  bool holds() { return TraceTest::holds("SUBMIT-005"); }
};

TEST_F(Submit005, NothingHasRun) {
  submits(kNullRendering);
  marker(0);
  EXPECT_TRUE(holds());
  EXPECT_EQ(times_reached("SUBMIT-005"), 1u);
}

TEST_F(Submit005, ItsLastCommandHasRun) {
  submits(kNullRendering);
  marker(1);
  EXPECT_FALSE(holds());
}

TEST_F(Submit005, MemoryIsChanged) {
  submits(kNullRendering);
  differs(1);
  EXPECT_FALSE(holds());
}

TEST_F(Submit005, ByAnotherPacket) {
  submits(kNullRendering);
  differs(2);
  EXPECT_TRUE(holds());
  EXPECT_EQ(times_reached("SUBMIT-005"), 0u);
}

TEST_F(Submit005, OthersRun) {
  submits(0);
  marker(1);
  EXPECT_TRUE(holds());
  EXPECT_EQ(times_reached("SUBMIT-005"), 0u);
}

}  // namespace
}  // namespace wddm::submit_005
