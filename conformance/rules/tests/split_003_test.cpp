// Accesses before an allocation is needed, and fields that nobody patches.
#include "conformance/rules/tests/list_test.h"
#include "conformance/sdk/client.h"

namespace wddm::split_003 {
namespace {

class Split003 : public ListTest {
 protected:
  // Two commands of hardware without slots: each has an address at its third word.
  void commands() {
    std::vector<WddmDecoded> both{command_with(0x1000, 8), command_with(0x2000, 8)};
    for (WddmDecoded& command : both) {
      command.kind = WDDM_COMMAND_FILL;
      command.slot = command.source_slot = kNone;
    }
    both[1].offset = 16;
    both[1].address_offset[0] = 24;
    add(ev::Decoded{.end = 32, .count = 2}, both);
  }
  bool holds() { return TraceTest::holds("SPLIT-003"); }
};

TEST_F(Split003, AFieldBeforeItsSplitPoint) {
  render({{.patch_offset = 8, .split_offset = 16}});
  EXPECT_FALSE(holds());
}

TEST_F(Split003, WithNoDmaPatchingAFieldSaysNothing) {
  platform_.scheduling.value = 4 | 8;
  render({{.patch_offset = 0, .split_offset = 16}});
  EXPECT_TRUE(holds());
  EXPECT_EQ(times_reached("SPLIT-003"), 0u);
}

TEST_F(Split003, ACommandThatKnowsNoSlotUsesThatOfItsField) {
  render({{.value = 1, .patch_offset = 8}, {.value = 2, .patch_offset = 24, .split_offset = 16}});
  commands();
  EXPECT_TRUE(holds());
  EXPECT_EQ(times_reached("SPLIT-003"), 4u);  // two fields, two accesses
}

}  // namespace
}  // namespace wddm::split_003
