// What a call of Render may return that has met revoked memory.
#include "conformance/rules/tests/trace_test.h"

namespace wddm::render_001 {
namespace {

constexpr std::uint32_t kInvalidUserBuffer = 0xC00000E8;

class Render001 : public TraceTest {
 protected:
  void called(Input taken_away = Input::Command) {
    add(ev::RenderCalled{.hostile = 1, .revoked = 1u << static_cast<unsigned>(taken_away)});
  }
  void accessed(Input input) {
    add(ev::RevokedAccessed{.input = static_cast<std::uint32_t>(input)});
  }
  void returned(std::uint32_t status) { add(ev::Rendered{.status = status, .hostile = 1}); }
  bool holds() { return TraceTest::holds("RENDER-001"); }
};

TEST_F(Render001, ADriverThatDoesNotReadWhatWasRevokedMaySucceed) {
  called();
  returned(0);
  EXPECT_TRUE(holds());
}

TEST_F(Render001, AFaultBecomesAnError) {
  called();
  accessed(Input::Command);
  returned(kInvalidUserBuffer);
  EXPECT_TRUE(holds());
}

TEST_F(Render001, AFaultIsNotSwallowed) {
  called();
  accessed(Input::Command);
  returned(0);
  EXPECT_FALSE(holds());
}

TEST_F(Render001, AFaultIsNoLackOfRoom) {
  called();
  accessed(Input::Command);
  returned(0xC01E0001);
  EXPECT_FALSE(holds());
}

TEST_F(Render001, AListThatCannotBeReadMayBeMadeOfTheCommands) {
  called(Input::PatchList);
  accessed(Input::PatchList);
  returned(0);
  EXPECT_TRUE(holds());
  EXPECT_EQ(times_reached("RENDER-001"), 1u);
}

TEST_F(Render001, HostileInputThatCanBeReadSaysNothing) {
  add(ev::RenderCalled{.hostile = 1});
  returned(0);
  EXPECT_TRUE(holds());
  EXPECT_EQ(times_reached("RENDER-001"), 0u);
}

TEST_F(Render001, ALaterCallIsJudgedForItself) {
  called();
  accessed(Input::Command);
  returned(kInvalidUserBuffer);
  called();
  returned(0);
  EXPECT_TRUE(holds());
}

TEST_F(Render001, ALaterPassIsACallLikeTheFirst) {
  add(ev::RenderCalled{.hostile = 1});
  returned(0xC01E0001);
  called();
  accessed(Input::Command);
  returned(0);
  EXPECT_FALSE(holds());
}

TEST_F(Render001, ACallReturns) {
  called();
  EXPECT_FALSE(holds());
}

TEST_F(Render001, ACrashWhereAllInputCanBeReadIsNoFaultThere) {
  called();
  accessed(Input::Command);
  returned(kInvalidUserBuffer);
  add(ev::RenderCalled{.hostile = 1});
  EXPECT_TRUE(holds());
}

}  // namespace
}  // namespace wddm::render_001
