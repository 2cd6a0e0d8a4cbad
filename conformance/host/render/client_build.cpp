#include "conformance/host/render/client_build.h"

#include <algorithm>

namespace wddm::host {
namespace {

constexpr std::uint32_t kMostListEntries = 4096;
constexpr std::uint32_t kMostPatches = 1u << 16;

}  // namespace

bool client_builds(const Objects& objects, const Addressing& addressing,
                   std::span<const WddmCommand> commands, std::span<const std::uint64_t> sizes,
                   UserInput& input) {
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
  // Grown until the client is content; what it refuses at the largest size has no counterpart.
  for (std::uint32_t scale = 1; scale <= 64; scale *= 8) {
    const auto room = static_cast<std::uint32_t>(commands.size() + 8) * scale;
    input.command.assign(std::min(room * 128, kMostCommandBytes), 0);
    input.list.assign(std::min(room + 16, kMostListEntries), {});
    input.patches.assign(std::min(room * 4, kMostPatches), {});
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
        .reserved = 0};
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
    return true;
  }
  return false;
}

}  // namespace wddm::host
