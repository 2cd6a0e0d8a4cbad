// Command buffers with GPU virtual addresses, and entries of page tables read back.
#include "conformance/drivers/reference/client/tests/bench_client.h"

namespace wddm::reference_client {
namespace {

class VirtualBuildTest : public BenchClient {
 protected:
  VirtualBuildTest() { addresses = {0x10000, 0x20000, 0x123450000}; }
};

TEST_F(VirtualBuildTest, SlotsAreSetToTheAddressesOfTheirAllocations) {
  address_bits = 40;
  ASSERT_EQ(build({bind(3, 2)}), 0);
  EXPECT_EQ(opcodes(), (Opcodes{HW_OP_SET_BASE, HW_OP_CLEAR_BASE}));
  EXPECT_EQ(HW_COMMAND_A(words[0]), 3u);
  EXPECT_EQ(words[2], 0x23450000u);
  EXPECT_EQ(words[3], 0x1u);
}

TEST_F(VirtualBuildTest, ListNamesWhatIsUsedAndThereAreNoPatches) {
  ASSERT_EQ(build({bind(0, 1), bind(1, 0), command(WDDM_COMMAND_COPY, 1, 64, 0, /*source=*/0)}), 0);
  ASSERT_EQ(result.allocation_count, 2u);
  EXPECT_EQ(list[0].allocation, 1u);
  EXPECT_EQ(list[0].write, 0u);
  EXPECT_EQ(list[1].allocation, 0u);
  EXPECT_EQ(list[1].write, 1u);
  EXPECT_EQ(result.patch_count, 0u);
}

TEST_F(VirtualBuildTest, PrivateDataTellsTheLengthOfTheBuffer) {
  ASSERT_EQ(build({bind(0, 0)}), 0);
  ASSERT_EQ(result.private_data_bytes, sizeof(UmdSubmissionData));
  UmdSubmissionData data{};
  std::memcpy(&data, private_data.data(), sizeof data);
  EXPECT_EQ(data.magic, UMD_SUBMISSION_MAGIC);
  EXPECT_EQ(data.command_bytes, result.command_bytes);
}

TEST_F(VirtualBuildTest, PrivateDataIsLeftOutWhereThereIsNoRoom) {
  private_data.resize(8);
  ASSERT_EQ(build({bind(0, 0)}), 0);
  EXPECT_EQ(result.private_data_bytes, 0u);
}

TEST_F(VirtualBuildTest, PrivilegedCommandsWriteByPhysicalAddress) {
  WddmCommand one = command(WDDM_COMMAND_PRIVILEGED, 0, 8, 7);
  one.address = 0x400000200;
  one.segment = 3;
  ASSERT_EQ(build({one}), 0);
  EXPECT_EQ(opcodes(), Opcodes{HW_OP_PAGING_FILL});
  EXPECT_EQ(HW_COMMAND_B(words[0]), HW_SPACE_GPU);
  EXPECT_EQ(words[3], 0x200u);
  EXPECT_EQ(words[4], 0x4u);
  EXPECT_EQ(result.allocation_count, 0u);
  one.slot = 1;
  one.segment = 0;
  ASSERT_EQ(build({one}), 0);
  EXPECT_EQ(opcodes(), Opcodes{HW_OP_REPEAT_ENTRY});
  EXPECT_EQ(HW_COMMAND_A(words[0]), HW_SPACE_SYSTEM);
  EXPECT_EQ(words[1], 1u);
  one.slot = 2;
  EXPECT_EQ(build({one}), -1);
}

TEST_F(VirtualBuildTest, AddressBeyondTheAddressSpaceIsRefused) {
  address_bits = 32;
  EXPECT_EQ(build({bind(0, 1)}), 0);
  EXPECT_EQ(build({bind(0, 2)}), -1);
}

TEST_F(VirtualBuildTest, EveryCommandIsOneOfTheHardware) {
  ASSERT_EQ(build({bind(0, 0), bind(1, 1), command(WDDM_COMMAND_FILL, 0, 64, 7),
                   command(WDDM_COMMAND_COPY, 1, 64, 0, 0), command(WDDM_COMMAND_SPIN, 0, 5, 0)}),
            0);
  std::vector<WddmDecoded> decoded(16);
  const int count = client->decode(self, words.data(), result.command_bytes, decoded.data(),
                                   sizeof(WddmDecoded), 16);
  ASSERT_EQ(count, 8);
  EXPECT_EQ(decoded[1].address_count, 1u);
  EXPECT_EQ(decoded[1].address[0], 0x10000u);
  EXPECT_EQ(decoded[1].physical_addresses, 0u);
}

// As a host that was built before there were addresses.
TEST_F(VirtualBuildTest, ShortRequestMeansPatchLists) {
  request_size = offsetof(WddmBuildRequest, allocation_addresses);
  ASSERT_EQ(build({bind(0, 0)}), 0);
  EXPECT_EQ(opcodes(), (Opcodes{HW_OP_USER_BIND, HW_OP_USER_UNBIND}));
}

class DecodeEntryTest : public testing::Test {
 protected:
  static WddmPageTable table(std::uint32_t level, bool dual = false) {
    return {.size = sizeof(WddmPageTable),
            .level = level,
            .level_count = 3,
            .page_bytes = 4096,
            .dual = dual ? 1u : 0u,
            .adapter = 0};
  }
  WddmTableEntry read(const WddmPageTable& table, std::uint64_t first, std::uint64_t second = 0) {
    const std::uint64_t halves[2] = {first, second};
    WddmTableEntry out{};
    out.size = sizeof out;
    bytes = WddmClientEntry(WDDM_CLIENT_VERSION)->decode_entry(nullptr, &table, halves, &out);
    return out;
  }
  int bytes = 0;
};

TEST_F(DecodeEntryTest, SaysEveryBit) {
  constexpr std::uint64_t kAddress = 0x123456000;
  const struct {
    std::uint64_t hardware;
    std::uint32_t flag;
  } bits[] = {{HW_PTE_ZERO, WDDM_ENTRY_ZERO},
              {HW_PTE_COHERENT, WDDM_ENTRY_COHERENT},
              {HW_PTE_READ_ONLY, WDDM_ENTRY_READ_ONLY},
              {HW_PTE_NO_EXECUTE, WDDM_ENTRY_NO_EXECUTE},
              {HW_PTE_SYSTEM, WDDM_ENTRY_SYSTEM}};
  for (const auto& bit : bits) {
    const WddmTableEntry entry = read(table(0), HW_PTE_VALID | bit.hardware | kAddress);
    EXPECT_EQ(entry.target.flags, WDDM_ENTRY_VALID | bit.flag);
    EXPECT_EQ(entry.target.address, kAddress);
  }
  EXPECT_EQ(read(table(0), HW_PTE_VALID | 5ull << HW_PTE_DRIVER_SHIFT).target.driver_protection,
            5u);
}

TEST_F(DecodeEntryTest, InvalidEntrySaysNothingElse) {
  const WddmTableEntry entry = read(table(0), ~HW_PTE_VALID);
  EXPECT_EQ(entry.target.flags, 0u);
  EXPECT_EQ(entry.target.address, 0u);
}

TEST_F(DecodeEntryTest, BitsCountOnlyAtTheirLevels) {
  const std::uint64_t both = HW_PTE_VALID | HW_PTE_LARGE | HW_PTE_LEAF_64KB;
  EXPECT_EQ(read(table(0), both).target.flags, WDDM_ENTRY_VALID);
  EXPECT_EQ(read(table(1), both).target.flags,
            WDDM_ENTRY_VALID | WDDM_ENTRY_LARGE | WDDM_ENTRY_LEAF_64KB);
  EXPECT_EQ(read(table(2), both).target.flags, WDDM_ENTRY_VALID | WDDM_ENTRY_LARGE);
}

TEST_F(DecodeEntryTest, DualEntryIsAPairAtLevel1Only) {
  const WddmTableEntry entry =
      read(table(1, true), HW_PTE_VALID | 0x1000, HW_PTE_VALID | HW_PTE_SYSTEM | 0x2000);
  EXPECT_EQ(bytes, 16);
  EXPECT_EQ(entry.target.address, 0x1000u);
  EXPECT_EQ(entry.target_64kb.address, 0x2000u);
  EXPECT_EQ(entry.target_64kb.flags, WDDM_ENTRY_VALID | WDDM_ENTRY_SYSTEM);
  static_cast<void>(read(table(2, true), 0));
  EXPECT_EQ(bytes, 8);
}

TEST_F(DecodeEntryTest, WithoutAnEntryOnlyItsSizeIsTold) {
  const WddmPageTable leaf = table(0);
  EXPECT_EQ(WddmClientEntry(WDDM_CLIENT_VERSION)->decode_entry(nullptr, &leaf, nullptr, nullptr),
            8);
}

TEST_F(DecodeEntryTest, TableThatTheGpuDoesNotHaveIsRefused) {
  static_cast<void>(read(table(3), 0));
  EXPECT_EQ(bytes, -1);
  WddmPageTable large = table(1);
  large.page_bytes = 65536;
  static_cast<void>(read(large, 0));
  EXPECT_EQ(bytes, -1) << "no leaf";
}

}  // namespace
}  // namespace wddm::reference_client
