// Which elements list a field.
#include "conformance/rules/tests/trace_test.h"
#include "conformance/sdk/client.h"

namespace wddm::render_007 {
namespace {

constexpr std::uint64_t kPlace = 0x10000;

class Render007 : public TraceTest {
 protected:
  // A command with an address of the allocation at byte 8, and one element for that byte.
  bool holds_with(std::uint32_t allocation_index, std::uint64_t place = kPlace) {
    add(ev::RenderCalled{}, std::vector<AllocationRecord>{
                                {.address = place, .size = 4096, .allocation = 0, .segment = 1},
                                {.allocation = kNone}});
    add(ev::Rendered{.dma_used = 16},
        std::vector<PatchRecord>{{.allocation_index = allocation_index, .patch_offset = 8}});
    add(ev::Decoded{.end = 16, .count = 1}, std::vector{command_with(place, 8)});
    return holds("RENDER-007");
  }
};

TEST_F(Render007, AnElementThatNamesAnAllocationListsItsField) {
  EXPECT_TRUE(holds_with(0));
}

TEST_F(Render007, AReleaseListsNoField) {
  EXPECT_FALSE(holds_with(1));
}

TEST_F(Render007, AnIndexBehindTheListListsNoField) {
  EXPECT_FALSE(holds_with(2));
}

TEST_F(Render007, AReleaseMayEmptyASlotByAddressZeroWhereAnAllocationLies) {
  EXPECT_TRUE(holds_with(1, 0));
  EXPECT_EQ(times_reached("RENDER-007"), 0u);
}

TEST_F(Render007, AddressZeroThatNoReleaseNamesIsAReference) {
  EXPECT_FALSE(holds_with(2, 0));
}

}  // namespace
}  // namespace wddm::render_007
