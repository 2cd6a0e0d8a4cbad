// What the tests of VidMm's parts share: a running adapter with allocations, and a driver that
// pages by the GPU.
#pragma once

#include "conformance/host/boundary/ddi_call.h"
#include "conformance/host/tests/host_fixture.h"
#include "conformance/host/tests/reports.h"

namespace wddm::host {

class VidMmTest : public HostTest {
 protected:
  static constexpr SegmentId kLocal{1}, kAperture{2};  ///< the segments of the fake driver

  /// The adapter runs, with these allocations, of as many pages.
  struct Made {
    AllocationId id;
    std::uint32_t pages;
  };
  template <class Body>
  void with(std::vector<Made> allocations, Body body) {
    on_machine([&](World& world) {
      ASSERT_NO_FATAL_FAILURE(begin(world));
      for (const Made& made : allocations) ASSERT_NO_FATAL_FAILURE(create(world, made));
      driver.calls.clear();
      body(world);
    });
  }
  void create(World& world, const Made& made) {
    driver.allocation_bytes = std::uint64_t{made.pages} * 4096;
    ASSERT_TRUE(world.objects.create_allocation(made.id, {0}, made.pages, Place::Any, false));
    ASSERT_TRUE(world.vidmm.allocation_created(made.id));
  }
  /// BuildPagingBuffer takes the whole operation in one buffer.
  void page_by_gpu() {
    driver.builds = [](DXGKARG_BUILDPAGINGBUFFER& args) {
      write_paging(args);
      return STATUS_SUCCESS;
    };
  }
  static void write_paging(DXGKARG_BUILDPAGINGBUFFER& args) {
    std::memset(args.pDmaBuffer, 0, 16);
    args.pDmaBuffer = static_cast<std::uint8_t*>(args.pDmaBuffer) + 16;
  }
  static vidmm::PagingStep step(vidmm::StepKind kind, AllocationId id, SegmentId segment,
                                std::uint32_t page, std::uint32_t pages) {
    vidmm::PagingStep made;
    made.kind = kind;
    made.allocation = id;
    made.segment = segment;
    made.page = page;
    made.pages = pages;
    return made;
  }
  /// The operations of all calls of BuildPagingBuffer, in order.
  std::vector<std::uint32_t> built() const {
    std::vector<std::uint32_t> all;
    for (const auto& args : driver.built) all.push_back(number_in(args.Operation));
    return all;
  }
};

}  // namespace wddm::host
