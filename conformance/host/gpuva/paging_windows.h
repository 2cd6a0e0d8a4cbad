// Paging buffers that the GPU fetches by virtual address: a fixed number, mapped in the address
// space of the paging process once, when its page tables are written.
//
// What maps a buffer later would be a paging operation itself, and want a buffer.
#pragma once

#include <cstdint>
#include <optional>
#include <span>
#include <vector>

#include "conformance/host/memory/memory.h"
#include "reference/gpummu/address.h"

namespace wddm::host {

class PagingWindows {
 public:
  struct Window {
    memory::GuardedBuffer memory;
    gpummu::GpuVirtualAddress address{};
  };

  /// Makes as many buffers as `range` has room for, of so many bytes each, a page at least.
  void begin(const gpummu::VaRange& range, std::uint32_t bytes);
  void end() { free_.clear(); }
  /// Those that are free, one behind the other from the start of the range on at first.
  [[nodiscard]] std::span<const Window> lowest_first() const { return free_; }

  /// Nothing if all are in use.
  [[nodiscard]] std::optional<Window> take();
  void give_back(Window window);

 private:
  std::vector<Window> free_;
};

}  // namespace wddm::host
