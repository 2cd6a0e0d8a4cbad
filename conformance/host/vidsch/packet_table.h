// The packets that are queued or that the driver has, and what can be asked of all of them.
#pragma once

#include <cstdint>
#include <functional>
#include <map>
#include <span>
#include <vector>

#include "conformance/host/vidsch/queued_packet.h"

namespace wddm::host {

class Objects;

class PacketTable {
 public:
  using Map = std::map<vidsch::PacketId, Packet>;

  [[nodiscard]] std::uint32_t size() const { return static_cast<std::uint32_t>(packets_.size()); }
  [[nodiscard]] const Map& all() const { return packets_; }
  [[nodiscard]] bool contains(vidsch::PacketId id) const { return packets_.contains(id); }
  /// One that is there.
  [[nodiscard]] Packet& at(vidsch::PacketId id);
  [[nodiscard]] const Packet& at(vidsch::PacketId id) const;
  template <class Visit>
  void for_each(Visit&& visit) {
    for (auto& [id, packet] : packets_) visit(packet);
  }
  /// An id that is not there yet.
  Packet& add(vidsch::PacketId id, Packet packet);
  /// Takes out one that is there. It stays at its address for as long as the node is kept.
  using Node = Map::node_type;
  [[nodiscard]] Node extract(vidsch::PacketId id);

  /// Whether any paging is in it.
  [[nodiscard]] bool is_paging() const;
  /// Whether paging of one of these allocations, or of no allocation at all, is in it. What shows
  /// another buffer in an aperture is none.
  [[nodiscard]] bool is_paging(std::span<const AllocationId> allocations) const;
  /// Whether a packet of another context writes what this buffer uses, or the other way round, by
  /// the WriteOperation of their lists.
  [[nodiscard]] bool competes(const RenderBuffer& buffer) const;
  /// Whether the buffers that the driver has may keep the GPU that long, or for ever: what they do
  /// comes to so many units, or they wait for what nobody knows to be there, or user mode altered
  /// them. `passes`: whether all that a buffer waits for is there.
  using Passes = std::function<bool(const RenderBuffer&)>;
  [[nodiscard]] bool may_take(std::uint64_t units, const Passes& passes) const;
  /// Whether nothing can be writing and no buffer has run in part.
  [[nodiscard]] bool at_rest() const;

 private:
  Map packets_;
};

}  // namespace wddm::host
