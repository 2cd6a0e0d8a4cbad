#include "conformance/host/render/instance_commands.h"

#include "reference/gpu/effect.h"

namespace wddm::host {

std::vector<gpu::Command> in_order_of_instances(std::vector<gpu::Command> commands,
                                                vidmm::Instances instances) {
  if (instances.none()) return commands;
  std::vector<gpu::Command> result;
  gpu::Bindings bindings;
  const auto add = [&](const gpu::Command& command) {
    bindings.apply(command);
    result.push_back(command);
  };
  for (const gpu::Command& command : commands) {
    if (command.kind != gpu::CommandKind::Bind) {
      add(command);
      continue;
    }
    if (!instances.may_name(command.allocation)) continue;
    instances.name(command.allocation);
    for (std::uint16_t slot = 0; slot < gpu::kBindingSlots; ++slot) {
      const bool goes = slot != command.slot && bindings.bound(slot) &&
                        instances.is_older(bindings.at(slot), command.allocation);
      if (goes) add(gpu::unbind(slot));
    }
    add(command);
  }
  return result;
}

}  // namespace wddm::host
