// Buffers that use what was evicted.
#include "conformance/rules/tests/client_test.h"

namespace wddm::res_008 {
namespace {

class Res008 : public ClientTest {
 protected:
  bool holds() { return TraceTest::holds("RES-008"); }
};

TEST_F(Res008, WhatIsRequired) {
  makes_resident();
  uses();
  EXPECT_TRUE(holds());
  EXPECT_EQ(times_reached("RES-008"), 1u);
}

TEST_F(Res008, WhatWasEvicted) {
  makes_resident();
  evicts();
  uses();
  EXPECT_FALSE(holds());
}

TEST_F(Res008, WhatIsRequiredOnceMore) {
  makes_resident();
  makes_resident();
  evicts();
  uses();
  EXPECT_TRUE(holds());
}

TEST_F(Res008, WhatNobodyHasAskedFor) {
  uses();
  EXPECT_FALSE(holds());
}

}  // namespace
}  // namespace wddm::res_008
