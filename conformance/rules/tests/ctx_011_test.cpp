// Which context allocations have an address of the CPU's.
#include <d3dkmddi.h>

#include "conformance/rules/tests/trace_test.h"

namespace wddm::ctx_011 {
namespace {

// Segment 1 is memory, segment 2 an aperture.
class Ctx011 : public TraceTest {
 protected:
  Ctx011() {
    platform_.segments.resize(2);
    platform_.segments[1].flags.value = 1;
  }
  void makes(std::uint32_t flags, std::uint32_t set) {
    add(ev::ContextAllocationMade{.number = 0, .context = 1, .flags = flags, .set = set});
  }
  void initializes(std::uint32_t astray) {
    add(ev::ContextAllocationWritten{
        .operation = DXGK_OPERATION_INIT_CONTEXT_RESOURCE, .number = 0, .astray = astray});
  }
  static constexpr std::uint32_t kCpuVisible = 1, kBoth = 9, kMemory = 1, kAperture = 2;
};

TEST_F(Ctx011, LeftAlone) {
  makes(0, kMemory);
  initializes(0);
  EXPECT_TRUE(holds("CTX-011"));
  EXPECT_EQ(times_reached("CTX-011"), 1u);
}

TEST_F(Ctx011, WrittenOfMemory) {
  makes(kBoth, kMemory);
  initializes(64);
  EXPECT_FALSE(holds("CTX-011"));
}

TEST_F(Ctx011, WrittenWithoutProtected) {
  makes(kCpuVisible, kAperture);
  initializes(64);
  EXPECT_FALSE(holds("CTX-011"));
}

TEST_F(Ctx011, WrittenOfWhatMayLieInMemoryToo) {
  makes(kBoth, kAperture | kMemory);
  initializes(64);
  EXPECT_FALSE(holds("CTX-011"));
}

TEST_F(Ctx011, WrittenWhereItIsTheAllocations) {
  makes(kBoth, kAperture);
  initializes(64);
  EXPECT_TRUE(holds("CTX-011"));
  EXPECT_EQ(times_reached("CTX-011"), 0u);
}

}  // namespace
}  // namespace wddm::ctx_011
