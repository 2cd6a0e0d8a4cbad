// Private data of a context's DMA buffers, or of paging buffers, from one use of a buffer to the
// next.
//
// They are zero when a buffer is created, and as long as it lives Windows does not touch them
// (ns-d3dkmddi-_dxgk_contextinfo.md # DmaBufferPrivateDataSize,
// ns-d3dkmddi-_dxgk_querysegmentout.md # PagingBufferPrivateDataSize): what a use has left is there
// when the buffer is used again. Here each use has memory of its own, into which that is carried
// over.
#pragma once

#include <algorithm>
#include <cstdint>
#include <span>
#include <vector>

namespace wddm::host {

class LeftPrivateData {
 public:
  /// A use is over.
  void leave(std::span<const std::uint8_t> data) { left_.emplace_back(data.begin(), data.end()); }
  /// A use begins: with what the latest that is over has left, which no other gets then. Of a new
  /// buffer they are zero.
  void begin(std::span<std::uint8_t> data) {
    std::fill(data.begin(), data.end(), std::uint8_t{0});
    if (left_.empty()) return;
    const std::vector<std::uint8_t>& last = left_.back();
    std::copy_n(last.begin(), std::min(last.size(), data.size()), data.begin());
    left_.pop_back();
  }

 private:
  std::vector<std::vector<std::uint8_t>> left_;
};

}  // namespace wddm::host
