// Which flags a packet has that leaves a context.
#include "conformance/rules/tests/trace_test.h"

namespace wddm::ctx_003 {
namespace {

class Ctx003 : public TraceTest {
 protected:
  static constexpr std::uint32_t kPaging = 1, kSwitch = 0x40;
  void submits(std::uint32_t flags, std::uint32_t node = 0) {
    add(ev::DdiEntered{.ddi = static_cast<std::uint32_t>(DdiId::SubmitCommand)},
        std::vector<ddi_arguments::SubmitCommand>{{.flags = flags, .node = node}});
  }
};

TEST_F(Ctx003, EachAsItIs) {
  submits(kPaging);
  submits(kPaging | kSwitch);
  submits(kSwitch);
  submits(0);
  submits(kSwitch);
  EXPECT_TRUE(holds("CTX-003"));
  EXPECT_EQ(times_reached("CTX-003"), 3u);
}

TEST_F(Ctx003, PagingIsLeftWithoutTheFlag) {
  submits(kPaging);
  submits(kSwitch);
  EXPECT_FALSE(holds("CTX-003"));
}

TEST_F(Ctx003, AContextIsLeftWithIt) {
  submits(0);
  submits(kPaging | kSwitch);
  EXPECT_FALSE(holds("CTX-003"));
}

TEST_F(Ctx003, EachEngineHasItsOwn) {
  submits(kPaging, 1);
  submits(0, 0);
  submits(kSwitch, 0);
  EXPECT_TRUE(holds("CTX-003"));
}

}  // namespace
}  // namespace wddm::ctx_003
