// Containers that live no longer than one call of a check, and the memory they take.
//
// A check that holds asks the system for none, unless its trace is large. Not for ledgers
// (Trace::ledger), which outlive the check that made them.
#pragma once

#include <array>
#include <cstddef>
#include <map>
#include <memory_resource>
#include <set>
#include <vector>

namespace wddm {

template <class Key, class Value>
using ScratchMap = std::pmr::map<Key, Value>;
template <class Key>
using ScratchSet = std::pmr::set<Key>;
template <class Value>
using ScratchVector = std::pmr::vector<Value>;

/// Around one call of a check: scratch containers take memory that is at hand, and give it back
/// when it ends. Holds for the whole process, where there may be one at a time.
class ScratchScope {
 public:
  ScratchScope() : pool_(&at_hand()), before_(std::pmr::set_default_resource(&pool_)) {}
  ~ScratchScope() {
    std::pmr::set_default_resource(before_);
    pool_.release();
    at_hand().release();
  }
  ScratchScope(const ScratchScope&) = delete;
  ScratchScope& operator=(const ScratchScope&) = delete;

 private:
  static std::pmr::monotonic_buffer_resource& at_hand() {
    // Several times what the checks of a scenario of some hundred ops take.
    static std::array<std::byte, 256 << 10> room;
    static std::pmr::monotonic_buffer_resource memory(room.data(), room.size(),
                                                      std::pmr::new_delete_resource());
    return memory;
  }

  std::pmr::unsynchronized_pool_resource pool_;  // what a check frees, it gets again
  std::pmr::memory_resource* before_;
};

}  // namespace wddm
