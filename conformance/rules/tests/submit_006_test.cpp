// Bytes beside the private data of a submission.
#include "conformance/rules/tests/trace_test.h"

namespace wddm::submit_006 {
namespace {

class Submit006 : public TraceTest {
 protected:
  void kept(std::uint32_t outside) {
    add(ev::PrivateDataKept{.size = 64, .start = 16, .end = 32, .outside = outside});
  }
};

TEST_F(Submit006, NothingBesideThemIsWritten) {
  kept(0);
  EXPECT_TRUE(holds("SUBMIT-006"));
  EXPECT_EQ(times_reached("SUBMIT-006"), 1u);
}

TEST_F(Submit006, BytesBesideThemAreWritten) {
  kept(4);
  EXPECT_FALSE(holds("SUBMIT-006"));
}

}  // namespace
}  // namespace wddm::submit_006
