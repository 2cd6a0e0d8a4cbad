// Buffers of the user-mode client, which may vanish or change under the driver's hands.
//
// Each has a front of accessible pages and a back of its own; the boundary between them is where
// the buffer is laid across: the cut of revoke_after, the watched byte of change_after_first_read.
#include <algorithm>
#include <cstring>
#include <utility>
#include <vector>

#include "conformance/host/memory/fault.h"
#include "conformance/host/memory/layout.h"
#include "conformance/host/memory/open_pages.h"
#include "conformance/host/memory/page_runs.h"
#include "reference/harness_assert.h"

namespace wddm::memory {
namespace internal {
namespace {

// A run's note is the number of its pages that can be touched.
PageRuns g_user(kUser.pages);
OpenPages g_open(kUser);

std::uint8_t* user_page(std::uint64_t page) {
  return reinterpret_cast<std::uint8_t*>(kUser.view + (page << kPageShift));
}

std::uint64_t page_of(const void* address) {
  return (address_of(address) - kUser.view) >> kPageShift;
}

// Makes the first `pages` pages of the buffer accessible and the others of its `total` not.
void open_pages(std::uint8_t* base, std::uint64_t pages, std::uint64_t total) {
  g_open.open(page_of(base), pages);
  g_open.close(page_of(base) + pages, total - pages);
  g_user.annotate(page_of(base), pages);
}

}  // namespace

bool user_owns(std::uint64_t address) {
  return kUser.has_address(address) && g_user.find((address - kUser.view) >> kPageShift) != nullptr;
}

void reset_user(bool fresh) {
  // Buffers zero their pages when they are made.
  g_user.clear();
  if (fresh || !keeps_open()) g_open.close_all(fresh);
}

}  // namespace internal

using namespace internal;

UserBuffer::UserBuffer(std::uint64_t bytes) : size_(bytes), generation_(generation()) {
  half_ = std::max<std::uint64_t>(1, pages_of(bytes)) * kPageSize;
  const std::uint64_t page = g_user.take(2 * half_ / kPageSize + 1, 0);
  HARNESS_ASSERT(page != PageRuns::kNone);
  base_ = user_page(page);
  // The back and what lies behind it may be open from earlier buffers.
  open_pages(base_, half_ / kPageSize, 2 * half_ / kPageSize + 1);
  std::memset(base_, 0, half_);
  data_ = base_ + (half_ - size_);
}

UserBuffer::UserBuffer(UserBuffer&& other) noexcept {
  *this = std::move(other);
}

UserBuffer& UserBuffer::operator=(UserBuffer&& other) noexcept {
  std::swap(base_, other.base_);
  std::swap(half_, other.half_);
  std::swap(data_, other.data_);
  std::swap(size_, other.size_);
  std::swap(generation_, other.generation_);
  return *this;
}

UserBuffer::~UserBuffer() {
  if (!base_ || generation_ != generation()) return;
  unwatch(base_ + half_);
  if (closes_given_back()) open_pages(base_, 0, 2 * half_ / kPageSize);
  g_user.give(page_of(base_));
}

std::uint8_t* UserBuffer::lay_across_boundary(std::uint64_t front) {
  HARNESS_ASSERT(base_ && front <= size_);
  unwatch(base_ + half_);
  open_pages(base_, 2 * half_ / kPageSize, 2 * half_ / kPageSize);
  // Nothing of an earlier buffer may show in the back.
  const auto shown = static_cast<std::uint64_t>(data_ + size_ - base_);
  std::memset(base_ + std::max(half_, shown), 0, 2 * half_ - std::max(half_, shown));
  std::uint8_t* const moved = base_ + (half_ - front);
  std::memmove(moved, data_, size_);
  return data_ = moved;
}

std::uint8_t* UserBuffer::revoke_after(std::uint64_t accessible) {
  ready_to_revoke(accessible);
  revoke();
  return data_;
}

std::uint8_t* UserBuffer::ready_to_revoke(std::uint64_t accessible) {
  return lay_across_boundary(accessible);
}

void UserBuffer::revoke() {
  HARNESS_ASSERT(base_);
  open_pages(base_, half_ / kPageSize, 2 * half_ / kPageSize);
  forget_user_faults();
}

bool UserBuffer::take_revoked_access() const {
  return base_ && take_user_fault(address_of(base_ + half_), address_of(data_ + size_));
}

std::uint8_t* UserBuffer::change_after_first_read(std::uint64_t offset,
                                                  std::span<const std::uint8_t> replacement) {
  HARNESS_ASSERT(offset < size_ && replacement.size() <= size_ - offset);
  lay_across_boundary(offset);
  watch_first_read(base_ + half_, replacement);
  return data_;
}

std::uint64_t user_accessible(const void* address) {
  if (!kUser.has_address(address_of(address))) return 0;
  const PageRuns::Run* run = g_user.find(page_of(address));
  if (!run || page_of(address) >= run->first + run->note) return 0;
  return kUser.view + ((run->first + run->note) << kPageShift) - address_of(address);
}

bool UserBuffer::changed() const {
  return base_ && watch_fired(base_ + half_);
}

}  // namespace wddm::memory
