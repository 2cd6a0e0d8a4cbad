// Buffers that Dxgkrnl hands to the driver, fenced in by inaccessible pages and canaries.
#include <cstring>
#include <utility>
#include <vector>

#include "conformance/host/memory/layout.h"
#include "reference/harness_assert.h"

namespace wddm::memory {

using namespace internal;

namespace {

// What pool and DDI structures are aligned to on x64.
constexpr std::uint64_t kAlignment = 16;
constexpr std::uint8_t kCanary = 0xc7;

}  // namespace

GuardedBuffer::GuardedBuffer(std::uint64_t bytes, bool physical, FrameOwner owner)
    : size_(bytes), generation_(generation()) {
  const std::uint64_t pages = std::max<std::uint64_t>(1, pages_of(bytes));
  mapped_ = pages * kPageSize;
  first_frame_ = frames_allocate_contiguous(pages, owner, ~0ull);
  HARNESS_ASSERT(first_frame_ != 0);
  bool registers = false;
  base_ = static_cast<std::uint8_t*>(bus_map(first_frame_ << kPageShift, mapped_, &registers));
  HARNESS_ASSERT(base_ && !registers);
  std::memset(base_, kCanary, mapped_);
  // A DMA buffer starts on a page, as drivers may take for granted; all others end against one.
  const std::uint64_t rounded = (bytes + kAlignment - 1) & ~(kAlignment - 1);
  data_ = physical ? base_ : base_ + (mapped_ - rounded);
  physical_ = (first_frame_ << kPageShift) + static_cast<std::uint64_t>(data_ - base_);
}

GuardedBuffer::GuardedBuffer(GuardedBuffer&& other) noexcept {
  *this = std::move(other);
}

GuardedBuffer& GuardedBuffer::operator=(GuardedBuffer&& other) noexcept {
  std::swap(base_, other.base_);
  std::swap(mapped_, other.mapped_);
  std::swap(data_, other.data_);
  std::swap(size_, other.size_);
  std::swap(physical_, other.physical_);
  std::swap(first_frame_, other.first_frame_);
  std::swap(generation_, other.generation_);
  return *this;
}

GuardedBuffer::~GuardedBuffer() {
  if (!base_ || generation_ != generation()) return;
  alias_unmap(base_);
  std::vector<Frame> frames(mapped_ / kPageSize);
  for (std::size_t i = 0; i < frames.size(); ++i) frames[i] = first_frame_ + i;
  frames_free(frames);
}

std::uint64_t GuardedBuffer::damaged(std::int64_t* first) const {
  std::uint64_t count = 0;
  const auto look = [&](const std::uint8_t* from, const std::uint8_t* end) {
    for (; from < end; ++from)
      if (*from != kCanary && count++ == 0 && first) *first = from - data_;
  };
  if (base_) {
    look(base_, data_);
    look(data_ + size_, base_ + mapped_);
  }
  return count;
}

}  // namespace wddm::memory
