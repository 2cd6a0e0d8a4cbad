// What counts as paged out while it is bound.
#include "conformance/rules/tests/trace_test.h"
#include "reference/vidmm/paging_step.h"

namespace wddm::split_013 {
namespace {

using vidmm::StepKind;

// One buffer that binds allocation 7, in one portion.
class Split013 : public TraceTest {
 protected:
  static PagingStepRecord step(StepKind kind, std::uint32_t allocation = 7) {
    return {.kind = static_cast<std::uint32_t>(kind), .allocation = allocation};
  }
  void planned(const std::vector<PagingStepRecord>& steps) {
    add(ev::RenderCalled{.allocations = 1}, std::vector<AllocationRecord>{{.allocation = 7}});
    add(ev::Rendered{.dma_used = 64, .dma_given = 64, .patches_used = 1},
        std::vector<PatchRecord>{{.patch_offset = 8}});
    add(ev::PortionPlanned{.start = 0, .end = 64, .first = 0, .count = 1}, steps);
  }
  bool holds() { return TraceTest::holds("SPLIT-013"); }
};

TEST_F(Split013, EvictionThroughAnApertureBringsNothingIn) {
  planned({step(StepKind::MapAperture), step(StepKind::TransferOut), step(StepKind::UnmapAperture),
           step(StepKind::TransferIn)});
  EXPECT_TRUE(holds());
}

TEST_F(Split013, WhatWasMappedForThePortionStays) {
  planned({step(StepKind::MapAperture), step(StepKind::UnmapAperture)});
  EXPECT_FALSE(holds());
}

TEST_F(Split013, WhatWasBroughtInForThePortionStays) {
  planned({step(StepKind::TransferIn), step(StepKind::MapAperture), step(StepKind::TransferOut),
           step(StepKind::UnmapAperture)});
  EXPECT_FALSE(holds());
}

}  // namespace
}  // namespace wddm::split_013
