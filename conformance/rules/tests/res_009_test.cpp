// Evictions of what is said not to be written.
#include "conformance/rules/tests/client_test.h"

namespace wddm::res_009 {
namespace {

class Res009 : public ClientTest {
 protected:
  Res009() { makes_resident(); }
  bool holds() { return TraceTest::holds("RES-009"); }
};

TEST_F(Res009, ItWasRead) {
  uses();
  evicts(kNotWrittenTo);
  EXPECT_TRUE(holds());
  EXPECT_EQ(times_reached("RES-009"), 1u);
}

TEST_F(Res009, ItWasWritten) {
  uses(true);
  evicts(kNotWrittenTo);
  EXPECT_FALSE(holds());
}

TEST_F(Res009, WhoDoesNotSaySoMayHaveWritten) {
  uses(true);
  evicts();
  EXPECT_TRUE(holds());
}

TEST_F(Res009, WrittenTheTimeBefore) {
  uses(true);
  evicts();
  makes_resident();
  evicts(kNotWrittenTo);
  EXPECT_TRUE(holds());
}

}  // namespace
}  // namespace wddm::res_009
