#include "conformance/host/render/decode.h"

#include <algorithm>
#include <vector>

#include "conformance/host/boundary/session.h"

namespace wddm::host {
namespace {

constexpr std::uint32_t kMostDecoded = 4096;

void decode_range(const Objects& objects, const RenderBuffer& buffer, std::uint32_t start,
                  std::uint32_t end, DmaStage stage, std::uint32_t packet) {
  std::vector<WddmDecoded> commands(std::min(kMostDecoded, (end - start) / 4 + 1));
  const int count =
      objects.client()->decode(objects.client_instance(), buffer.dma.data() + start, end - start,
                               commands.data(), sizeof(WddmDecoded),
                               static_cast<std::uint32_t>(commands.size()));
  commands.resize(
      std::clamp<std::size_t>(count < 0 ? 0 : static_cast<std::size_t>(count), 0, commands.size()));
  session().tap(ev::Decoded{.render = buffer.render,
                            .start = start,
                            .end = end,
                            .count = static_cast<std::uint32_t>(count),
                            .stage = static_cast<std::uint32_t>(stage),
                            .packet = packet},
                commands.data(), commands.size() * sizeof(WddmDecoded));
}

bool can_decode(const Objects& objects) {
  return objects.client() != nullptr && objects.client()->decode != nullptr;
}

}  // namespace

void decode_rendered(const Objects& objects, const RenderBuffer& buffer) {
  if (!can_decode(objects)) return;
  std::vector<std::uint32_t> cuts{0, buffer.dma_used};
  for (const D3DDDI_PATCHLOCATIONLIST& element : buffer.patches) {
    if (element.SplitOffset <= buffer.dma_used) cuts.push_back(element.SplitOffset);
  }
  std::sort(cuts.begin(), cuts.end());
  cuts.erase(std::unique(cuts.begin(), cuts.end()), cuts.end());
  for (std::size_t i = 0; i + 1 < cuts.size(); ++i) {
    decode_range(objects, buffer, cuts[i], cuts[i + 1], DmaStage::Rendered, kNone);
  }
}

void decode_patched(const Objects& objects, const Packet& packet) {
  if (!can_decode(objects) || packet.start() >= packet.end()) return;
  decode_range(objects, *packet.render()->buffer, packet.start(), packet.end(),
               DmaStage::AfterPatch, packet.id);
}

}  // namespace wddm::host
