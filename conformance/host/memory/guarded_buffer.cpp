// Buffers that Dxgkrnl hands to the driver, fenced in by inaccessible pages and canaries.
#include <cstring>
#include <utility>

#include "conformance/host/memory/byte_scan.h"
#include "conformance/host/memory/guarded_pages.h"
#include "conformance/host/memory/layout.h"
#include "reference/harness_assert.h"

namespace wddm::memory {

using namespace internal;

namespace {

// What pool and DDI structures are aligned to on x64.
constexpr std::uint64_t kAlignment = 16;
constexpr std::uint8_t kCanary = 0xc7;

std::uint64_t page_count(std::uint64_t bytes) {
  return std::max<std::uint64_t>(1, pages_of(bytes));
}

}  // namespace

GuardedBuffer::GuardedBuffer(std::uint64_t bytes, bool physical, FrameOwner owner)
    : size_(bytes), generation_(generation()) {
  settle(take_guarded(page_count(bytes), owner), physical);
}

GuardedBuffer GuardedBuffer::scattered(std::uint64_t bytes, FrameOwner owner) {
  GuardedBuffer made;
  made.size_ = bytes;
  made.generation_ = generation();
  made.settle(take_scattered(page_count(bytes), owner), true);
  return made;
}

GuardedBuffer GuardedBuffer::sealed(std::uint64_t bytes, FrameOwner owner) {
  GuardedBuffer made;
  made.size_ = bytes;
  made.generation_ = generation();
  made.sealed_ = true;
  made.place(take_sealed(page_count(bytes), owner), true);
  return made;
}

void GuardedBuffer::open() {
  if (!sealed_) return;
  sealed_ = false;
  unseal(base_, mapped_ / kPageSize);
  surround();
}

void GuardedBuffer::settle(std::uint8_t* base, bool physical) {
  place(base, physical);
  surround();
}

void GuardedBuffer::place(std::uint8_t* base, bool physical) {
  base_ = base;
  mapped_ = page_count(size_) * kPageSize;
  // A DMA buffer starts on a page, as drivers may take for granted; all others end against one.
  const std::uint64_t rounded = (size_ + kAlignment - 1) & ~(kAlignment - 1);
  data_ = physical ? base_ : base_ + (mapped_ - rounded);
  HARNESS_ASSERT(physical_of(data_, &physical_));
}

void GuardedBuffer::surround() {
  std::memset(base_, kCanary, static_cast<std::size_t>(data_ - base_));
  std::memset(data_ + size_, kCanary, static_cast<std::size_t>(base_ + mapped_ - data_) - size_);
}

std::vector<Frame> GuardedBuffer::frames() const {
  std::vector<Frame> all;
  for (std::uint64_t at = 0; at < mapped_; at += kPageSize) {
    std::uint64_t address = 0;
    HARNESS_ASSERT(physical_of(base_ + at, &address));
    all.push_back(address >> kPageShift);
  }
  return all;
}

GuardedBuffer::GuardedBuffer(GuardedBuffer&& other) noexcept {
  *this = std::move(other);
}

GuardedBuffer& GuardedBuffer::operator=(GuardedBuffer&& other) noexcept {
  std::swap(base_, other.base_);
  std::swap(mapped_, other.mapped_);
  std::swap(sealed_, other.sealed_);
  std::swap(data_, other.data_);
  std::swap(size_, other.size_);
  std::swap(physical_, other.physical_);
  std::swap(generation_, other.generation_);
  return *this;
}

GuardedBuffer::~GuardedBuffer() {
  if (!base_ || generation_ != generation()) return;
  give_guarded(base_, mapped_ / kPageSize);
}

std::uint64_t GuardedBuffer::damaged(std::int64_t* first) const {
  std::uint64_t count = 0;
  const auto look = [&](const std::uint8_t* from, const std::uint8_t* end) {
    if (all_bytes_are(from, static_cast<std::size_t>(end - from), kCanary)) return;
    for (; from < end; ++from)
      if (*from != kCanary && count++ == 0 && first) *first = from - data_;
  };
  if (base_ && !sealed_) {
    look(base_, data_);
    look(data_ + size_, base_ + mapped_);
  }
  return count;
}

}  // namespace wddm::memory
