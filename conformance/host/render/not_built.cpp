// Why a client builds nothing of commands: some that it does not have, or too many at once.
#include <algorithm>
#include <array>

#include "conformance/host/render/render_path.h"

namespace wddm::host {

std::string RenderPath::not_built(UserInput& input) {
  constexpr std::array<const char*, gpu::kCommandKinds> kNames = {
      "nop", "bind", "unbind", "fill", "copy", "add", "signal", "wait", "spin"};
  std::string lacking;
  bool any = false;  // else it refuses a bind, or nothing
  const std::vector<gpu::Command> all = commands_;
  for (std::size_t kind = static_cast<std::size_t>(gpu::CommandKind::Fill); kind < kNames.size();
       ++kind) {
    const auto is_kind = [kind](const gpu::Command& command) {
      return static_cast<std::size_t>(command.kind) == kind;
    };
    const auto first = std::find_if(all.begin(), all.end(), is_kind);
    if (first == all.end()) continue;
    any = true;
    // One of them alone: where many are wanted it may be their number that is too large.
    commands_.assign(all.begin(), first);
    std::erase_if(commands_, [](const gpu::Command& command) {
      return command.kind != gpu::CommandKind::Bind;
    });
    commands_.push_back(*first);
    if (encode(input, BuildRoom::AsItTakes)) continue;
    lacking.append(lacking.empty() ? ": " : ", ").append(kNames[kind]);
  }
  commands_ = all;
  if (any && lacking.empty()) {
    return by_patch_lists(addressing_)
               ? "the client does not build so many commands in the room that the driver asks for "
                 "(DmaBufferSize, AllocationListSize, PatchLocationListSize)"
               : "the client does not build so many commands at once";
  }
  return "the client has no counterpart for these commands" + lacking;
}

}  // namespace wddm::host
