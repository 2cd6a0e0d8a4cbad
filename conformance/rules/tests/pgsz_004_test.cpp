// What clients answer that the one played here does not.
#include "conformance/rules/tests/trace_test.h"

namespace wddm {
namespace {

class Pgsz004 : public TraceTest {
 protected:
  void placed(std::uint32_t resources, std::uint64_t bytes, std::uint64_t committed,
              std::uint32_t wrong = 0) {
    add(ev::ResourcesPlaced{.requested = resources * bytes,
                            .committed = committed,
                            .resources = resources,
                            .unit = 65536,
                            .wrong = wrong});
  }
};

TEST_F(Pgsz004, Packed) {
  placed(1000, 256, 262144);
  EXPECT_TRUE(holds("PGSZ-004"));
  EXPECT_EQ(times_reached("PGSZ-004"), 1u);
}

TEST_F(Pgsz004, OneForEach) {
  placed(1000, 256, 65536000);
  EXPECT_FALSE(holds("PGSZ-004"));
}

TEST_F(Pgsz004, TooLargeToCare) {
  placed(10, 32768, 655360);
  EXPECT_TRUE(holds("PGSZ-004"));
  EXPECT_EQ(times_reached("PGSZ-004"), 0u);
}

TEST_F(Pgsz004, OneOverAnother) {
  placed(1000, 256, 65536, 3);
  EXPECT_FALSE(holds("PGSZ-004"));
}

}  // namespace
}  // namespace wddm
