// Where a DMA buffer or a paging buffer is shown by an aperture, and what becomes of it there.
//
// A driver whose GPU fetches commands through an aperture only says so (DmaBufferSegmentSet,
// PagingBufferSegmentId). The pages of such a buffer are nobody else's until the aperture shows
// them no more: whoever lets go of it leaves it to be unmapped.
#pragma once

#include <cstdint>
#include <memory>
#include <utility>
#include <vector>

#include "conformance/host/memory/memory.h"
#include "reference/types.h"

namespace wddm::host {

/// Pages of an aperture that one buffer has.
struct AperturePlace {
  SegmentId segment = kNoSegment;  ///< kNoSegment: the buffer lies in system memory only
  std::uint32_t page = 0, pages = 0;
  std::uint64_t address = 0;  ///< BaseAddress included
  DeviceId device{};          ///< whose buffer it is; of paging buffers nobody's
  std::uint32_t physical_adapter = 0;
  bool mapped = false;  ///< an operation that shows it has been built
};

/// A buffer that nobody uses any more, and that the aperture may still show.
struct LeftBuffer {
  memory::GuardedBuffer memory;
  AperturePlace place;
};
using LeftBuffers = std::vector<LeftBuffer>;

/// The place of a buffer that is in use, and who it is left to.
struct ApertureWindow {
  AperturePlace place;
  std::shared_ptr<LeftBuffers> home;  ///< null: there is nothing to be left

  void leave(memory::GuardedBuffer memory) {
    if (home == nullptr) return;
    home->push_back({std::move(memory), place});
    home.reset();
  }
};

}  // namespace wddm::host
