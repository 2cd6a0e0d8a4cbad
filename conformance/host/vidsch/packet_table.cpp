#include "conformance/host/vidsch/packet_table.h"

#include <algorithm>

#include "conformance/host/adapter/objects/objects.h"
#include "reference/harness_assert.h"

namespace wddm::host {
namespace {

bool uses(const RenderBuffer& buffer, AllocationId id, bool write) {
  for (std::size_t i = 0; i < buffer.allocations.size(); ++i) {
    if (buffer.allocations[i] != id) continue;
    if (write || buffer.allocation_list[i].WriteOperation) return true;
  }
  return false;
}

// Units of GPU time. A slow GPU accesses memory word by word.
std::uint64_t most_units_of(const PagingArguments& paging) {
  return 1 + std::max<std::uint64_t>(paging.size, paging.pages * kPageSize) / 4;
}

std::uint64_t most_units_of(const gpu::Command& command) {
  return command.kind == gpu::CommandKind::Spin ? command.value : 1 + command.size / 4;
}

}  // namespace

Packet& PacketTable::at(vidsch::PacketId id) {
  const auto found = packets_.find(id);
  HARNESS_ASSERT(found != packets_.end());
  return found->second;
}

const Packet& PacketTable::at(vidsch::PacketId id) const {
  const auto found = packets_.find(id);
  HARNESS_ASSERT(found != packets_.end());
  return found->second;
}

Packet& PacketTable::add(vidsch::PacketId id, Packet packet) {
  const auto [made, fresh] = packets_.try_emplace(id, std::move(packet));
  HARNESS_ASSERT(fresh);
  return made->second;
}

PacketTable::Node PacketTable::extract(vidsch::PacketId id) {
  Node node = packets_.extract(id);
  HARNESS_ASSERT(!node.empty());
  return node;
}

bool PacketTable::is_paging() const {
  return std::any_of(packets_.begin(), packets_.end(),
                     [](const auto& entry) { return entry.second.is_paging(); });
}

bool PacketTable::is_paging(std::span<const AllocationId> allocations) const {
  return std::any_of(packets_.begin(), packets_.end(), [&](const auto& entry) {
    const PagingWork* const paging = entry.second.paging();
    if (paging == nullptr) return false;
    if (paging->buffer->operation->is_of_buffer()) return false;
    const AllocationId paged = paging->buffer->operation->allocation;
    return paged == kNoAllocation ||
           std::find(allocations.begin(), allocations.end(), paged) != allocations.end();
  });
}

// The marker's words are apart.
bool PacketTable::competes(const RenderBuffer& buffer) const {
  return std::any_of(packets_.begin(), packets_.end(), [&](const auto& entry) {
    const RenderWork* const other = entry.second.render();
    if (other == nullptr || other->buffer->context == buffer.context) return false;
    for (std::size_t i = 0; i < buffer.allocations.size(); ++i) {
      const AllocationId id = buffer.allocations[i];
      if (id == kMarkerAllocation || id == kNoAllocation) continue;
      if (uses(*other->buffer, id, buffer.allocation_list[i].WriteOperation != 0)) return true;
    }
    return false;
  });
}

bool PacketTable::may_take(std::uint64_t units, const Passes& passes) const {
  std::uint64_t most = 0;
  for (const auto& [id, packet] : packets_) {
    if (packet.submissions == 0) continue;
    if (const PagingWork* const paging = packet.paging()) {
      most += most_units_of(paging->buffer->operation->record);
      continue;
    }
    const RenderBuffer& buffer = *packet.render()->buffer;
    if (buffer.hostile || !passes(buffer)) return true;
    for (const gpu::Command& command : buffer.stream->commands) most += most_units_of(command);
  }
  return most >= units;
}

bool PacketTable::at_rest() const {
  return std::none_of(packets_.begin(), packets_.end(), [](const auto& entry) {
    const Packet& packet = entry.second;
    return packet.submissions != 0 || (packet.render() && packet.render()->buffer->started) ||
           (packet.paging() && packet.paging()->buffer->operation->started);
  });
}

}  // namespace wddm::host
