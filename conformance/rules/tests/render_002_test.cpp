// Which races say something.
#include "conformance/rules/tests/trace_test.h"

namespace wddm::render_002 {
namespace {

class Render002 : public TraceTest {
 protected:
  void raced(bool found, bool as_before, bool refused) {
    add(ev::InputChanged{.found_in_output = found, .as_before = as_before, .refused = refused});
  }
  bool holds() { return TraceTest::holds("RENDER-002"); }
  std::uint32_t reached() { return times_reached("RENDER-002"); }
};

TEST_F(Render002, AWordThatTheDriverWouldTakeSaysNothing) {
  raced(true, false, false);
  EXPECT_TRUE(holds());
  EXPECT_EQ(reached(), 0u);
}

TEST_F(Render002, ACapturedWordIsAsBefore) {
  raced(false, true, true);
  EXPECT_TRUE(holds());
  EXPECT_EQ(reached(), 1u);
}

TEST_F(Render002, ARefusableWordIsInTheOutput) {
  raced(true, false, true);
  EXPECT_FALSE(holds());
}

TEST_F(Render002, ATranslatorThatAddsABaseIsNotSafer) {
  raced(false, false, true);
  EXPECT_FALSE(holds());
}

}  // namespace
}  // namespace wddm::render_002
