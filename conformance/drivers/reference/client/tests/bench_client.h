// The reference client on the bench: its table called directly, with room for one build.
#pragma once

#include <gtest/gtest.h>

#include <cstddef>
#include <cstring>
#include <vector>

#include "conformance/drivers/reference/client/umd.h"
#include "conformance/sdk/client.h"

namespace wddm::reference_client {

class BenchClient : public testing::Test {
 protected:
  BenchClient() : client(WddmClientEntry(WDDM_CLIENT_VERSION)), self(client->create()) {}
  ~BenchClient() override { client->destroy(self); }
  BenchClient(const BenchClient&) = delete;
  BenchClient& operator=(const BenchClient&) = delete;

  static WddmCommand bind(std::uint32_t slot, std::uint32_t allocation) {
    WddmCommand c{};
    c.kind = WDDM_COMMAND_BIND;
    c.slot = slot;
    c.allocation = allocation;
    return c;
  }
  static WddmCommand command(std::uint32_t kind, std::uint32_t slot, std::uint32_t size,
                             std::uint32_t value, std::uint32_t source = 0) {
    WddmCommand c{};
    c.kind = kind;
    c.slot = slot;
    c.size = size;
    c.value = value;
    c.source_slot = source;
    return c;
  }

  int build(const std::vector<WddmCommand>& commands) {
    const WddmBuildRequest request{
        .size = request_size,
        .command_stride = sizeof(WddmCommand),
        .commands = commands.data(),
        .command_count = static_cast<std::uint32_t>(commands.size()),
        .allocation_count = static_cast<std::uint32_t>(sizes.size()),
        .allocation_sizes = sizes.data(),
        .slot_count = 16,
        .node = 0,
        .allocation_addresses = addresses.empty() ? nullptr : addresses.data(),
        .command_address = 0,
        .address_bits = addresses.empty() ? 0u : address_bits,
        .reserved = 0,
        .dma_buffer_bytes = 0,
        .allocation_list_size = 0,
        .patch_location_list_size = 0,
        .private_data_bytes = 0,
        .context_state = context_state,
        .state_bytes = static_cast<std::uint32_t>(kept.size()),
        .state = kept.empty() ? nullptr : kept.data(),
        .state_commands = state_commands,
        .reserved2 = 0};
    left.assign(WDDM_CLIENT_STATE_ROOM, 0);
    words.assign(words_capacity, 0);
    list.assign(list_capacity, {});
    patches.assign(patch_capacity, {});
    result = {.size = sizeof(result),
              .command_bytes = words_capacity * 4,
              .command_buffer = words.data(),
              .allocation_count = list_capacity,
              .allocation_stride = sizeof(WddmListAllocation),
              .allocations = list.data(),
              .patch_count = patch_capacity,
              .patch_stride = sizeof(WddmPatchLocation),
              .patches = patches.data(),
              .private_data = addresses.empty() ? nullptr : private_data.data(),
              .private_data_bytes =
                  addresses.empty() ? 0u : static_cast<std::uint32_t>(private_data.size()),
              .reserved = 0,
              .state = left.data(),
              .state_bytes = WDDM_CLIENT_STATE_ROOM,
              .counts_on_state = 0};
    return client->build(self, &request, &result);
  }
  /// Opcodes of the command buffer, in order.
  std::vector<std::uint32_t> opcodes() const {
    std::vector<std::uint32_t> all;
    for (std::uint32_t w = 0; w < result.command_bytes / 4; w += HW_COMMAND_WORDS(words[w])) {
      all.push_back(HW_COMMAND_OPCODE(words[w]));
    }
    return all;
  }

  using Opcodes = std::vector<std::uint32_t>;

  const WddmClient* client;
  void* self;
  std::vector<std::uint64_t> sizes{4096, 8192, 4096};
  std::vector<std::uint64_t> addresses;  // with them: GPU virtual addresses
  std::uint32_t address_bits = 32;
  std::uint32_t request_size = sizeof(WddmBuildRequest);
  std::vector<std::uint8_t> private_data = std::vector<std::uint8_t>(64);
  std::uint32_t context_state = WDDM_CONTEXT_STATE_UNKNOWN;
  std::uint32_t state_commands = 0;
  std::vector<std::uint8_t> kept, left;  // records of the client's: given to it, and made by it
  std::uint32_t words_capacity = 256;
  std::uint32_t list_capacity = 32;
  std::uint32_t patch_capacity = 64;
  std::vector<std::uint32_t> words;
  std::vector<WddmListAllocation> list;
  std::vector<WddmPatchLocation> patches;
  WddmBuildResult result{};
};

}  // namespace wddm::reference_client
