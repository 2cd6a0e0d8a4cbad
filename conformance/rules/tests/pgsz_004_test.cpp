// What clients answer that the one played here does not.
#include "conformance/rules/tests/trace_test.h"

namespace wddm::pgsz_004 {
namespace {

class Pgsz004 : public TraceTest {
 protected:
  void placed(std::uint32_t resources, std::uint64_t bytes, std::uint32_t allocations,
              std::uint64_t committed, std::uint32_t wrong = 0) {
    add(ev::ResourcesPlaced{.requested = resources * bytes,
                            .committed = committed,
                            .resources = resources,
                            .allocations = allocations,
                            .unit = 65536,
                            .wrong = wrong});
  }
};

TEST_F(Pgsz004, Packed) {
  placed(1000, 256, 4, 262144);
  EXPECT_TRUE(holds("PGSZ-004"));
  EXPECT_EQ(times_reached("PGSZ-004"), 1u);
}

TEST_F(Pgsz004, OneForEach) {
  placed(1000, 256, 1000, 65536000);
  EXPECT_FALSE(holds("PGSZ-004"));
}

TEST_F(Pgsz004, AHeapMayHaveRoomForMore) {
  placed(4, 256, 1, 262144);
  placed(64, 256, 1, 4 << 20);
  EXPECT_TRUE(holds("PGSZ-004"));
  EXPECT_EQ(times_reached("PGSZ-004"), 2u);
}

TEST_F(Pgsz004, FewSharing) {
  placed(10, 256, 6, 393216);
  EXPECT_FALSE(holds("PGSZ-004"));
}

TEST_F(Pgsz004, TooLargeToCare) {
  placed(10, 32768, 10, 655360);
  EXPECT_TRUE(holds("PGSZ-004"));
  EXPECT_EQ(times_reached("PGSZ-004"), 0u);
}

TEST_F(Pgsz004, OneOverAnother) {
  placed(1000, 256, 1, 65536, 3);
  EXPECT_FALSE(holds("PGSZ-004"));
}

}  // namespace
}  // namespace wddm::pgsz_004
