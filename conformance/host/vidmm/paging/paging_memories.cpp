#include "conformance/host/vidmm/paging/paging_memories.h"

#include <algorithm>
#include <cstring>
#include <utility>

#include "conformance/host/memory/guarded_names.h"
#include "conformance/host/vidmm/paging/buffer_operations.h"

namespace wddm::host {
namespace {

// At most so many in an aperture, in at most so much of it unless that is less than one needs, and
// one that is over is waited for: allocations want to lie there too.
constexpr std::uint64_t kMostKept = 16;
constexpr std::uint64_t kPartKept = 4;

}  // namespace

// Packets that were lost may still be in somebody's hand: their memory is left to where nobody
// looks.
void PagingMemories::begin() {
  shown_ = std::make_shared<LeftBuffers>();
  left_private_data_ = std::make_shared<LeftPrivateData>();
  kept_.clear();
}

void PagingMemories::keep_pages() {
  const std::uint32_t segments = segment_set();
  if (segments == 0) return;
  const std::uint64_t bytes = adapter_.paging_buffer_bytes();
  const std::uint64_t room = adapter_.segment(adapter_.paging_buffer_segment()).size / kPartKept;
  const std::uint64_t many = std::clamp<std::uint64_t>(
      room / (std::max<std::uint64_t>(pages_of(bytes), 1) * kPageSize), 1, kMostKept);
  while (kept_.size() < many) {
    auto window = pages_->take(segments, bytes);
    if (!window) break;
    kept_.insert(kept_.begin(), window->place);
  }
}

void PagingMemories::power_was_lost() {
  for (LeftBuffer& left : *shown_) {
    left.place.mapped = false;
    kept_.push_back(left.place);
  }
  shown_->clear();
}

std::uint32_t PagingMemories::segment_set() const {
  const SegmentId segment = adapter_.paging_buffer_segment();
  if (pages_ == nullptr || mapping_ || adapter_.has_virtual_addresses()) return 0;
  // In a link each GPU has an aperture of its own, and any of them may page from the buffer.
  if (adapter_.physical_adapters() > 1) return 0;
  if (segment == kNoSegment || segment.value > vidmm::kMaxSegments) return 0;
  return scene_->residency.apertures_in(vidmm::segment_bit(segment));
}

std::shared_ptr<PagingMemory> PagingMemories::take(const Run& run) {
  auto memory = std::make_shared<PagingMemory>();
  if (adapter_.has_virtual_addresses() && windows_ != nullptr) {
    if (!take_window(*memory)) return nullptr;
  } else if (segment_set() != 0) {
    take_aperture(*memory, run);
    if (waits_.abandoned()) return nullptr;
  } else {
    take_system_memory(*memory);
  }
  if (memory->dma.data() == nullptr) return nullptr;
  memory::name_buffer(memory->dma, "paging buffer");
  memory->bytes = static_cast<std::uint32_t>(
      std::min<std::uint64_t>(adapter_.paging_buffer_bytes(), memory->dma.size()));
  memory->private_data = memory::GuardedBuffer(std::max(adapter_.paging_private_bytes(), 1u), false,
                                               memory::FrameOwner::Driver);
  memory::name_buffer(memory->private_data, "paging buffer's private data");
  // Zero when the buffer is created, and the driver's from then on (..._querysegmentout.md #
  // PagingBufferPrivateDataSize).
  std::memset(memory->private_data.data(), 0, memory->private_data.size());
  if (adapter_.paging_private_bytes() != 0) {
    memory->left_private_data = left_private_data_;
    left_private_data_->begin({memory->private_data.data(), memory->private_data.size()});
  }
  return memory;
}

void PagingMemories::take_system_memory(PagingMemory& memory) const {
  memory.dma =
      memory::GuardedBuffer(adapter_.paging_buffer_bytes(), true, memory::FrameOwner::PagingBuffer);
}

bool PagingMemories::take_window(PagingMemory& memory) {
  auto window = windows_->take();
  if (!window) {
    waits_.for_earlier_work();
    window = windows_->take();
  }
  if (!window) return false;
  memory.address = window->address;
  memory.home = windows_;
  memory.dma = std::move(window->memory);
  return true;
}

// One whose end was overwritten would be found so again and again.
bool PagingMemories::take_shown(PagingMemory& memory) {
  const auto whole = std::find_if(shown_->begin(), shown_->end(), [](const LeftBuffer& left) {
    return left.memory.damaged(nullptr) == 0;
  });
  if (whole == shown_->end()) return false;
  memory.dma = std::move(whole->memory);
  memory.window = {whole->place, shown_};
  shown_->erase(whole);
  return true;
}

void PagingMemories::take_aperture(PagingMemory& memory, const Run& run) {
  if (take_shown(memory)) return;
  if (kept_.empty()) {
    waits_.for_earlier_work();
    if (!waits_.abandoned() && !take_shown(memory)) take_system_memory(memory);
    return;
  }
  memory.window = {kept_.back(), shown_};
  kept_.pop_back();
  memory.window.place.mapped = true;
  memory.dma = memory::GuardedBuffer::scattered(adapter_.paging_buffer_bytes(),
                                                memory::FrameOwner::PagingBuffer);
  mapping_ = true;
  run(show_buffer(*scene_, memory.window.place, memory.dma, nullptr));
  mapping_ = false;
}

}  // namespace wddm::host
