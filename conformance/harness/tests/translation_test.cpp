// Translations of several passes that do not come to their end as planned: memory must go on being
// compared, or everything after them would pass unseen.
#include <gtest/gtest.h>

#include <string>

#include "conformance/harness/tests/replay_support.h"

namespace wddm::harness {
namespace {

struct RefusesLaterPasses final : Interposer {
  NTSTATUS Render(HANDLE context, DXGKARG_RENDER* render) override {
    return render->MultipassOffset == 0 ? Interposer::Render(context, render) : STATUS_NO_MEMORY;
  }
};

// The whole translation in the first pass, and a second one that adds nothing to it.
struct EndsWithAnEmptyPass final : Interposer {
  NTSTATUS Render(HANDLE context, DXGKARG_RENDER* render) override {
    if (render->MultipassOffset != 0) return STATUS_SUCCESS;
    const NTSTATUS status = Interposer::Render(context, render);
    render->MultipassOffset = render->CommandLength;
    return status == STATUS_SUCCESS ? STATUS_GRAPHICS_INSUFFICIENT_DMA_BUFFER : status;
  }
};

class TranslationTest : public ReplayTest {
 protected:
  [[nodiscard]] std::size_t passes() const { return replayer_.trace().of<ev::Rendered>().size(); }
  // Comparisons after the packets of this op.
  [[nodiscard]] std::size_t comparisons_from(std::uint16_t op) const {
    std::size_t count = 0;
    for (const std::uint32_t index : replayer_.trace().of<ev::MemoryChecked>()) {
      if (replayer_.trace().events()[index].op >= op) ++count;
    }
    return count;
  }
  [[nodiscard]] std::size_t differences() const {
    return replayer_.trace().of<ev::MemoryDiffers>().size();
  }
};

// The list holds two elements, the second pass wants two allocations that do not fit together.
TEST_F(TranslationTest, MemoryIsComparedAfterVidMmDropsAPass) {
  run(scenario_of(R"(
ops:
- configure: {setting: LocalSegmentPages, value: 8}
- configure: {setting: ApertureSegmentPages, value: 1}
- create_allocation: {allocation: 0, place: local}
- create_allocation: {allocation: 1, pages: 5, place: local}
- create_allocation: {allocation: 2, pages: 5, place: local}
- create_context
- render: {patch_capacity: 3}
- bind: {slot: 0, allocation: 0}
- fill: {slot: 0}
- bind: {slot: 1, allocation: 1}
- bind: {slot: 2, allocation: 2}
- copy: {slot: 1, source: 2}
- idle
- render
- bind: {slot: 0, allocation: 0}
- fill: {slot: 0}
- idle
)"));

  EXPECT_EQ(replayer_.trace().of<ev::OpSkipped>().size(), 1u);
  EXPECT_NE(comparisons_from(13), 0u);
  EXPECT_EQ(differences(), 0u);
}

constexpr const char* kTwoRenders = R"(
ops:
- create_allocation: {allocation: 0}
- create_allocation: {allocation: 1}
- create_context
- render: {patch_capacity: 3}
- bind: {slot: 0, allocation: 0}
- fill: {slot: 0}
- bind: {slot: 1, allocation: 1}
- fill: {slot: 1}
- idle
- render
- bind: {slot: 0, allocation: 0}
- fill: {slot: 0}
- idle
)";

TEST_F(TranslationTest, MemoryIsComparedAfterTheDriverRefusesAPass) {
  const Fault fault = fault_of<RefusesLaterPasses>();

  run(scenario_of(kTwoRenders), &fault);

  EXPECT_GE(passes(), 3u);
  EXPECT_NE(comparisons_from(9), 0u);
  EXPECT_EQ(differences(), 0u);
}

TEST_F(TranslationTest, MemoryIsComparedAfterAnEmptyLastPass) {
  const Fault fault = fault_of<EndsWithAnEmptyPass>();
  const std::string whole_buffers = kTwoRenders;

  run(scenario_of(
          std::string(whole_buffers).replace(whole_buffers.find(": {patch_capacity: 3}"), 21, "")),
      &fault);

  EXPECT_EQ(passes(), 4u);
  EXPECT_NE(comparisons_from(9), 0u);
  EXPECT_EQ(differences(), 0u);
}

}  // namespace
}  // namespace wddm::harness
