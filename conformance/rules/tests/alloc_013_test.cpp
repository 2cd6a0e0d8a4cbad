// What standard allocations are described by.
#include "conformance/rules/tests/trace_test.h"

namespace wddm {
namespace {

constexpr std::uint32_t kSizes = 1, kData = 2, kStaging = 3;

class Alloc013 : public TraceTest {
 protected:
  void say(std::uint32_t call, std::uint32_t pitch, std::uint32_t bytes = 40) {
    add(ev::StandardDataAnswered{.type = kStaging,
                                 .call = call,
                                 .allocation_bytes = bytes,
                                 .width = 64,
                                 .height = 4,
                                 .pitch = pitch});
  }
  void create(std::uint64_t size) {
    add(ev::AllocationGroup{.size = size, .count = 1, .described = 1, .standard = kStaging});
  }
  bool holds() { return TraceTest::holds("ALLOC-013"); }
};

TEST_F(Alloc013, SizesThenData) {
  say(kSizes, 0);
  say(kData, 256);
  create(1024);
  EXPECT_TRUE(holds());
}

TEST_F(Alloc013, TheLastRowNeedsNoPadding) {
  say(kSizes, 0);
  say(kData, 512);
  create(3 * 512 + 256);
  EXPECT_TRUE(holds());
}

TEST_F(Alloc013, TooSmallForItsRows) {
  say(kSizes, 0);
  say(kData, 256);
  create(1023);
  EXPECT_FALSE(holds());
}

TEST_F(Alloc013, NoPrivateDataAtAll) {
  say(kSizes, 0, 0);
  EXPECT_FALSE(holds());
}

TEST_F(Alloc013, APitchTooSoon) {
  say(kSizes, 256);
  EXPECT_FALSE(holds());
}

TEST_F(Alloc013, RowsThatOverlap) {
  say(kSizes, 0);
  say(kData, 255);
  EXPECT_FALSE(holds());
}

TEST_F(Alloc013, ADriverThatTellsNoPitch) {
  say(kSizes, 0);
  say(kData, 0);
  create(1);
  EXPECT_TRUE(holds());
}

}  // namespace
}  // namespace wddm
