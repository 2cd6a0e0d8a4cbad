// What verdicts say of memory that is not as it was predicted.
#include "conformance/rules/differing_memory.h"

#include <gtest/gtest.h>

namespace wddm::differing_memory {
namespace {

constexpr auto kAllocation = static_cast<std::uint32_t>(MemoryPlace::Allocation);
constexpr auto kFree = static_cast<std::uint32_t>(MemoryPlace::FreeSegmentPage);

TEST(DifferingMemory, IsNamedByItsAllocationAndByBothValues) {
  EXPECT_EQ(difference_text({.where = kAllocation,
                             .object = 2,
                             .offset = 4096,
                             .length = 8,
                             .expected = 0x11223344,
                             .seen = 0}),
            "8 bytes differ, the first at 0x1000 of allocation 2: 0x0 instead of 0x11223344");
}

TEST(DifferingMemory, OfAnotherGpuSaysSo) {
  EXPECT_EQ(place_text({.where = kAllocation, .object = 2, .physical_adapter = 1}),
            "allocation 2 of GPU 1");
  EXPECT_EQ(place_text({.where = kFree}), "a segment, where no allocation lies");
}

TEST(DifferingMemory, OfTheHostIsNoAllocationOfTheScenario) {
  EXPECT_EQ(place_text({.where = kAllocation, .object = host::kMarkerAllocation.value}),
            "the allocation that each packet leaves its mark in");
}

}  // namespace
}  // namespace wddm::differing_memory
