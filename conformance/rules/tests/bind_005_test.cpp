// Addresses in a buffer after Patch, beside what the slots hold there.
#include "conformance/rules/tests/trace_test.h"
#include "conformance/sdk/client.h"

namespace wddm::bind_005 {
namespace {

constexpr std::uint64_t kFirst = 0x10000, kSecond = 0x20000;

// Two commands of hardware without slots; one slot, which the second element gives another
// allocation or none.
class Bind005 : public TraceTest {
 protected:
  void rendered(std::uint32_t second_entry) {
    const std::vector<AllocationRecord> list{
        {.address = kFirst, .size = 4096, .allocation = 0, .segment = 1},
        {.address = second_place_, .size = 4096, .allocation = 1, .segment = second_segment_},
        {.allocation = kNone}};
    add(ev::RenderCalled{}, list);
    add(ev::Rendered{.dma_used = 32, .dma_given = 64},
        std::vector<PatchRecord>{
            {.allocation_index = 0, .patch_offset = 8},
            {.allocation_index = second_entry, .patch_offset = 24, .split_offset = 16}});
    add(ev::PatchAddresses{}, list);
    add(ev::Patched{.end = 32, .count = 2});
  }
  void decoded(std::uint64_t first, std::uint64_t second) {
    std::vector<WddmDecoded> commands{command_with(first, 8), command_with(second, 8)};
    for (WddmDecoded& command : commands) {
      command.kind = WDDM_COMMAND_FILL;
      command.slot = command.source_slot = kNone;
    }
    commands[1].offset = 16;
    commands[1].address_offset[0] = 24;
    add(
        ev::Decoded{
            .end = 32, .count = 2, .stage = static_cast<std::uint32_t>(DmaStage::AfterPatch)},
        commands);
  }
  bool holds() { return TraceTest::holds("BIND-005"); }

  std::uint64_t second_place_ = kSecond;
  std::uint32_t second_segment_ = 1;
};

TEST_F(Bind005, EachCommandUsesWhatItsSlotHolds) {
  rendered(1);
  decoded(kFirst, kSecond);
  EXPECT_TRUE(holds());
  EXPECT_EQ(times_reached("BIND-005"), 2u);
}

TEST_F(Bind005, ACommandUsesWhatWasReplaced) {
  rendered(1);
  decoded(kFirst, kFirst);
  EXPECT_FALSE(holds());
}

TEST_F(Bind005, ACommandUsesWhatWasReleased) {
  rendered(2);
  decoded(kFirst, kFirst);
  EXPECT_FALSE(holds());
}

// An aperture has a page table of its own, and may have the addresses that memory has.
TEST_F(Bind005, AnotherSegmentHasTheSameAddresses) {
  second_place_ = kFirst;
  second_segment_ = 2;
  rendered(1);
  decoded(kFirst, kFirst);
  EXPECT_TRUE(holds());
  EXPECT_EQ(times_reached("BIND-005"), 2u);
}

TEST_F(Bind005, OfTwoAllocationsAtAnAddressNoneIsHeld) {
  second_place_ = kFirst;
  second_segment_ = 2;
  rendered(2);
  decoded(kFirst, kFirst);
  EXPECT_FALSE(holds());
}

TEST_F(Bind005, MemoryThatNoElementNamesIsTheDriversOwn) {
  rendered(1);
  decoded(kFirst, 0x90000);
  EXPECT_TRUE(holds());
}

TEST_F(Bind005, VirtualAddressesSayNothing) {
  platform_.scheduling.value = 4 | 8;
  rendered(1);
  decoded(kFirst, kFirst);
  EXPECT_TRUE(holds());
}

}  // namespace
}  // namespace wddm::bind_005
