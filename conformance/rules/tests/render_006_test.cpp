// Which elements belong to a decoded range, and what their fields must hold.
#include "conformance/rules/tests/trace_test.h"
#include "conformance/sdk/client.h"

namespace wddm::render_006 {
namespace {

constexpr std::uint64_t kPlace = 0x10000000;

class Render006 : public TraceTest {
 protected:
  // One allocation at place_, and elements for it at these PatchOffsets.
  void rendered(std::initializer_list<std::uint32_t> offsets) {
    std::vector<PatchRecord> elements;
    for (const std::uint32_t offset : offsets) elements.push_back({.patch_offset = offset});
    add(ev::RenderCalled{.allocations = 1},
        std::vector<AllocationRecord>{
            {.address = place_, .size = 4096, .allocation = 0, .segment = 1}});
    add(ev::Rendered{.dma_used = 1024, .hostile = hostile_}, elements);
  }
  // One command of 16 bytes in a range of its own, with an address at its third word.
  void decoded(std::uint32_t start, std::uint64_t address, std::uint32_t width = 8) {
    add(ev::Decoded{.start = start, .end = start + 16, .count = 1},
        std::vector{command_with(address, width)});
  }
  std::uint64_t place_ = kPlace;
  std::uint32_t hostile_ = 0;

  std::size_t failures() { return TraceTest::failures("RENDER-006"); }
};

TEST_F(Render006, EachElementIsHeldAgainstTheRangeItLiesIn) {
  rendered({40, 8, 24, 56});
  decoded(0, kPlace);
  decoded(16, 0);
  decoded(32, kPlace);
  decoded(48, 0);
  EXPECT_EQ(failures(), 2u);
}

TEST_F(Render006, OfAlteredCommandsNobodyKnowsTheForm) {
  hostile_ = 1;
  rendered({8});
  decoded(0, 0);
  EXPECT_EQ(failures(), 0u);
  EXPECT_EQ(times_reached("RENDER-006"), 0u);
}

TEST_F(Render006, EveryElementOfAFieldIsJudged) {
  rendered({8, 8, 8});
  decoded(0, 0);
  EXPECT_EQ(failures(), 3u);
}

TEST_F(Render006, ANarrowFieldLeadsToTheWholeAddress) {
  place_ = 0x12'0000'0000;
  rendered({8, 24});
  decoded(0, place_, 4);
  decoded(16, 0, 4);
  EXPECT_EQ(failures(), 1u);
}

// One allocation at two offsets: each field has its own.
TEST_F(Render006, AFieldLeadsToTheOffsetOfItsElement) {
  add(ev::RenderCalled{.allocations = 1},
      std::vector<AllocationRecord>{
          {.address = kPlace, .size = 8192, .allocation = 0, .segment = 1}});
  add(ev::Rendered{.dma_used = 1024},
      std::vector<PatchRecord>{{.allocation_offset = 256, .patch_offset = 8},
                               {.allocation_offset = 4096, .patch_offset = 24}});
  decoded(0, kPlace + 256);
  decoded(16, kPlace);
  EXPECT_EQ(failures(), 1u);
}

TEST_F(Render006, TheListIsThatOfTheLatestCall) {
  rendered({8});
  decoded(0, kPlace);
  rendered({24});
  decoded(0, 0);
  decoded(16, kPlace);
  EXPECT_EQ(failures(), 0u);
}

}  // namespace
}  // namespace wddm::render_006
