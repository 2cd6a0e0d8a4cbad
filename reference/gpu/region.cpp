#include "reference/gpu/region.h"

#include <algorithm>

#include "reference/harness_assert.h"

namespace wddm::gpu {

Region::Region(SegmentId segment, std::uint64_t first_page, std::uint64_t pages)
    : segment_(segment), first_page_(first_page) {
  resize(pages);
}

void Region::resize(std::uint64_t pages) {
  page_count_ = pages;
  content_.reset(pages * kPageSize);
  marks_.assign(pages, 0);
  touched_.clear();
  touched_.reserve(pages);
  due_.clear();
  covered_.reset();
}

void Region::touch(std::uint64_t offset, std::uint64_t size, bool due) {
  if (size == 0) return;
  const std::uint64_t last = (offset + size - 1) / kPageSize;
  HARNESS_ASSERT(last < page_count_);
  for (std::uint64_t i = offset / kPageSize; i <= last; ++i) {
    if ((marks_[i] & Touched) == 0) touched_.push_back(first_page_ + i);
    if (due && (marks_[i] & Due) == 0) due_.push_back(first_page_ + i);
    marks_[i] |= due ? Touched | Due : Touched;
  }
}

void Region::fill(std::uint64_t offset, std::uint64_t size, std::uint32_t pattern) {
  content_.fill(offset, size, pattern);
  touch(offset, size);
}

void Region::assume(std::uint64_t offset, std::uint64_t size, std::uint32_t pattern) {
  content_.fill(offset, size, pattern);
  touch(offset, size, false);
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

std::span<const std::uint64_t> Region::sorted(std::vector<std::uint64_t>& pages) {
  if (!std::is_sorted(pages.begin(), pages.end())) std::sort(pages.begin(), pages.end());
  return pages;
}

void Region::look_again(std::uint64_t page) {
  HARNESS_ASSERT(holds(page));
  std::uint8_t& marks = marks_[page - first_page_];
  if ((marks & Due) != 0 || (!covered_ && (marks & Touched) == 0)) return;
  marks |= Due;
  due_.push_back(page);
}

void Region::settle() {
  for (const std::uint64_t page : due_) marks_[page - first_page_] &= Touched;
  due_.clear();
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

void Region::forget_marks() {
  settle();
  for (const std::uint64_t page : touched_) marks_[page - first_page_] = 0;
  touched_.clear();
}

void Region::clear() {
  if (covered_) {
    content_.forget(0, content_.size());
  } else {
    for (const std::uint64_t page : touched_) content_.forget(offset_of(page), kPageSize);
  }
  covered_.reset();
  forget_marks();
}

void Region::cover(std::uint32_t pattern) {
  if (covered_ == pattern) {
    for (const std::uint64_t page : touched_) content_.fill(offset_of(page), kPageSize, pattern);
  } else {
    content_.fill(0, content_.size(), pattern);
  }
  covered_ = pattern;
  forget_marks();
}

void Region::validate() const {
  content_.validate();
  HARNESS_ASSERT(content_.size() == page_count_ * kPageSize);
  const auto lists = [this](std::uint8_t mark, const std::vector<std::uint64_t>& pages) {
    const auto marked = [mark](std::uint8_t marks) { return (marks & mark) != 0; };
    const auto count = std::count_if(marks_.begin(), marks_.end(), marked);
    return static_cast<std::size_t>(count) == pages.size() &&
           std::all_of(pages.begin(), pages.end(), [&](std::uint64_t page) {
             return holds(page) && marked(marks_[page - first_page_]);
           });
  };
  HARNESS_ASSERT(lists(Touched, touched_));
  HARNESS_ASSERT(lists(Due, due_));
  // What was never touched is never predicted, or the checks would miss it.
  for (std::uint64_t i = 0; i < page_count_ && !covered_; ++i)
    HARNESS_ASSERT((marks_[i] & Touched) != 0 || !content_.predicts(i * kPageSize, kPageSize));
}

}  // namespace wddm::gpu
