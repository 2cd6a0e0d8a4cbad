// Build, translate in the simplest way a driver could, decode: the commands come back.
#include <gtest/gtest.h>

#include <vector>

#include "conformance/drivers/reference/device/hw.h"
#include "conformance/sdk/client.h"

namespace wddm::reference_client {
namespace {

// Bindings become base commands with an address that tells the list index; the rest is copied.
std::vector<std::uint32_t> translate(const std::uint32_t* words, std::uint32_t count) {
  std::vector<std::uint32_t> dma;
  for (std::uint32_t at = 0; at < count; at += HW_COMMAND_WORDS(words[at])) {
    const std::uint32_t slot = HW_COMMAND_A(words[at]);
    if (HW_COMMAND_OPCODE(words[at]) == HW_OP_USER_BIND) {
      dma.insert(dma.end(), {HW_COMMAND(HW_OP_SET_BASE, 4, slot, 0), 0, words[at + 1] << 12, 0});
    } else if (HW_COMMAND_OPCODE(words[at]) == HW_OP_USER_UNBIND) {
      dma.insert(dma.end(), {HW_COMMAND(HW_OP_CLEAR_BASE, 4, slot, 0), 0, 0, 0});
    } else {
      dma.insert(dma.end(), words + at, words + at + HW_COMMAND_WORDS(words[at]));
    }
  }
  return dma;
}

WddmCommand command(std::uint32_t kind, std::uint32_t slot, std::uint32_t source,
                    std::uint32_t size, std::uint32_t value) {
  WddmCommand c{};
  c.kind = kind;
  c.slot = slot;
  c.source_slot = source;
  c.size = size;
  c.value = value;
  return c;
}

TEST(RoundTripTest, DecodedCommandsAreTheBuiltOnes) {
  const WddmClient* client = WddmClientEntry(WDDM_CLIENT_VERSION);
  void* self = client->create();
  const std::vector<WddmCommand> commands{
      command(WDDM_COMMAND_BIND, 1, 0, 0, 0),   command(WDDM_COMMAND_BIND, 2, 0, 0, 0),
      command(WDDM_COMMAND_FILL, 1, 0, 256, 7), command(WDDM_COMMAND_COPY, 2, 1, 128, 0),
      command(WDDM_COMMAND_WAIT, 3, 0, 0, 5),   command(WDDM_COMMAND_ADD, 2, 0, 0, 9),
      command(WDDM_COMMAND_SIGNAL, 3, 0, 0, 6), command(WDDM_COMMAND_SPIN, 0, 0, 40, 0)};
  const std::uint64_t size = 4096;
  const WddmBuildRequest request{.size = sizeof(request),
                                 .command_stride = sizeof(WddmCommand),
                                 .commands = commands.data(),
                                 .command_count = static_cast<std::uint32_t>(commands.size()),
                                 .allocation_count = 1,
                                 .allocation_sizes = &size,
                                 .slot_count = 16,
                                 .node = 0,
                                 .allocation_addresses = nullptr,
                                 .command_address = 0,
                                 .address_bits = 0,
                                 .reserved = 0,
                                 .dma_buffer_bytes = 0,
                                 .allocation_list_size = 0,
                                 .patch_location_list_size = 0,
                                 .private_data_bytes = 0,
                                 .context_state = WDDM_CONTEXT_STATE_UNKNOWN,
                                 .state_bytes = 0,
                                 .state = nullptr,
                                 .state_commands = 0,
                                 .reserved2 = 0};
  std::vector<std::uint32_t> words(64);
  std::vector<WddmListAllocation> list(4);
  std::vector<WddmPatchLocation> patches(4);
  WddmBuildResult result{.size = sizeof(result),
                         .command_bytes = 256,
                         .command_buffer = words.data(),
                         .allocation_count = 4,
                         .allocation_stride = sizeof(WddmListAllocation),
                         .allocations = list.data(),
                         .patch_count = 4,
                         .patch_stride = sizeof(WddmPatchLocation),
                         .patches = patches.data(),
                         .private_data = nullptr,
                         .private_data_bytes = 0,
                         .reserved = 0,
                         .state = nullptr,
                         .state_bytes = 0,
                         .counts_on_state = 0};
  ASSERT_EQ(client->build(self, &request, &result), 0);

  const auto dma = translate(words.data(), result.command_bytes / 4);
  std::vector<WddmDecoded> decoded(32);
  const int count = client->decode(self, dma.data(), static_cast<std::uint32_t>(dma.size() * 4),
                                   decoded.data(), sizeof(WddmDecoded), 32);
  client->destroy(self);
  ASSERT_GT(count, 0);
  decoded.resize(static_cast<std::size_t>(count));
  std::erase_if(decoded, [](const WddmDecoded& d) { return d.kind == 0; });

  ASSERT_EQ(decoded.size(), 6u);
  for (std::size_t i = 0; i < decoded.size(); ++i) {
    EXPECT_EQ(decoded[i].kind, commands[i + 2].kind);
  }
  EXPECT_EQ(decoded[0].slot, 1u);
  EXPECT_EQ(decoded[1].slot, 2u);
  EXPECT_EQ(decoded[1].source_slot, 1u);
  EXPECT_EQ(decoded[3].slot, 2u);
}

}  // namespace
}  // namespace wddm::reference_client
