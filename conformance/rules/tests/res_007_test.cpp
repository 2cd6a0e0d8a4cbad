// Attempts to make something resident, and the last one.
#include "conformance/rules/tests/client_test.h"

namespace wddm::res_007 {
namespace {

using gpuva::ResidencyStatus;

class Res007 : public ClientTest {
 protected:
  bool holds() { return TraceTest::holds("RES-007"); }
};

TEST_F(Res007, TheLastOneSaysSo) {
  makes_resident(ResidencyStatus::OutOfMemory);
  makes_resident(ResidencyStatus::Ok, kCantTrimFurther | kMustSucceed);
  EXPECT_TRUE(holds());
  EXPECT_EQ(times_reached("RES-007"), 2u);
}

TEST_F(Res007, TheFirstIsTheLast) {
  makes_resident(ResidencyStatus::Ok, kCantTrimFurther | kMustSucceed);
  EXPECT_FALSE(holds());
}

TEST_F(Res007, MustSucceedAlone) {
  makes_resident(ResidencyStatus::OutOfMemory);
  makes_resident(ResidencyStatus::Ok, kMustSucceed);
  EXPECT_FALSE(holds());
}

}  // namespace
}  // namespace wddm::res_007
