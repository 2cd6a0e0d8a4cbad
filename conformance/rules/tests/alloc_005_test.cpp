// How a shared primary was described.
#include <ntddk.h>

#include "conformance/rules/tests/trace_test.h"

namespace wddm::alloc_005 {
namespace {

constexpr std::uint32_t kPrimary = 1, kStaging = 3;
constexpr std::uint32_t kCpuVisible = 1, kPermanentSysMem = 1u << 1, kCached = 1u << 2,
                        kProtected = 1u << 3, kExistingSysMem = 1u << 4,
                        kExistingKernelSysMem = 1u << 5;
constexpr std::uint32_t kNonCpuVisiblePrimary = 1u << 9;
constexpr std::uint32_t kWddm1_3 = 0x4003, kWddm2_0 = 0x5023;

// Segments: one that the CPU sees, an aperture, one that it does not see, one behind a window, and
// one that is made of system memory.
class Alloc005 : public TraceTest {
 protected:
  Alloc005() {
    platform_.interface_version = kWddm1_3;
    for (const std::uint32_t flags : {4u, 1u, 0u, 1u << 13, 1u << 6}) {
      PlatformSegment segment;
      segment.flags.value = flags;
      platform_.segments.push_back(segment);
    }
  }
  void create(std::uint32_t flags, std::uint32_t write_set, std::uint32_t standard = kPrimary,
              NTSTATUS status = STATUS_SUCCESS) {
    add(ev::AllocationGroup{.count = 1,
                            .status = static_cast<std::uint32_t>(status),
                            .described = 1,
                            .standard = standard,
                            .flags = flags,
                            .write_set = write_set});
  }
  bool holds() { return TraceTest::holds("ALLOC-005"); }
  std::uint32_t reached() { return times_reached("ALLOC-005"); }
};

TEST_F(Alloc005, AnOrdinaryOne) {
  create(kCpuVisible, 1);
  EXPECT_TRUE(holds());
  EXPECT_EQ(reached(), 1u);
}

TEST_F(Alloc005, EachOfTheFlags) {
  for (const std::uint32_t flag :
       {kPermanentSysMem, kCached, kProtected, kExistingSysMem, kExistingKernelSysMem}) {
    create(kCpuVisible | flag, 1);
  }
  EXPECT_EQ(failures("ALLOC-005"), 5u);
}

TEST_F(Alloc005, OthersMayBeCached) {
  create(kCpuVisible | kCached, 1, kStaging);
  EXPECT_TRUE(holds());
  EXPECT_EQ(reached(), 0u);
}

TEST_F(Alloc005, ASegmentThatTheCpuDoesNotSee) {
  create(0, 1 | 1u << 2);
  EXPECT_FALSE(holds());
}

TEST_F(Alloc005, AnApertureAndAWindowAreSeen) {
  create(0, 1 | 1u << 1 | 1u << 3);
  EXPECT_TRUE(holds());
}

TEST_F(Alloc005, SystemMemoryIsTheCpusAnyway) {
  create(0, 1u << 4);
  EXPECT_TRUE(holds());
  EXPECT_EQ(reached(), 1u);
}

TEST_F(Alloc005, SegmentsThatDoNotExistAreAnotherClause) {
  create(0, 1 | 1u << 7);
  EXPECT_TRUE(holds());
}

TEST_F(Alloc005, ThePrimaryMayBeHiddenWhereTheCapsSaySo) {
  platform_.interface_version = kWddm2_0;
  add(ev::CapsReported{.memory = kNonCpuVisiblePrimary});
  create(0, 1u << 2);
  EXPECT_TRUE(holds());
  EXPECT_EQ(reached(), 1u);
}

TEST_F(Alloc005, TheCapIsNoneBeforeWddm2) {
  add(ev::CapsReported{.memory = kNonCpuVisiblePrimary});
  create(0, 1u << 2);
  EXPECT_FALSE(holds());
}

TEST_F(Alloc005, HiddenIsNotCached) {
  platform_.interface_version = kWddm2_0;
  add(ev::CapsReported{.memory = kNonCpuVisiblePrimary});
  create(kCpuVisible | kCached, 1u << 2);
  EXPECT_EQ(failures("ALLOC-005"), 1u);
}

TEST_F(Alloc005, ADriverMayRefuse) {
  create(kCached, 0, kPrimary, STATUS_NO_MEMORY);
  EXPECT_TRUE(holds());
  EXPECT_EQ(reached(), 0u);
}

}  // namespace
}  // namespace wddm::alloc_005
