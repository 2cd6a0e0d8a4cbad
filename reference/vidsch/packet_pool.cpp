#include "reference/vidsch/packet_pool.h"

namespace wddm::vidsch {
namespace {

constexpr std::uint32_t kGeneration = 1u << 16;  // ids are generation << 16 | place

}  // namespace

PacketPool::PacketPool(std::size_t capacity) : capacity_(capacity) {
  HARNESS_ASSERT(capacity >= 1 && capacity <= 65534);
  packets_.reserve(capacity + 1);
  packets_.emplace_back();
}

PacketPool::PacketPool(const PacketPool& other) : PacketPool(other.capacity_) {
  *this = other;
}

PacketPool& PacketPool::operator=(const PacketPool& other) {
  capacity_ = other.capacity_;
  packets_.reserve(capacity_ + 1);
  packets_ = other.packets_;
  free_ = other.free_;
  return *this;
}

Packet& PacketPool::make() {
  // Places that were never used come before those that are free again.
  if (packets_.size() <= capacity_) {
    const auto place = static_cast<std::uint32_t>(packets_.size());
    Packet& fresh = packets_.emplace_back();
    fresh.id = PacketId{kGeneration | place};
    fresh.state = PacketState::Queued;
    return fresh;
  }
  Packet* packet = front(free_);
  HARNESS_ASSERT(packet != nullptr);
  remove(free_, *packet);
  const PacketId id = packet->id;
  *packet = Packet{};
  packet->id = id;
  packet->state = PacketState::Queued;
  return *packet;
}

void PacketPool::release(Packet& packet) {
  HARNESS_ASSERT(packet.state != PacketState::Free);
  packet.state = PacketState::Free;
  packet.id.value += kGeneration;
  if (packet.id.value < kGeneration) packet.id.value += kGeneration;  // generation 0 isn't used
  // At the end of the list: a place rests as long as possible before it is used again.
  push_back(free_, packet);
}

const Packet* PacketPool::find(PacketId id) const {
  const auto place = static_cast<std::uint16_t>(id.value);
  if (place == 0 || place >= packets_.size()) return nullptr;
  const Packet& packet = packets_[place];
  return packet.id == id && packet.state != PacketState::Free ? &packet : nullptr;
}

Packet* PacketPool::find(PacketId id) {
  return const_cast<Packet*>(static_cast<const PacketPool*>(this)->find(id));
}

void PacketPool::push_front(PacketList& list, Packet& packet) {
  packet.previous = 0;
  packet.next = list.head;
  (list.head != 0 ? packets_[list.head].previous : list.tail) = index_of(packet);
  list.head = index_of(packet);
  ++list.size;
}

void PacketPool::push_back(PacketList& list, Packet& packet) {
  packet.next = 0;
  packet.previous = list.tail;
  (list.tail != 0 ? packets_[list.tail].next : list.head) = index_of(packet);
  list.tail = index_of(packet);
  ++list.size;
}

void PacketPool::remove(PacketList& list, Packet& packet) {
  HARNESS_ASSERT(list.size != 0);
  (packet.previous != 0 ? packets_[packet.previous].next : list.head) = packet.next;
  (packet.next != 0 ? packets_[packet.next].previous : list.tail) = packet.previous;
  packet.next = packet.previous = 0;
  --list.size;
}

void PacketPool::validate(const PacketList& list) const {
  std::uint32_t count = 0;
  std::uint16_t previous = 0;
  for (std::uint16_t place = list.head; place != 0; place = packets_[place].next) {
    HARNESS_ASSERT(place < packets_.size() && count < list.size);
    HARNESS_ASSERT(packets_[place].previous == previous && index_of(packets_[place]) == place);
    previous = place;
    ++count;
  }
  HARNESS_ASSERT(count == list.size && list.tail == previous);
}

void PacketPool::validate() const {
  validate(free_);
  std::size_t unused = 0;
  for (std::size_t place = 1; place < packets_.size(); ++place)
    if (packets_[place].state == PacketState::Free) ++unused;
  HARNESS_ASSERT(unused == free_.size);
}

}  // namespace wddm::vidsch
