// Which sets an allocation needs, by version.
#include <d3dkmddi.h>

#include "conformance/rules/tests/trace_test.h"

namespace wddm::alloc_002 {
namespace {

class Alloc002 : public TraceTest {
 protected:
  bool holds_for(std::uint32_t write, std::uint32_t read, InterfaceVersion version) {
    platform_.interface_version = static_cast<std::uint32_t>(version);
    platform_.segments.resize(1);
    add(ev::AllocationCreated{.read_set = read, .write_set = write});
    return holds("ALLOC-002");
  }
};

TEST_F(Alloc002, AReadOnlyAllocationOfWddm1) {
  EXPECT_TRUE(holds_for(0, 1, InterfaceVersion::Wddm1_3));
}

TEST_F(Alloc002, FromWddm2OnTheReadSetDoesNotCount) {
  EXPECT_FALSE(holds_for(0, 1, InterfaceVersion::Wddm2_0));
}

TEST_F(Alloc002, NoSegmentAtAll) {
  EXPECT_FALSE(holds_for(0, 0, InterfaceVersion::Wddm1_3));
}

TEST_F(Alloc002, ASegmentThatDoesNotExist) {
  EXPECT_FALSE(holds_for(2, 1, InterfaceVersion::Wddm1_3));
}

// Which of the segments can be committed to; the first is an aperture.
class Alloc002Committed : public TraceTest {
 protected:
  Alloc002Committed() {
    platform_.interface_version = static_cast<std::uint32_t>(InterfaceVersion::Wddm2_0);
    platform_.segments.resize(2);
  }
  void reported(std::uint64_t aperture_limit, std::uint64_t memory_limit = 0) {
    add(ev::SegmentReported{
        .size = 0x100000, .commit_limit = aperture_limit, .segment = 1, .flags = 1, .version = 4});
    add(ev::SegmentReported{
        .size = 0x100000, .commit_limit = memory_limit, .segment = 2, .flags = 4, .version = 4});
  }
  bool holds_in(std::uint32_t set) {
    add(ev::AllocationCreated{.read_set = set, .write_set = set});
    return holds("ALLOC-002");
  }
};

TEST_F(Alloc002Committed, AnApertureOfWhichNothingCanBe) {
  reported(0);
  EXPECT_FALSE(holds_in(1));
}

TEST_F(Alloc002Committed, OnePageIsSomething) {
  reported(0x1000);
  EXPECT_TRUE(holds_in(1));
}

TEST_F(Alloc002Committed, ThereIsAnotherSegment) {
  reported(0);
  EXPECT_TRUE(holds_in(3));
}

TEST_F(Alloc002Committed, TheLimitOfMemorySaysNothing) {
  reported(0x100000);
  EXPECT_TRUE(holds_in(2));
}

TEST_F(Alloc002Committed, WhatWasReportedLastCounts) {
  reported(0);
  reported(0x100000);
  EXPECT_TRUE(holds_in(1));
}

// What nothing is placed in: of a resource, or a surface of Dxgkrnl's own.
class Alloc002Described : public TraceTest {
 protected:
  Alloc002Described() {
    platform_.interface_version = static_cast<std::uint32_t>(InterfaceVersion::Wddm2_0);
    platform_.segments.resize(2);
  }
  bool holds_in(std::uint32_t write, std::uint32_t gpu = 0) {
    add(ev::ShapeDescribed{.write_set = write, .renaming = gpu});
    return holds("ALLOC-002");
  }
};

TEST_F(Alloc002Described, InReportedSegments) {
  EXPECT_TRUE(holds_in(3));
  EXPECT_EQ(times_reached("ALLOC-002"), 1u);
}

TEST_F(Alloc002Described, InASegmentThatDoesNotExist) {
  EXPECT_FALSE(holds_in(5));
}

TEST_F(Alloc002Described, InNoSegment) {
  EXPECT_FALSE(holds_in(0));
}

TEST_F(Alloc002Described, InSegmentsOfItsGpuOfALink) {
  platform_.linked_adapters = 2;
  platform_.gpu_mmu = true;
  add(ev::SegmentReported{.segment = 3, .physical_adapter = 1});
  EXPECT_TRUE(holds_in(4, 1));
  EXPECT_FALSE(holds_in(8, 1));
}

// GPU 1 of the link has a segment more.
class Alloc002Linked : public Alloc002 {
 protected:
  Alloc002Linked() {
    platform_.linked_adapters = 2;
    platform_.gpu_mmu = true;
    add(ev::SegmentReported{.segment = 1, .physical_adapter = 1});
    add(ev::SegmentReported{.segment = 2, .physical_adapter = 1});
  }
  bool holds_on(std::uint32_t gpu, std::uint32_t write) {
    platform_.interface_version = static_cast<std::uint32_t>(InterfaceVersion::Wddm2_0);
    platform_.segments.resize(1);
    add(ev::AllocationCreated{.write_set = write, .preferred = 2, .renaming = gpu});
    return holds("ALLOC-002");
  }
};

TEST_F(Alloc002Linked, EachGpuHasSegmentsOfItsOwn) {
  EXPECT_TRUE(holds_on(1, 3));
  EXPECT_FALSE(holds_on(0, 3));
}

TEST_F(Alloc002Linked, WithoutVirtualAddressesTheMemberMayBeALength) {
  platform_.gpu_mmu = false;
  EXPECT_FALSE(holds_on(1, 3));
}

}  // namespace
}  // namespace wddm::alloc_002
