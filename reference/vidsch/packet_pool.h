// Storage of packets and the queues made of them, without allocation after construction.
//
// Packets lie in one array and are linked by index, so that a scheduler can be copied as a value
// (exploration forks it). Left out: what the queues mean.
#pragma once

#include <cstddef>
#include <cstdint>
#include <vector>

#include "reference/harness_assert.h"
#include "reference/vidsch/packet.h"

namespace wddm::vidsch {

/// A queue of packets; empty when made. Only the pool that owns the packets changes it.
struct PacketList {
  std::uint16_t head = 0;  // 0 = empty
  std::uint16_t tail = 0;
  std::uint32_t size = 0;

  [[nodiscard]] bool empty() const { return head == 0; }
};

class PacketPool {
 public:
  /// Room for `capacity` packets, 1 .. 65534.
  explicit PacketPool(std::size_t capacity);
  // A copy has the same room: packets stay where they are while others are made.
  PacketPool(const PacketPool& other);
  PacketPool& operator=(const PacketPool& other);
  PacketPool(PacketPool&&) = default;
  PacketPool& operator=(PacketPool&&) = default;
  ~PacketPool() = default;

  [[nodiscard]] std::size_t free_count() const {
    return free_.size + (capacity_ + 1 - packets_.size());
  }
  /// A fresh packet that is in no list. There must be room.
  [[nodiscard]] Packet& make();
  /// Ends a packet that is in no list; its id is stale from here on.
  void release(Packet& packet);

  /// The packet, or null if `id` is 0 or stale.
  [[nodiscard]] Packet* find(PacketId id);
  [[nodiscard]] const Packet* find(PacketId id) const;

  [[nodiscard]] Packet* front(const PacketList& list) { return at(list.head); }
  [[nodiscard]] const Packet* front(const PacketList& list) const { return at(list.head); }
  [[nodiscard]] Packet* back(const PacketList& list) { return at(list.tail); }
  [[nodiscard]] Packet* next(const Packet& packet) { return at(packet.next); }
  [[nodiscard]] const Packet* next(const Packet& packet) const { return at(packet.next); }
  [[nodiscard]] Packet* previous(const Packet& packet) { return at(packet.previous); }

  void push_front(PacketList& list, Packet& packet);
  void push_back(PacketList& list, Packet& packet);
  void remove(PacketList& list, Packet& packet);

  void validate() const;
  void validate(const PacketList& list) const;

 private:
  [[nodiscard]] Packet* at(std::uint16_t index) { return index == 0 ? nullptr : &packets_[index]; }
  [[nodiscard]] const Packet* at(std::uint16_t index) const {
    return index == 0 ? nullptr : &packets_[index];
  }
  static std::uint16_t index_of(const Packet& packet) {
    return static_cast<std::uint16_t>(packet.id.value);
  }

  std::size_t capacity_;
  std::vector<Packet> packets_;  // so many as were ever used; place 0 is unused
  PacketList free_;
};

}  // namespace wddm::vidsch
