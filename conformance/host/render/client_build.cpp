#include "conformance/host/render/client_build.h"

#include <algorithm>
#include <array>

namespace wddm::host {
namespace {

struct Capacities {
  std::uint32_t command_bytes = kMostCommandBytes;
  std::uint32_t list = 4096;
  std::uint32_t patches = 1u << 16;

  bool operator==(const Capacities&) const = default;
};

Capacities smaller(const Capacities& a, const Capacities& b) {
  return {std::min(a.command_bytes, b.command_bytes), std::min(a.list, b.list),
          std::min(a.patches, b.patches)};
}

// With GPU virtual addresses the driver asks for none of them.
Capacities most(const WddmBuildRequest& told, BuildRoom room) {
  const Capacities all;
  if (room == BuildRoom::AsItTakes || told.allocation_addresses != nullptr) return all;
  return smaller(all,
                 {told.dma_buffer_bytes, told.allocation_list_size, told.patch_location_list_size});
}

void describe_state(const UserInput& input, WddmBuildRequest& told) {
  if (input.context_state == WDDM_CONTEXT_STATE_UNKNOWN) return;
  told.context_state = input.context_state;
  told.state_bytes = static_cast<std::uint32_t>(input.state.size());
  told.state = input.state.empty() ? nullptr : input.state.data();
  told.state_commands = told.command_count - std::min(told.command_count, input.state_sets_itself);
}

// A client that knows nothing of states leaves all of the room as it is.
void take_state(const void* left, const WddmBuildResult& result, UserInput& input) {
  input.state_left.clear();
  input.counts_on_state = result.counts_on_state != 0;
  if (result.state_bytes >= WDDM_CLIENT_STATE_ROOM) return;
  const auto* const first = static_cast<const std::uint8_t*>(left);
  input.state_left.assign(first, first + result.state_bytes);
}

}  // namespace

WddmCommand plug_in_form(const gpu::Command& command,
                         const std::vector<AllocationId>& allocations) {
  WddmCommand out{};
  out.kind = static_cast<std::uint32_t>(command.kind);
  out.slot = command.slot;
  out.offset = command.offset;
  out.size = command.kind == gpu::CommandKind::Spin ? static_cast<std::uint32_t>(command.value)
                                                    : command.size;
  out.source_slot = command.src_slot;
  out.source_offset = command.src_offset;
  out.value = static_cast<std::uint32_t>(command.value);
  const auto found = std::find(allocations.begin(), allocations.end(), command.allocation);
  out.allocation = static_cast<std::uint32_t>(found - allocations.begin());
  return out;
}

bool client_builds(const Objects& objects, const Addressing& addressing,
                   std::span<const WddmCommand> commands, std::span<const std::uint64_t> sizes,
                   BuildRoom room, UserInput& input) {
  const WddmClient& client = *objects.client();
  WddmBuildRequest told{};
  told.size = sizeof(told);
  told.command_stride = sizeof(WddmCommand);
  told.commands = commands.data();
  told.command_count = static_cast<std::uint32_t>(commands.size());
  told.allocation_count = static_cast<std::uint32_t>(sizes.size());
  told.allocation_sizes = sizes.data();
  told.node = objects.context(input.context).engine.node.value;
  addressing.describe(told, input);
  describe_state(input, told);
  // Grown until the client is content; what it refuses at the largest size has no counterpart.
  const Capacities largest = most(told, room);
  Capacities given{};
  for (std::uint32_t scale = 1; scale <= 64; scale *= 8) {
    const auto elements = static_cast<std::uint32_t>(commands.size() + 8) * scale;
    const Capacities now = smaller(largest, {elements * 128, elements + 16, elements * 4});
    if (scale != 1 && now == given) break;
    given = now;
    std::array<std::uint64_t, WDDM_CLIENT_STATE_ROOM / 8> left{};
    input.command.assign(given.command_bytes, 0);
    input.list.assign(given.list, {});
    input.patches.assign(given.patches, {});
    WddmBuildResult result{
        .size = sizeof(result),
        .command_bytes = static_cast<std::uint32_t>(input.command.size()),
        .command_buffer = input.command.data(),
        .allocation_count = static_cast<std::uint32_t>(input.list.size()),
        .allocation_stride = sizeof(WddmListAllocation),
        .allocations = input.list.data(),
        .patch_count = static_cast<std::uint32_t>(input.patches.size()),
        .patch_stride = sizeof(WddmPatchLocation),
        .patches = input.patches.data(),
        .private_data = input.private_data.data(),
        .private_data_bytes = static_cast<std::uint32_t>(input.private_data.size()),
        .reserved = 0,
        .state = left.data(),
        .state_bytes = WDDM_CLIENT_STATE_ROOM,
        .counts_on_state = 0};
    if (client.build(objects.client_instance(), &told, &result) != 0) continue;
    if (result.command_bytes > input.command.size() ||
        result.allocation_count > input.list.size() || result.patch_count > input.patches.size() ||
        result.private_data_bytes > input.private_data.size()) {
      return false;
    }
    input.command.resize(result.command_bytes);
    input.list.resize(result.allocation_count);
    input.patches.resize(result.patch_count);
    input.private_data.resize(result.private_data_bytes);
    take_state(left.data(), result, input);
    return true;
  }
  return false;
}

}  // namespace wddm::host
