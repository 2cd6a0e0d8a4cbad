// What a driver that makes no contexts is called with.
#include "conformance/rules/tests/trace_test.h"

namespace wddm::life_008 {
namespace {

constexpr std::uint32_t kNull = 0, kOfDevice = 1, kAnother = 2;

class Life008 : public TraceTest {
 protected:
  void gives(std::uint32_t handle) {
    add(ev::DeviceHandleGiven{.ddi = static_cast<std::uint32_t>(DdiId::Render), .handle = handle});
  }
  void calls(DdiId ddi) { add(ev::DdiEntered{.ddi = static_cast<std::uint32_t>(ddi)}); }
  bool holds() { return TraceTest::holds("LIFE-008"); }
  std::size_t failures() { return TraceTest::failures("LIFE-008"); }
  std::uint32_t reached() { return times_reached("LIFE-008"); }
};

TEST_F(Life008, TheDeviceOnNode0) {
  calls(DdiId::CreateDevice);
  gives(kOfDevice);
  add(ev::Submitted{});
  add(ev::Submitted{.paging = 1});
  add(ev::PreemptAsked{});
  add(ev::EngineReset{});
  EXPECT_TRUE(holds());
  EXPECT_EQ(reached(), 5u);
}

TEST_F(Life008, NoHandleOrAnother) {
  gives(kNull);
  gives(kAnother);
  EXPECT_EQ(failures(), 2u);
}

TEST_F(Life008, ContextsAreMadeAndDestroyed) {
  calls(DdiId::CreateContext);
  calls(DdiId::DestroyContext);
  EXPECT_EQ(failures(), 2u);
}

TEST_F(Life008, AnotherNode) {
  add(ev::Submitted{.node = 1, .paging = 1});
  EXPECT_EQ(failures(), 1u);
  add(ev::PreemptAsked{.node = 1});
  EXPECT_EQ(failures(), 2u);
  add(ev::EngineReset{.node = 1});
  EXPECT_EQ(failures(), 3u);
}

TEST_F(Life008, QuestionsJudgeNothing) {
  calls(DdiId::GetNodeMetadata);
  EXPECT_TRUE(holds());
  EXPECT_EQ(reached(), 0u);
}

}  // namespace
}  // namespace wddm::life_008
