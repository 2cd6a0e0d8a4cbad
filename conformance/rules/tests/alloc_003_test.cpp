// Segments of EvictionSegmentSet.
#include "conformance/rules/tests/trace_test.h"

namespace wddm::alloc_003 {
namespace {

constexpr std::uint32_t kAperture = 1, kAgp = 2, kPitchAlignment = 32;

class Alloc003 : public TraceTest {
 protected:
  Alloc003() {
    platform_.segments.resize(4);
    platform_.segments[1].flags.value = kAperture;
    platform_.segments[2].flags.value = kAgp;
    platform_.segments[3].flags.value = kAperture | kPitchAlignment;
  }
  bool holds_with(std::uint32_t set) {
    add(ev::AllocationCreated{.eviction_set = set});
    return TraceTest::holds("ALLOC-003");
  }
};

TEST_F(Alloc003, NoneOrApertures) {
  EXPECT_TRUE(holds_with(0));
  EXPECT_TRUE(holds_with(6));
  EXPECT_EQ(times_reached("ALLOC-003"), 2u);
}

TEST_F(Alloc003, MemoryOfTheGpu) {
  EXPECT_FALSE(holds_with(3));
}

TEST_F(Alloc003, AnApertureOfPitches) {
  EXPECT_FALSE(holds_with(8));
}

TEST_F(Alloc003, ASegmentThatThereIsNot) {
  EXPECT_FALSE(holds_with(1u << 31));
}

TEST_F(Alloc003, OfWhatIsOnlyDescribed) {
  add(ev::ShapeDescribed{.eviction_set = 6});
  EXPECT_TRUE(holds("ALLOC-003"));
  EXPECT_EQ(times_reached("ALLOC-003"), 1u);
  add(ev::ShapeDescribed{.eviction_set = 1});
  EXPECT_FALSE(holds("ALLOC-003"));
  EXPECT_EQ(seen_by("ALLOC-003"), "segment 1, in one of unlike allocations of a resource");
}

TEST_F(Alloc003, OfAnotherGpuOfALinkItsOwn) {
  platform_.interface_version = static_cast<std::uint32_t>(InterfaceVersion::Wddm2_0);
  platform_.linked_adapters = 2;
  platform_.gpu_mmu = true;
  add(ev::SegmentReported{.segment = 1, .flags = kAperture, .physical_adapter = 1});
  add(ev::AllocationCreated{.eviction_set = 1, .renaming = 1});
  EXPECT_TRUE(holds("ALLOC-003"));
  add(ev::AllocationCreated{.eviction_set = 2, .renaming = 1});
  EXPECT_FALSE(holds("ALLOC-003"));
}

}  // namespace
}  // namespace wddm::alloc_003
