// Arrays and loops by id, where ids count from 0: what is known of every allocation, context ...
#pragma once

#include <array>
#include <cstddef>
#include <cstdint>

namespace wddm {

/// The ids `first` to `end` - 1, for loops.
template <class Id>
class IdRange {
 public:
  class Iterator {
   public:
    explicit constexpr Iterator(std::uint32_t at) : at_(at) {}
    [[nodiscard]] constexpr Id operator*() const { return Id{at_}; }
    constexpr Iterator& operator++() {
      ++at_;
      return *this;
    }
    friend constexpr bool operator==(const Iterator&, const Iterator&) = default;

   private:
    std::uint32_t at_;
  };

  constexpr IdRange(std::uint32_t first, std::uint32_t end) : first_(first), end_(end) {}
  [[nodiscard]] constexpr Iterator begin() const { return Iterator(first_); }
  [[nodiscard]] constexpr Iterator end() const { return Iterator(end_); }

 private:
  std::uint32_t first_, end_;
};

/// A `Value` for each of the ids 0 to `kCount` - 1; no other id may be asked for.
template <class Id, class Value, std::size_t kCount>
struct PerId {
  std::array<Value, kCount> values{};

  [[nodiscard]] constexpr Value& operator[](Id id) { return values[id.value]; }
  [[nodiscard]] constexpr const Value& operator[](Id id) const { return values[id.value]; }
  constexpr void fill(const Value& value) { values.fill(value); }
};

}  // namespace wddm
