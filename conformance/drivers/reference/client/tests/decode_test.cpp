// DMA buffers read back: commands, slots, address fields, and ranges that are no whole commands.
#include <gtest/gtest.h>

#include <vector>

#include "conformance/drivers/reference/device/hw.h"
#include "conformance/sdk/client.h"

namespace wddm::reference_client {
namespace {

std::vector<WddmDecoded> decode(const std::vector<std::uint32_t>& words, int* count) {
  std::vector<WddmDecoded> out(16);
  *count = WddmClientEntry(WDDM_CLIENT_VERSION)
               ->decode(nullptr, words.data(), static_cast<std::uint32_t>(words.size() * 4),
                        out.data(), sizeof(WddmDecoded), static_cast<std::uint32_t>(out.size()));
  return out;
}

TEST(DecodeTest, BaseCommandsShowTheirAddressField) {
  int count = 0;
  const auto out =
      decode({HW_COMMAND(HW_OP_NOP, 1, 0, 0), HW_COMMAND(HW_OP_SET_BASE, 4, 3, 0), 0, 0x1000, 0x2},
             &count);
  ASSERT_EQ(count, 2);
  EXPECT_EQ(out[1].kind, 0u);
  EXPECT_EQ(out[1].offset, 4u);
  EXPECT_EQ(out[1].length, 16u);
  EXPECT_EQ(out[1].address_count, 1u);
  EXPECT_EQ(out[1].address_offset[0], 12u);
  EXPECT_EQ(out[1].address[0], 0x200001000u);
}

TEST(DecodeTest, AccessesNameTheirSlots) {
  int count = 0;
  const auto out = decode({HW_COMMAND(HW_OP_FILL, 3, 4, 1), 0, 64,     //
                           HW_COMMAND(HW_OP_COPY, 4, 5, 6), 0, 0, 64,  //
                           HW_COMMAND(HW_OP_ADD, 2, 7, 0), 0,          //
                           HW_COMMAND(HW_OP_SPIN, 2, 0, 0), 9},
                          &count);
  ASSERT_EQ(count, 4);
  EXPECT_EQ(out[0].slot, 4u);
  EXPECT_EQ(out[0].source_slot, ~0u);
  EXPECT_EQ(out[1].slot, 5u);
  EXPECT_EQ(out[1].source_slot, 6u);
  EXPECT_EQ(out[2].slot, 7u);
  EXPECT_EQ(out[2].source_slot, 7u);
  EXPECT_EQ(out[3].kind, static_cast<std::uint32_t>(WDDM_COMMAND_SPIN));
  EXPECT_EQ(out[3].slot, ~0u);
}

TEST(DecodeTest, PagingCommandsShowOnlyGpuAddresses) {
  int count = 0;
  const auto out = decode({HW_COMMAND(HW_OP_PAGING_COPY, 6, HW_SPACE_SYSTEM, HW_SPACE_GPU), 4096,
                           0x5000, 0, 0x10000000, 0},
                          &count);
  ASSERT_EQ(count, 1);
  EXPECT_EQ(out[0].kind, static_cast<std::uint32_t>(WDDM_COMMAND_COPY));
  ASSERT_EQ(out[0].address_count, 1u);
  EXPECT_EQ(out[0].address_offset[0], 16u);
  EXPECT_EQ(out[0].address[0], 0x10000000u);
}

TEST(DecodeTest, PagingCommandsSayWhichAddressesArePhysical) {
  int count = 0;
  const auto out = decode({HW_COMMAND(HW_OP_PAGING_COPY, 6, HW_SPACE_VIRTUAL, HW_SPACE_GPU),
                           4096,
                           0x5000,
                           0,
                           0x10000000,
                           0,  //
                           HW_COMMAND(HW_OP_WRITE_ENTRIES, 6, HW_SPACE_GPU, 0),
                           0,
                           0x7000,
                           0,
                           1,
                           0,  //
                           HW_COMMAND(HW_OP_REPEAT_ENTRY, 6, HW_SPACE_VIRTUAL, 0),
                           9,
                           0x8000,
                           0,
                           1,
                           0,  //
                           HW_COMMAND(HW_OP_TLB_FLUSH, 6, 0, 0),
                           1,
                           0,
                           0,
                           0,
                           0},
                          &count);
  ASSERT_EQ(count, 4);
  EXPECT_EQ(out[0].address_count, 2u);
  EXPECT_EQ(out[0].physical_addresses, 1u);
  EXPECT_EQ(out[0].address[1], 0x5000u);
  EXPECT_EQ(out[1].address[0], 0x7000u);
  EXPECT_EQ(out[1].physical_addresses, 1u);
  EXPECT_EQ(out[2].physical_addresses, 0u);
  EXPECT_EQ(out[3].address_count, 0u);
}

TEST(DecodeTest, CountsBeyondTheCapacity) {
  const std::vector<std::uint32_t> words(5, HW_COMMAND(HW_OP_NOP, 1, 0, 0));
  EXPECT_EQ(WddmClientEntry(WDDM_CLIENT_VERSION)
                ->decode(nullptr, words.data(), 20, nullptr, sizeof(WddmDecoded), 0),
            5);
}

TEST(DecodeTest, EmptyRangeHasNoCommands) {
  int count = -2;
  static_cast<void>(decode({}, &count));
  EXPECT_EQ(count, 0);
}

TEST(DecodeTest, RejectsWhatIsNotWholeCommands) {
  int count = 0;
  static_cast<void>(decode({HW_COMMAND(HW_OP_SPIN, 2, 0, 0)}, &count));
  EXPECT_EQ(count, -1) << "cut off";
  static_cast<void>(decode({0}, &count));
  EXPECT_EQ(count, -1) << "no such command";
  static_cast<void>(decode({HW_COMMAND(HW_OP_USER_UNBIND, 1, 0, 0)}, &count));
  EXPECT_EQ(count, -1) << "user-mode format";
  static_cast<void>(decode({HW_COMMAND(HW_OP_FILL, 4, 0, 0), 0, 0, 0}, &count));
  EXPECT_EQ(count, -1) << "wrong length";
}

}  // namespace
}  // namespace wddm::reference_client
