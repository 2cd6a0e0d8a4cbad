// Bytes of tables that change on a GPU whose update it is not.
#include "conformance/rules/tests/trace_test.h"

namespace wddm::lda_005 {
namespace {

class Lda005 : public TraceTest {
 protected:
  std::size_t failures() { return TraceTest::failures("LDA-005"); }
};

TEST_F(Lda005, AnUpdateByTheCpuMayReachNoOtherGpu) {
  add(ev::TableUpdated{.changed = 8, .physical_adapter = 1, .elsewhere = 8});
  EXPECT_EQ(failures(), 1u);
}

TEST_F(Lda005, NorMayOneByTheGpu) {
  add(ev::TableUpdated{.physical_adapter = 1});
  add(ev::TableCompared{.update = 0, .physical_adapter = 1, .elsewhere = 8});
  EXPECT_EQ(failures(), 1u);
}

TEST_F(Lda005, ItsOwnTableItMayChange) {
  add(ev::TableUpdated{.changed = 64, .physical_adapter = 1});
  add(ev::TableCompared{.update = 0, .decoded = 8, .physical_adapter = 1});
  EXPECT_EQ(failures(), 0u);
  EXPECT_EQ(times_reached("LDA-005"), 2u);
}

}  // namespace
}  // namespace wddm::lda_005
