#include "conformance/host/render/decode.h"

#include <algorithm>
#include <optional>
#include <vector>

#include "conformance/host/boundary/session.h"

namespace wddm::host {
namespace {

constexpr std::uint32_t kMostDecoded = 4096;

// Empty if the decoder refuses the bytes, or found more than it was given room for.
std::optional<std::vector<WddmDecoded>> decode_range(const Objects& objects,
                                                     const RenderBuffer& buffer,
                                                     std::uint32_t start, std::uint32_t end,
                                                     DmaStage stage, PacketOrdinal packet) {
  std::vector<WddmDecoded> commands(std::min(kMostDecoded, (end - start) / 4 + 1));
  const int count = objects.client()->decode(objects.client_instance(), buffer.dma.data() + start,
                                             end - start, commands.data(), sizeof(WddmDecoded),
                                             static_cast<std::uint32_t>(commands.size()));
  commands.resize(
      std::clamp<std::size_t>(count < 0 ? 0 : static_cast<std::size_t>(count), 0, commands.size()));
  call_loads_state(commands);
  session().tap(ev::Decoded{.render = buffer.render,
                            .start = start,
                            .end = end,
                            .count = static_cast<std::uint32_t>(count),
                            .stage = static_cast<std::uint32_t>(stage),
                            .packet = packet.value},
                commands.data(), commands.size() * sizeof(WddmDecoded));
  if (count < 0 || static_cast<std::size_t>(count) != commands.size()) return std::nullopt;
  return commands;
}

// A client knows what Render makes of its commands: those of a Present are the driver's alone.
bool can_decode(const Objects& objects, const RenderBuffer& buffer) {
  return objects.client() != nullptr && objects.client()->decode != nullptr && !buffer.presents;
}

}  // namespace

void call_loads_state(std::span<WddmDecoded> commands) {
  for (WddmDecoded& command : commands) {
    if (command.kind != WDDM_COMMAND_BIND && command.kind != WDDM_COMMAND_UNBIND) continue;
    command.kind = 0;
    command.slot = command.source_slot = ~0u;
  }
}

void decode_rendered(const Objects& objects, RenderBuffer& buffer) {
  if (!can_decode(objects, buffer)) return;
  std::vector<std::uint32_t> cuts{0, buffer.dma_used};
  for (const D3DDDI_PATCHLOCATIONLIST& element : buffer.patches) {
    if (element.SplitOffset <= buffer.dma_used) cuts.push_back(element.SplitOffset);
  }
  std::sort(cuts.begin(), cuts.end());
  cuts.erase(std::unique(cuts.begin(), cuts.end()), cuts.end());
  std::vector<WddmDecoded> all;
  bool understood = true;
  for (std::size_t i = 0; i + 1 < cuts.size(); ++i) {
    const auto part =
        decode_range(objects, buffer, cuts[i], cuts[i + 1], DmaStage::Rendered, kNoPacket);
    understood = understood && part.has_value();
    if (!understood) continue;
    for (WddmDecoded command : *part) {
      command.offset += cuts[i];
      all.push_back(command);
    }
  }
  buffer.stream->understood &= understood;
  buffer.places = place_commands(*buffer.stream, all);
}

void decode_patched(const Objects& objects, const Packet& packet) {
  const RenderBuffer& buffer = *packet.render()->buffer;
  if (!can_decode(objects, buffer) || packet.start() >= packet.end()) return;
  static_cast<void>(decode_range(objects, buffer, packet.start(), packet.end(),
                                 DmaStage::AfterPatch, packet.ordinal));
}

}  // namespace wddm::host
