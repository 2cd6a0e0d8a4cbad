// Records of one type from the arena, recycled in last-out first-in order. Forgets all at boot().
// Their addresses are seen by drivers, hence repeatable. Internal to the kernel.
#pragma once

#include <new>

#include "conformance/host/memory/memory.h"

namespace wddm::nt {

template <typename T>
class Slab {
 public:
  [[nodiscard]] T* take() {
    void* room = free_;
    if (room != nullptr) {
      free_ = free_->next;
    } else {
      room = memory::arena_allocate(sizeof(Slot), alignof(Slot));
    }
    return new (room) T();
  }
  void give(T* record) { free_ = new (static_cast<void*>(record)) Free{free_}; }
  void forget() { free_ = nullptr; }

 private:
  struct Free {
    Free* next;
  };
  union Slot {
    Free free;
    alignas(T) unsigned char record[sizeof(T)];
  };
  Free* free_ = nullptr;
};

}  // namespace wddm::nt
