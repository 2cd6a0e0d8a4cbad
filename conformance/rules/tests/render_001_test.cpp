// What a call of Render may return that has met revoked memory.
#include "conformance/rules/tests/trace_test.h"

namespace wddm {
namespace {

constexpr std::uint32_t kInvalidUserBuffer = 0xC00000E8;

class Render001 : public TraceTest {
 protected:
  void called() { add(ev::RenderCalled{.hostile = 1}); }
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
  add(ev::RevokedAccessed{});
  returned(kInvalidUserBuffer);
  EXPECT_TRUE(holds());
}

TEST_F(Render001, AFaultIsNotSwallowed) {
  called();
  add(ev::RevokedAccessed{});
  returned(0);
  EXPECT_FALSE(holds());
}

TEST_F(Render001, AFaultIsNoLackOfRoom) {
  called();
  add(ev::RevokedAccessed{});
  returned(0xC01E0001);
  EXPECT_FALSE(holds());
}

TEST_F(Render001, ALaterCallIsJudgedForItself) {
  called();
  add(ev::RevokedAccessed{});
  returned(kInvalidUserBuffer);
  called();
  returned(0);
  EXPECT_TRUE(holds());
}

TEST_F(Render001, ACallReturns) {
  called();
  EXPECT_FALSE(holds());
}

}  // namespace
}  // namespace wddm
