// Memory that children fill and we read.
#pragma once

#include <sys/mman.h>

#include <cstddef>

#include "reference/harness_assert.h"

namespace wddm::harness {

/// Zeros in the beginning.
template <class T>
class Shared {
 public:
  explicit Shared(std::size_t count) : count_(count) {
    void* const memory = ::mmap(nullptr, count * sizeof(T), PROT_READ | PROT_WRITE,
                                MAP_SHARED | MAP_ANONYMOUS | MAP_NORESERVE, -1, 0);
    HARNESS_ASSERT(memory != MAP_FAILED);
    items_ = static_cast<T*>(memory);
  }
  ~Shared() { ::munmap(items_, count_ * sizeof(T)); }
  Shared(const Shared&) = delete;
  Shared& operator=(const Shared&) = delete;
  T& operator[](std::size_t index) const { return items_[index]; }

 private:
  std::size_t count_;
  T* items_;
};

}  // namespace wddm::harness
