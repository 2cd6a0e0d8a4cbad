#include "conformance/host/vidsch/semaphores.h"

#include <algorithm>

#include "conformance/host/adapter/objects/objects.h"

namespace wddm::host {
namespace {

// All its commands are in this packet, and run if it completes.
bool is_whole(const Packet& packet) {
  const RenderWork& work = *packet.render();
  const RenderBuffer& buffer = *work.buffer;
  const bool one_packet =
      buffer.pass == 0 && buffer.last_pass && work.start == 0 && work.end == buffer.dma_used;
  return one_packet && !buffer.hostile && !buffer.null_rendering && !buffer.must_fault &&
         !buffer.hurried && !buffer.stray;
}

}  // namespace

Semaphores::Place Semaphores::place_of(const RenderBuffer& buffer,
                                       const gpu::Command& command) const {
  const DeviceId device = objects_.context(buffer.context).device;
  return {objects_.device(device).process.value, buffer.engine.physical_adapter, command.slot};
}

void Semaphores::submitted(const Packet& packet) {
  const RenderWork* const work = packet.render();
  if (work == nullptr) return;
  any_value_ |= work->buffer->hostile;
  for (const gpu::Command& command : work->buffer->stream->commands) {
    if (command.kind != gpu::CommandKind::Signal) continue;
    std::uint64_t& lowest = lowest_.try_emplace(command.slot, command.value).first->second;
    lowest = std::min(lowest, command.value);
  }
}

void Semaphores::completed(const Packet& packet) {
  if (packet.render() == nullptr || !is_whole(packet)) return;
  const RenderBuffer& buffer = *packet.render()->buffer;
  for (const gpu::Command& command : buffer.stream->commands) {
    if (command.kind == gpu::CommandKind::Signal) signalled_.insert(place_of(buffer, command));
  }
}

bool Semaphores::let_pass(const RenderBuffer& buffer) const {
  const std::vector<gpu::Command>& commands = buffer.stream->commands;
  return std::all_of(commands.begin(), commands.end(), [&](const gpu::Command& command) {
    if (command.kind != gpu::CommandKind::Wait) return true;
    if (any_value_ || !signalled_.contains(place_of(buffer, command))) return false;
    const auto lowest = lowest_.find(command.slot);
    return lowest != lowest_.end() && lowest->second >= command.value;
  });
}

}  // namespace wddm::host
