// Arrays as a driver is given them: each in memory of its own, against a page that nobody may touch,
// so that an element too many is an access that shows.
#pragma once

#include <algorithm>
#include <cstddef>
#include <span>
#include <type_traits>
#include <vector>

#include "conformance/host/memory/guarded_names.h"
#include "conformance/host/memory/memory.h"

namespace wddm::memory {

template <class T>
class GuardedArray {
  static_assert(std::is_trivially_copyable_v<T> && alignof(T) <= 16);

 public:
  GuardedArray() = default;
  /// A copy. `what` lives for ever: "allocation list".
  GuardedArray(std::span<const T> values, const char* what) : size_(values.size()) {
    if (values.empty()) return;
    buffer_ = GuardedBuffer(values.size_bytes(), false, FrameOwner::Driver);
    name_buffer(buffer_, what);
    std::ranges::copy(values, begin());
  }

  /// Null if it is empty.
  [[nodiscard]] T* data() const { return reinterpret_cast<T*>(buffer_.data()); }
  [[nodiscard]] std::size_t size() const { return size_; }
  [[nodiscard]] T& operator[](std::size_t i) const { return data()[i]; }
  [[nodiscard]] T* begin() const { return data(); }
  [[nodiscard]] T* end() const { return data() + size_; }

 private:
  GuardedBuffer buffer_;
  std::size_t size_ = 0;
};

template <class T>
GuardedArray(const std::vector<T>&, const char*) -> GuardedArray<T>;
template <class T>
GuardedArray(std::span<const T>, const char*) -> GuardedArray<T>;
template <class T>
GuardedArray(std::span<T>, const char*) -> GuardedArray<T>;

}  // namespace wddm::memory
