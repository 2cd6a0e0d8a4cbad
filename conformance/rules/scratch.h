// Containers that live no longer than one call of a check, and the memory they take.
//
// A check that holds asks the system for none, unless its trace is large. Not for ledgers
// (Trace::ledger), which outlive the check that made them.
#pragma once

#include <algorithm>
#include <array>
#include <bit>
#include <cstddef>
#include <map>
#include <memory_resource>
#include <new>
#include <set>
#include <vector>

namespace wddm {

template <class Key, class Value>
using ScratchMap = std::pmr::map<Key, Value>;
template <class Key>
using ScratchSet = std::pmr::set<Key>;
template <class Value>
using ScratchVector = std::pmr::vector<Value>;

/// Memory at hand, of which what is given back is had again: by sizes of a power of two, the last
/// one first. Checks ask for little else than nodes of maps; a pool of the library's takes several
/// times as long for one.
class ScratchMemory final : public std::pmr::memory_resource {
 public:
  void release() {
    free_ = {};
    at_hand_.release();
  }

 private:
  struct Free {
    Free* next;
  };

  static std::size_t row_of(std::size_t bytes) {
    return std::bit_width(std::max(bytes, sizeof(Free)) - 1);
  }
  void* do_allocate(std::size_t bytes, std::size_t alignment) override {
    if (alignment > alignof(std::max_align_t)) return at_hand_.allocate(bytes, alignment);
    const std::size_t row = row_of(bytes);
    Free* const found = free_[row];
    if (found == nullptr) return at_hand_.allocate(std::size_t{1} << row);
    free_[row] = found->next;
    return found;
  }
  void do_deallocate(void* memory, std::size_t bytes, std::size_t alignment) override {
    if (alignment > alignof(std::max_align_t)) return;
    Free*& row = free_[row_of(bytes)];
    row = new (memory) Free{row};
  }
  [[nodiscard]] bool do_is_equal(const std::pmr::memory_resource& other) const noexcept override {
    return this == &other;
  }

  std::array<Free*, 64> free_{};
  // Several times what the checks of a scenario of some hundred ops take.
  std::array<std::byte, 256 << 10> room_;
  std::pmr::monotonic_buffer_resource at_hand_{room_.data(), room_.size(),
                                               std::pmr::new_delete_resource()};
};

/// Around one call of a check: scratch containers take memory that is at hand, and give it back
/// when it ends. Holds for the whole process, where there may be one at a time.
class ScratchScope {
 public:
  ScratchScope() : before_(std::pmr::set_default_resource(&memory())) {}
  ~ScratchScope() {
    std::pmr::set_default_resource(before_);
    memory().release();
  }
  ScratchScope(const ScratchScope&) = delete;
  ScratchScope& operator=(const ScratchScope&) = delete;

 private:
  static ScratchMemory& memory() {
    static ScratchMemory all;
    return all;
  }

  std::pmr::memory_resource* before_;
};

}  // namespace wddm
