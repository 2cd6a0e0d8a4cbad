// What a patched field must hold.
#include "conformance/rules/tests/trace_test.h"
#include "conformance/sdk/client.h"

namespace wddm::patch_001 {
namespace {

constexpr std::uint64_t kPlace = 0x12'0000'0000;  // beyond 32 bits

class Patch001 : public TraceTest {
 protected:
  // One element at PatchOffset 8 that leads 256 bytes into an allocation at kPlace.
  void patched(std::uint64_t address, std::uint32_t width, std::uint32_t hostile = 0) {
    add(ev::Rendered{.dma_used = 16, .hostile = hostile},
        std::vector<PatchRecord>{{.allocation_offset = 256, .patch_offset = 8}});
    add(ev::PatchAddresses{},
        std::vector<AllocationRecord>{
            {.address = kPlace, .size = 4096, .allocation = 0, .segment = 1}});
    add(ev::Patched{.end = 16, .count = 1});
    add(
        ev::Decoded{
            .end = 16, .count = 1, .stage = static_cast<std::uint32_t>(DmaStage::AfterPatch)},
        std::vector{command_with(address, width)});
  }
  // One call of several, and the bytes that it changed.
  void call(std::uint32_t round, std::uint64_t place, const std::vector<RangeRecord>& changed,
            std::uint32_t segment = 1) {
    add(ev::PatchAddresses{.round = round},
        std::vector<AllocationRecord>{
            {.address = place, .size = 4096, .allocation = 0, .segment = segment}});
    add(ev::Patched{.end = 16, .count = 1, .round = round}, changed);
  }
  // A packet is patched for another place, for its own, and so a fresh copy.
  void patched_twice(const std::vector<RangeRecord>& changed, std::uint32_t first_segment = 1) {
    add(ev::Rendered{.dma_used = 16},
        std::vector<PatchRecord>{{.allocation_offset = 256, .patch_offset = 8}});
    call(0, kPlace + 4096, {}, first_segment);
    call(1, kPlace, changed);
    call(2, kPlace, {});
    add(
        ev::Decoded{
            .end = 16, .count = 1, .stage = static_cast<std::uint32_t>(DmaStage::AfterPatch)},
        std::vector{command_with(kPlace + 256, 8)});
  }
  bool holds() { return TraceTest::holds("PATCH-001"); }
};

TEST_F(Patch001, AFieldHoldsTheAddressPlusTheOffset) {
  patched(kPlace + 256, 8);
  EXPECT_TRUE(holds());
}

TEST_F(Patch001, AFieldWithoutTheOffsetIsWrong) {
  patched(kPlace, 8);
  EXPECT_FALSE(holds());
}

TEST_F(Patch001, OfAlteredCommandsNobodyKnowsTheForm) {
  patched(kPlace, 8, 1);
  EXPECT_TRUE(holds());
  EXPECT_EQ(times_reached("PATCH-001"), 0u);
}

TEST_F(Patch001, ANarrowFieldLeadsToTheWholeAddress) {
  patched(kPlace + 256, 4);
  EXPECT_TRUE(holds());
}

TEST_F(Patch001, ANarrowFieldThatLostTheUpperHalfIsWrong) {
  patched(256, 4);
  EXPECT_FALSE(holds());
}

TEST_F(Patch001, AFieldOfAPacketThatHasBegunChangesWithItsAddress) {
  add(ev::Submitted{});
  patched_twice({{.offset = 9, .length = 1}});
  EXPECT_TRUE(holds());
  EXPECT_EQ(times_reached("PATCH-001"), 2u);
}

TEST_F(Patch001, AFieldOfAPacketThatHasBegunStays) {
  add(ev::Submitted{});
  patched_twice({{.offset = 4, .length = 4}});  // what lies before it
  EXPECT_FALSE(holds());
}

// Two elements beside each other, of which a move changes the first.
class Patch001Parts : public Patch001 {
 protected:
  void patched_in_part(const WddmDecoded& command, std::uint32_t second_offset = 256) {
    add(ev::Submitted{});
    add(ev::Rendered{.dma_used = 16},
        std::vector<PatchRecord>{{.allocation_offset = 256, .patch_offset = 4},
                                 {.allocation_offset = second_offset, .patch_offset = 8}});
    call_of_two(0, kPlace + 4096, {});
    call_of_two(1, kPlace, {{.offset = 5, .length = 1}});
    call_of_two(2, kPlace, {});
    add(
        ev::Decoded{
            .end = 16, .count = 1, .stage = static_cast<std::uint32_t>(DmaStage::AfterPatch)},
        std::vector{command});
  }
  // Each of them has a field of its own.
  static WddmDecoded command_with_two(std::uint64_t first, std::uint64_t second) {
    WddmDecoded command = command_with(first, 4);
    command.address_offset[0] = 4;
    command.address_count = 2;
    command.address_offset[1] = 8;
    command.address_width[1] = 4;
    command.address[1] = second;
    return command;
  }

 private:
  void call_of_two(std::uint32_t round, std::uint64_t place,
                   const std::vector<RangeRecord>& changed) {
    add(ev::PatchAddresses{.round = round},
        std::vector<AllocationRecord>{
            {.address = place, .size = 4096, .allocation = 0, .segment = 1}});
    add(ev::Patched{.end = 16, .count = 2, .round = round}, changed);
  }
};

TEST_F(Patch001Parts, OfOneAddressNotEachChanges) {
  patched_in_part(command_with(kPlace + 256, 4));
  EXPECT_TRUE(holds());
}

TEST_F(Patch001Parts, NorWhereEachIsKnownToLeadThere) {
  patched_in_part(command_with_two(kPlace + 256, kPlace + 256));
  EXPECT_TRUE(holds());
}

TEST_F(Patch001Parts, OfTwoAddressesEachDoes) {
  patched_in_part(command_with_two(kPlace + 256, kPlace + 512), 512);
  EXPECT_EQ(failures("PATCH-001"), 1u);
}

TEST_F(Patch001, OfAPacketThatNeverBeganTheLastCallCounts) {
  patched_twice({});
  EXPECT_TRUE(holds());
  EXPECT_EQ(times_reached("PATCH-001"), 1u);
}

TEST_F(Patch001, WhatNamesAnotherSegmentMayStandElsewhere) {
  add(ev::Submitted{});
  patched_twice({}, 2);
  EXPECT_TRUE(holds());
}

}  // namespace
}  // namespace wddm::patch_001
