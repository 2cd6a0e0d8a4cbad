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
  // The next buffer, with one allocation.
  void render_next(const std::vector<PatchRecord>& elements) {
    ++number_;
    add(ev::RenderCalled{.render = number_, .context = context_},
        std::vector<AllocationRecord>{{.size = 0x1000, .allocation = 0}});
    add(ev::Rendered{.render = number_, .dma_used = 64, .dma_given = 4096}, elements);
  }
  // Two commands of hardware with slots, which hold no address, in the latest buffer. Before them
  // something may be loaded from an address that nobody patches.
  void slot_commands(std::uint32_t first, std::uint32_t second, std::uint64_t loaded = 0) {
    std::vector<WddmDecoded> all;
    if (loaded != 0) all.push_back(command_with(loaded, 8));
    for (const std::uint32_t slot : {first, second}) {
      WddmDecoded command{};
      command.offset = static_cast<std::uint32_t>(all.size()) * 16;
      command.length = 16;
      command.kind = WDDM_COMMAND_FILL;
      command.slot = slot;
      command.source_slot = kNone;
      all.push_back(command);
    }
    // The load has its field where no element has one.
    if (loaded != 0) all.front().address_offset[0] = 12;
    const auto count = static_cast<std::uint32_t>(all.size());
    add(ev::Decoded{.render = number_, .end = count * 16, .count = count}, all);
  }
  bool holds() { return TraceTest::holds("SPLIT-003"); }

  std::uint32_t number_ = 0, context_ = 0;
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
  // Of the second command the field and the access: the first is needed from the start on.
  EXPECT_EQ(times_reached("SPLIT-003"), 2u);
}

TEST_F(Split003, ACommandComesBeforeTheSplitPointOfItsSlot) {
  render({{.value = 1, .patch_offset = 24, .split_offset = 16}});
  slot_commands(1, 1);
  EXPECT_FALSE(holds());
}

// Hardware with slots: a command of the first buffer, and one of the second.
TEST_F(Split003, ASlotThatAnEarlierBufferAloneHasNamed) {
  render({{.value = 1, .patch_offset = 8}});
  slot_commands(1, 1);
  render_next({{.value = 2, .patch_offset = 8}});
  slot_commands(2, 1);
  EXPECT_EQ(failures("SPLIT-003"), 1u);
}

TEST_F(Split003, EachBufferNamesTheSlotsThatItUses) {
  render({{.value = 1, .patch_offset = 8}});
  slot_commands(1, 1);
  render_next({{.value = 1, .patch_offset = 8}});
  slot_commands(1, 1);
  EXPECT_TRUE(holds());
  EXPECT_EQ(times_reached("SPLIT-003"), 2u);  // the accesses of the second buffer
}

TEST_F(Split003, ASlotThatNoListHasNamedIsTheDriversOwn) {
  render({{.value = 1, .patch_offset = 8}});
  slot_commands(1, 7);
  render_next({{.value = 1, .patch_offset = 8}});
  slot_commands(1, 7);
  EXPECT_TRUE(holds());
}

TEST_F(Split003, ASlotThatIsLoadedWithMemoryOfTheDriversOwn) {
  render({{.value = 1, .patch_offset = 8}});
  slot_commands(1, 1);
  render_next({{.value = 2, .patch_offset = 8}});
  slot_commands(2, 1, 0x7000);
  EXPECT_TRUE(holds());
}

TEST_F(Split003, AnotherContextHasNamedIt) {
  render({{.value = 1, .patch_offset = 8}});
  slot_commands(1, 1);
  context_ = 1;
  render_next({{.value = 2, .patch_offset = 8}});
  slot_commands(2, 1);
  EXPECT_TRUE(holds());
}

}  // namespace
}  // namespace wddm::split_003
