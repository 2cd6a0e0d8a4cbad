// A driver that counts system memory as the segment behind its last.
#include "conformance/host/tests/host_fixture.h"

namespace wddm::host {
namespace {

// The fake driver reports a memory segment and an aperture.
constexpr std::uint32_t kAperture = 1u << 1, kBehind = 1u << 2, kBeyond = 1u << 3;

class SystemMemorySegment : public HostTest {
 protected:
  /// The write set of an allocation that the driver gives this one.
  std::uint32_t write_set_for(std::uint32_t set) {
    std::uint32_t taken = 0;
    on_machine([&](World& world) {
      ASSERT_NO_FATAL_FAILURE(begin(world));
      driver.segment_set = set;
      ASSERT_TRUE(world.objects.create_allocation(kSlot, {0}, 1, Place::Any, false));
      taken = world.objects.allocation(kSlot).write_set;
    });
    return taken;
  }
};

TEST_F(SystemMemorySegment, BehindTheLastIsTheAperture) {
  driver.use_gpu_mmu();
  EXPECT_EQ(write_set_for(kBehind), kAperture);
  EXPECT_EQ(seen<ev::AllocationCreated>().back().write_set, kBehind) << "as the driver said it";
}

TEST_F(SystemMemorySegment, FurtherBehindIsNothing) {
  driver.use_gpu_mmu();
  EXPECT_EQ(write_set_for(kBeyond), kBeyond);
}

TEST_F(SystemMemorySegment, WithoutPageTablesTheGpuReachesNoSystemMemory) {
  EXPECT_EQ(write_set_for(kBehind), kBehind);
}

}  // namespace
}  // namespace wddm::host
