#include "conformance/host/render/write_marks.h"

#include <algorithm>
#include <vector>

#include "conformance/host/boundary/session.h"
#include "reference/gpu/effect.h"

namespace wddm::host {
namespace {

bool has(const std::vector<AllocationId>& ids, AllocationId id) {
  return std::find(ids.begin(), ids.end(), id) != ids.end();
}

// What those of the commands write that `counts` says so of, each once, in their order.
template <class Counts>
std::vector<AllocationId> written_by(std::span<const gpu::Command> commands,
                                     std::span<const std::uint64_t> sizes, Counts counts) {
  std::vector<AllocationId> written;
  gpu::Bindings bindings;
  for (const gpu::Command& command : commands) {
    const gpu::Effect effect = gpu::effect_of(command, bindings, sizes);
    for (const gpu::Access& access : effect.ranges()) {
      if (access.kind == gpu::AccessKind::Read || !counts(command.kind)) continue;
      if (!has(written, access.allocation)) written.push_back(access.allocation);
    }
    bindings.apply(command);
  }
  return written;
}

}  // namespace

void tell_what_commands_write(const RenderRequest& request, std::span<const std::uint64_t> sizes) {
  std::vector<std::uint32_t> numbers;
  const auto all = [](gpu::CommandKind) { return true; };
  for (const AllocationId id : written_by(request.stream->commands, sizes, all)) {
    numbers.push_back(id.value);
  }
  session().tap(ev::CommandsWrite{.render = request.ordinal,
                                  .context = request.context.value,
                                  .count = static_cast<std::uint32_t>(numbers.size())},
                numbers.data(), numbers.size() * sizeof(std::uint32_t));
}

void forget_what_copies_write(std::span<const gpu::Command> commands,
                              std::span<const std::uint64_t> sizes, UserInput& input) {
  const auto is_copy = [](gpu::CommandKind kind) { return kind == gpu::CommandKind::Copy; };
  const auto is_other = [](gpu::CommandKind kind) { return kind != gpu::CommandKind::Copy; };
  const std::vector<AllocationId> copied = written_by(commands, sizes, is_copy);
  const std::vector<AllocationId> otherwise = written_by(commands, sizes, is_other);
  for (WddmListAllocation& entry : input.list) {
    if (entry.allocation >= input.allocations.size()) continue;
    const AllocationId id = input.allocations[entry.allocation];
    if (has(copied, id) && !has(otherwise, id)) entry.write = 0;
  }
}

}  // namespace wddm::host
