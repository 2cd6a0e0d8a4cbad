// Elements of one split point, by one command that is several of the hardware and by two.
#include "conformance/sdk/client.h"
#include "conformance/rules/tests/list_test.h"

namespace wddm {
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

}  // namespace
}  // namespace wddm
