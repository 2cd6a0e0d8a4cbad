// Scenarios that give sizes relative to what the driver needs: measured in a run of its own, which
// no fault disturbs.
#include <gtest/gtest.h>

#include <string>

#include "conformance/harness/tests/replay_support.h"

namespace wddm::harness {
namespace {

std::string one_fill(const std::string& render) {
  return "ops:\n- create_allocation\n- create_context\n- render" + render +
         "\n- bind\n- fill\n- idle\n";
}

class RelativeSizeTest : public ReplayTest {
 protected:
  [[nodiscard]] ev::Rendered rendered(std::size_t pass) const {
    return replayer_.trace().at<ev::Rendered>(replayer_.trace().of<ev::Rendered>()[pass]);
  }
  [[nodiscard]] std::size_t passes() const { return replayer_.trace().of<ev::Rendered>().size(); }
};

TEST_F(RelativeSizeTest, WhatIsNeededIsEnoughAndNotMore) {
  run(scenario_of(one_fill(": {dma_measure: needed_plus, patch_measure: needed_plus}")));

  ASSERT_EQ(passes(), 1u);
  EXPECT_EQ(rendered(0).status, 0u);
  EXPECT_EQ(rendered(0).dma_given, static_cast<std::uint32_t>(rendered(0).dma_used));
  EXPECT_EQ(rendered(0).patches_given, static_cast<std::uint32_t>(rendered(0).patches_used));
}

TEST_F(RelativeSizeTest, OneLessIsOneLessThanThat) {
  run(scenario_of(one_fill(": {dma_measure: needed_plus, patch_measure: needed_plus}")));
  const ev::Rendered whole = rendered(0);

  run(
      scenario_of(one_fill(": {dma_measure: needed_minus, dma_bytes: 4, patch_measure: "
                           "needed_minus, patch_capacity: 1}")));

  EXPECT_EQ(rendered(0).dma_given, whole.dma_given - 4);
  EXPECT_EQ(rendered(0).patches_given, whole.patches_given - 1);
}

// It strikes once: the run that measures must not be the one.
struct RefusesItsFirstRender final : Interposer {
  NTSTATUS Render(HANDLE context, DXGKARG_RENDER* render) override {
    return refused_++ == 0 ? STATUS_NO_MEMORY : Interposer::Render(context, render);
  }
  int refused_ = 0;
};

TEST_F(RelativeSizeTest, FaultsWaitForTheRunThatIsWatched) {
  const Fault fault = fault_of<RefusesItsFirstRender>();
  run(scenario_of(one_fill(": {dma_measure: needed_plus}")), &fault);

  ASSERT_EQ(passes(), 1u);
  EXPECT_EQ(rendered(0).status, static_cast<std::uint32_t>(STATUS_NO_MEMORY));
}

}  // namespace
}  // namespace wddm::harness
