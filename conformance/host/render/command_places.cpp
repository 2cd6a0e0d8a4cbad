#include "conformance/host/render/command_places.h"

#include <algorithm>

#include "reference/is_any_of.h"

namespace wddm::host {
namespace {

// Binding and releasing are settings to hardware: how many commands they take is the driver's.
bool is_setting(gpu::CommandKind kind) {
  return is_any_of(kind, gpu::CommandKind::Nop, gpu::CommandKind::Bind, gpu::CommandKind::Unbind);
}

bool is_setting(const WddmDecoded& decoded) {
  return decoded.kind < gpu::kCommandKinds &&
         is_setting(static_cast<gpu::CommandKind>(decoded.kind));
}

bool is(const WddmDecoded& decoded, const gpu::Command& command) {
  if (decoded.kind != static_cast<std::uint32_t>(command.kind)) return false;
  const bool writes = is_any_of(command.kind, gpu::CommandKind::Fill, gpu::CommandKind::Copy,
                                gpu::CommandKind::Add);
  const bool reads = command.kind == gpu::CommandKind::Copy;
  return (!writes || decoded.slot == command.slot) &&
         (!reads || decoded.source_slot == command.src_slot);
}

}  // namespace

std::size_t CommandPlaces::through(std::uint32_t end) const {
  const auto behind = std::lower_bound(offsets.begin(), offsets.end(), end) - offsets.begin();
  return behind == 0 ? first : commands[static_cast<std::size_t>(behind) - 1] + 1;
}

CommandPlaces place_commands(CommandStream& stream, std::span<const WddmDecoded> decoded) {
  CommandPlaces places{
      .known = stream.understood, .first = stream.placed, .commands = {}, .offsets = {}};
  stream.understood = false;
  if (!places.known) return {};
  std::size_t next = stream.placed;
  for (const WddmDecoded& found : decoded) {
    if (is_setting(found)) continue;
    while (next < stream.commands.size() && is_setting(stream.commands[next].kind)) ++next;
    if (next == stream.commands.size() || !is(found, stream.commands[next])) return {};
    places.commands.push_back(next++);
    places.offsets.push_back(found.offset);
  }
  stream.placed = next;
  stream.understood = true;
  return places;
}

}  // namespace wddm::host
