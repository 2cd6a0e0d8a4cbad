#include "conformance/host/gpuva/paging_windows.h"

#include <algorithm>
#include <utility>

namespace wddm::host {

void PagingWindows::begin(const gpummu::VaRange& range, std::uint32_t bytes) {
  free_.clear();
  const std::uint64_t step = pages_of(std::max(bytes, 1u)) * kPageSize;
  for (std::uint64_t at = range.first.value; at + step <= range.end(); at += step) {
    free_.push_back({memory::GuardedBuffer::sealed(bytes, memory::FrameOwner::PagingBuffer),
                     gpummu::GpuVirtualAddress{at}});
  }
}

std::optional<PagingWindows::Window> PagingWindows::take() {
  if (free_.empty()) return std::nullopt;
  Window taken = std::move(free_.back());
  free_.pop_back();
  taken.memory.open();
  return taken;
}

void PagingWindows::give_back(Window window) {
  free_.push_back(std::move(window));
}

}  // namespace wddm::host
