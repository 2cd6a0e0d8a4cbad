// Context allocations that are made while objects of the system are created, and others.
#include "conformance/rules/tests/trace_test.h"

namespace wddm::ctx_005 {
namespace {

constexpr std::uint32_t kSystem = 1;

class Ctx005 : public TraceTest {
 protected:
  void enters_context(std::uint32_t flags) {
    add(ev::DdiEntered{.ddi = static_cast<std::uint32_t>(DdiId::CreateContext)},
        std::vector<ddi_arguments::CreateContext>{{.flags = flags}});
  }
  void enters_device(std::uint32_t flags) {
    add(ev::DdiEntered{.ddi = static_cast<std::uint32_t>(DdiId::CreateDevice)},
        std::vector<ddi_arguments::CreateDevice>{{.flags = flags}});
  }
  void returns(DdiId ddi) { add(ev::DdiReturned{.ddi = static_cast<std::uint32_t>(ddi)}); }
  void makes() { add(ev::ContextAllocationMade{.size = 4096}); }
  bool holds() { return TraceTest::holds("CTX-005"); }
};

TEST_F(Ctx005, NoneForASystemContext) {
  enters_context(kSystem);
  makes();
  EXPECT_FALSE(holds());
}

TEST_F(Ctx005, NoneForASystemDevice) {
  enters_device(kSystem);
  makes();
  EXPECT_FALSE(holds());
}

TEST_F(Ctx005, OthersMayHaveThem) {
  enters_context(0);
  makes();
  returns(DdiId::CreateContext);
  enters_device(0);
  makes();
  EXPECT_TRUE(holds());
  EXPECT_EQ(times_reached("CTX-005"), 2u);
}

TEST_F(Ctx005, TheCallIsOverWhenItReturns) {
  enters_context(kSystem);
  returns(DdiId::CreateContext);
  makes();
  EXPECT_TRUE(holds());
}

TEST_F(Ctx005, AnotherThreadsCallIsAnotherMatter) {
  enters_context(kSystem);
  thread_ = 1;
  makes();
  EXPECT_TRUE(holds());
}

}  // namespace
}  // namespace wddm::ctx_005
