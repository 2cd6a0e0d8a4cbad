// Elements of one split point, by one command that is several of the hardware and by two.
#include "conformance/rules/tests/list_test.h"
#include "conformance/sdk/client.h"

namespace wddm::split_007 {
namespace {

// Two commands of the hardware, at bytes 0 and 16, that access slot 0.
class Split007 : public ListTest {
 protected:
  void accesses() {
    std::vector<WddmDecoded> commands(2);
    for (WddmDecoded& command : commands) {
      command.length = 16;
      command.kind = WDDM_COMMAND_FILL;
      command.source_slot = kNone;
    }
    commands[1].offset = 16;
    add(ev::Decoded{.end = 32, .count = 2}, commands);
  }
};

TEST_F(Split007, ACommandMadeOfTwoNamesItsAllocationTwice) {
  render({{.patch_offset = 4}, {.patch_offset = 20}});
  accesses();
  EXPECT_TRUE(holds("SPLIT-007"));
}

TEST_F(Split007, AnotherAllocationTakesAnotherSplitPoint) {
  render({{.patch_offset = 4}, {.allocation_index = 1, .patch_offset = 20}});
  accesses();
  EXPECT_FALSE(holds("SPLIT-007"));
}

// Three draws of hardware whose commands hold addresses and know no slots.
TEST_F(Split007, WithoutSlotsTheElementsOfTheFieldsTell) {
  std::vector<WddmDecoded> draws(3);
  for (std::uint32_t i = 0; i < 3; ++i) {
    draws[i] = command_with(0x1000 * (i + 1), 8);
    draws[i].kind = WDDM_COMMAND_FILL;
    draws[i].offset = 16 * i;
    draws[i].address_offset[0] = 16 * i + 8;
    draws[i].slot = draws[i].source_slot = kNone;
  }
  render({{.patch_offset = 8},
          {.allocation_index = 1, .patch_offset = 24},
          {.allocation_index = 0, .patch_offset = 40}});
  add(ev::Decoded{.end = 48, .count = 3}, draws);
  EXPECT_FALSE(holds("SPLIT-007"));
}

TEST_F(Split007, WhereNoAccessIsKnownNothingIsJudged) {
  render({{.patch_offset = 4}, {.allocation_index = 1, .patch_offset = 20}});
  EXPECT_EQ(times_reached("SPLIT-007"), 0u);
}

}  // namespace
}  // namespace wddm::split_007
