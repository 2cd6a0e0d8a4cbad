#include "reference/gpu/region.h"

#include <algorithm>

#include "reference/harness_assert.h"

namespace wddm::gpu {

Region::Region(SegmentId segment, std::uint64_t first_page, std::uint64_t pages)
    : segment_(segment), first_page_(first_page), page_count_(pages), is_touched_(pages) {
  content_.reset(pages * kPageSize);
  touched_.reserve(pages);
}

void Region::touch(std::uint64_t offset, std::uint64_t size) {
  if (size == 0) return;
  const std::uint64_t last = (offset + size - 1) / kPageSize;
  HARNESS_ASSERT(last < page_count_);
  for (std::uint64_t i = offset / kPageSize; i <= last; ++i) {
    if (is_touched_[i]) continue;
    is_touched_[i] = true;
    sorted_ = sorted_ && (touched_.empty() || touched_.back() < first_page_ + i);
    touched_.push_back(first_page_ + i);
  }
}

void Region::fill(std::uint64_t offset, std::uint64_t size, std::uint32_t pattern) {
  content_.fill(offset, size, pattern);
  touch(offset, size);
}

void Region::copy(std::uint64_t offset, const Region& from, std::uint64_t from_offset,
                  std::uint64_t size) {
  content_.copy(offset, from.content_, from_offset, size);
  touch(offset, size);
}

void Region::write(std::uint64_t offset, std::span<const std::byte> bytes) {
  content_.write(offset, bytes);
  touch(offset, bytes.size());
}

void Region::forget(std::uint64_t offset, std::uint64_t size) {
  content_.forget(offset, size);
}

std::span<const std::uint64_t> Region::touched() {
  if (!sorted_) std::sort(touched_.begin(), touched_.end());
  sorted_ = true;
  return touched_;
}

std::optional<PageDifference> Region::compare(std::uint64_t page,
                                              std::span<const std::byte> actual) const {
  HARNESS_ASSERT(holds(page) && actual.size() == kPageSize);
  const std::uint64_t base = offset_of(page);
  auto run = content_.find_difference(base, base, actual);
  if (!run) return std::nullopt;
  PageDifference difference{.segment = segment_,
                            .page = page,
                            .offset = run->offset - base,
                            .bytes = 0,
                            .expected = run->expected,
                            .seen = run->seen};
  for (; run; run = content_.find_difference(run->offset + run->length, base, actual))
    difference.bytes += run->length;
  return difference;
}

void Region::clear() {
  for (const std::uint64_t page : touched_) {
    content_.forget(offset_of(page), kPageSize);
    is_touched_[page - first_page_] = false;
  }
  touched_.clear();
  sorted_ = true;
}

void Region::validate() const {
  content_.validate();
  HARNESS_ASSERT(content_.size() == page_count_ * kPageSize);
  HARNESS_ASSERT(!sorted_ || std::is_sorted(touched_.begin(), touched_.end()));
  const auto marked = std::count(is_touched_.begin(), is_touched_.end(), true);
  HARNESS_ASSERT(static_cast<std::size_t>(marked) == touched_.size());
  for (const std::uint64_t page : touched_)
    HARNESS_ASSERT(holds(page) && is_touched_[page - first_page_]);
  // What was never touched is never predicted, or `touched` would hide it from the checks.
  for (std::uint64_t i = 0; i < page_count_; ++i)
    HARNESS_ASSERT(is_touched_[i] || !content_.predicts(i * kPageSize, kPageSize));
}

}  // namespace wddm::gpu
