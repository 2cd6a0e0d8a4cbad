// A set of bytes from which any member can be drawn in constant time.
#pragma once

#include <array>
#include <cstdint>
#include <span>

namespace wddm::fuzz {

class IdSet {
 public:
  [[nodiscard]] bool contains(std::uint8_t id) const { return places_[id] != 0; }
  [[nodiscard]] std::uint32_t size() const { return size_; }
  [[nodiscard]] bool empty() const { return size_ == 0; }
  /// In an order that depends on what was inserted and erased, and on nothing else.
  [[nodiscard]] std::span<const std::uint8_t> members() const { return {members_.data(), size_}; }

  void insert(std::uint8_t id) {
    if (contains(id)) return;
    members_[size_++] = id;
    places_[id] = static_cast<std::uint16_t>(size_);
  }
  void erase(std::uint8_t id) {
    if (!contains(id)) return;
    const std::uint8_t last = members_[--size_];
    members_[places_[id] - 1u] = last;
    places_[last] = places_[id];
    places_[id] = 0;
  }
  void clear() {
    for (const std::uint8_t id : members()) places_[id] = 0;
    size_ = 0;
  }

 private:
  std::array<std::uint8_t, 256> members_{};
  std::array<std::uint16_t, 256> places_{};  ///< 1-based index in members_; 0: not a member
  std::uint32_t size_ = 0;
};

}  // namespace wddm::fuzz
