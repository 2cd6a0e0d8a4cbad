// See placement.h for the rules and the structure.
#include "reference/vidmm/placement.h"

#include <algorithm>

#include "reference/harness_assert.h"

namespace wddm::vidmm {
namespace {

constexpr std::uint32_t kPagesPer64K = 16;

// In 64 bits, since the multiple may lie beyond the segment.
std::uint64_t align_up(std::uint64_t page, std::uint64_t alignment) {
  const bool power_of_two = (alignment & (alignment - 1)) == 0;
  if (power_of_two) return (page + alignment - 1) & ~(alignment - 1);
  return (page + alignment - 1) / alignment * alignment;
}

}  // namespace

Placement::Placement(std::uint32_t size_pages) : size_pages_(size_pages), free_pages_(size_pages) {
  HARNESS_ASSERT(size_pages <= kMaxSegmentPages);
  Stretch all{{{.page = 0, .pages = 0, .gap = size_pages}}, {}};
  all.longest = longest_of(all);
  stretches_.push_back(std::move(all));
}

void Placement::include(Gap& longest, const Entry& entry) {
  const std::uint32_t skipped = -entry.end() % kPagesPer64K;
  longest.pages = std::max(longest.pages, entry.gap);
  longest.pages_from_64k = std::max(longest.pages_from_64k, std::max(entry.gap, skipped) - skipped);
}

Placement::Gap Placement::longest_of(const Stretch& stretch) {
  Gap longest;
  for (const Entry& entry : stretch.entries) include(longest, entry);
  return longest;
}

/// Rule 1.
std::optional<Placement::Fit> Placement::find_fit(std::uint32_t pages,
                                                  std::uint32_t alignment_pages) const {
  HARNESS_ASSERT(pages >= 1 && alignment_pages >= 1);
  if (pages > free_pages_) return std::nullopt;
  const bool at_64k = alignment_pages % kPagesPer64K == 0;
  for (std::size_t s = 0; s < stretches_.size(); ++s) {
    const Stretch& stretch = stretches_[s];
    const Gap& longest = stretch.longest;
    if ((at_64k ? longest.pages_from_64k : longest.pages) < pages) continue;
    for (std::size_t i = 0; i < stretch.entries.size(); ++i) {
      const Entry& before = stretch.entries[i];
      if (before.gap < pages) continue;
      const std::uint64_t page = align_up(before.end(), alignment_pages);
      if (page + pages > std::uint64_t{before.end()} + before.gap) continue;
      return Fit{{s, i}, static_cast<std::uint32_t>(page)};
    }
  }
  return std::nullopt;
}

std::optional<std::uint32_t> Placement::find(std::uint32_t pages,
                                             std::uint32_t alignment_pages) const {
  const auto fit = find_fit(pages, alignment_pages);
  return fit ? std::optional(fit->page) : std::nullopt;
}

std::optional<std::uint32_t> Placement::find_last(std::uint32_t pages,
                                                  std::uint32_t alignment_pages) const {
  HARNESS_ASSERT(pages >= 1 && alignment_pages >= 1);
  for (std::size_t i = stretches_.size(); i-- > 0;) {
    if (stretches_[i].longest.pages < pages) continue;
    const auto& entries = stretches_[i].entries;
    for (auto entry = entries.rbegin(); entry != entries.rend(); ++entry) {
      if (entry->gap < pages) continue;
      const std::uint32_t last = entry->end() + entry->gap - pages;
      const std::uint32_t page = last - last % alignment_pages;
      if (page >= entry->end()) return page;
    }
  }
  return std::nullopt;
}

std::optional<std::uint32_t> Placement::allocate(std::uint32_t pages,
                                                 std::uint32_t alignment_pages) {
  const auto fit = find_fit(pages, alignment_pages);
  if (!fit) return std::nullopt;
  place_after(fit->before, fit->page, pages);
  return fit->page;
}

bool Placement::allocate_at(std::uint32_t page, std::uint32_t pages) {
  HARNESS_ASSERT(pages >= 1);
  if (page >= size_pages_ || pages > size_pages_ - page) return false;
  const Position before = last_not_above(page);
  const Entry& entry = stretches_[before.stretch].entries[before.entry];
  if (page < entry.end() || page + pages > entry.end() + entry.gap) return false;
  place_after(before, page, pages);
  return true;
}

/// The last entry that starts at `page` or below. Of two at page 0 the second is the block.
Placement::Position Placement::last_not_above(std::uint32_t page) const {
  const auto next = std::upper_bound(
      stretches_.begin() + 1, stretches_.end(), page,
      [](std::uint32_t p, const Stretch& stretch) { return p < stretch.entries.front().page; });
  const auto& entries = std::prev(next)->entries;
  const auto behind =
      std::upper_bound(entries.begin() + 1, entries.end(), page,
                       [](std::uint32_t p, const Entry& entry) { return p < entry.page; });
  return {static_cast<std::size_t>(std::prev(next) - stretches_.begin()),
          static_cast<std::size_t>(std::prev(behind) - entries.begin())};
}

/// Puts a block into the gap behind `before`, which is divided into what is left on either side.
void Placement::place_after(Position before, std::uint32_t page, std::uint32_t pages) {
  Stretch& stretch = stretches_[before.stretch];
  Entry& entry = stretch.entries[before.entry];
  const std::uint32_t gap_end = entry.end() + entry.gap;
  entry.gap = page - entry.end();
  stretch.entries.insert(stretch.entries.begin() + static_cast<std::ptrdiff_t>(before.entry) + 1,
                         {page, pages, gap_end - (page + pages)});
  stretch.longest = longest_of(stretch);
  split_if_long(before.stretch);
  ++block_count_;
  free_pages_ -= pages;
}

/// Rule 2. The pages of the block join the gap of the entry before it, which may be the last of
/// the stretch before.
std::uint32_t Placement::free(std::uint32_t page) {
  const auto [at, index] = last_not_above(page);
  auto& entries = stretches_[at].entries;
  const Entry freed = entries[index];
  HARNESS_ASSERT(freed.page == page && freed.pages != 0);
  entries.erase(entries.begin() + static_cast<std::ptrdiff_t>(index));
  Stretch& stretch = stretches_[index == 0 ? at - 1 : at];
  Entry& before = index == 0 ? stretch.entries.back() : stretch.entries[index - 1];
  before.gap += freed.pages + freed.gap;
  include(stretch.longest, before);
  if (entries.empty()) {
    stretches_.erase(stretches_.begin() + static_cast<std::ptrdiff_t>(at));
  } else if (index == 0) {
    stretches_[at].longest = longest_of(stretches_[at]);
  }
  --block_count_;
  free_pages_ += freed.pages;
  return freed.pages;
}

void Placement::split_if_long(std::size_t at) {
  auto& entries = stretches_[at].entries;
  if (entries.size() <= kMostInStretch) return;
  const auto middle = entries.begin() + kMostInStretch / 2;
  Stretch upper{{middle, entries.end()}, {}};
  entries.erase(middle, entries.end());
  upper.longest = longest_of(upper);
  stretches_[at].longest = longest_of(stretches_[at]);
  stretches_.insert(stretches_.begin() + static_cast<std::ptrdiff_t>(at) + 1, std::move(upper));
}

std::optional<Block> Placement::block_at(std::uint32_t page) const {
  const Position at = last_not_above(page);
  const Entry& entry = stretches_[at.stretch].entries[at.entry];
  if (page >= entry.end()) return std::nullopt;
  return Block{entry.page, entry.pages};
}

void Placement::validate() const {
  HARNESS_ASSERT(!stretches_.empty());
  std::uint64_t next = 0;  // where the gap of the entry before ends: every entry starts there
  std::uint64_t free = 0;
  std::size_t blocks = 0;
  for (const Stretch& stretch : stretches_) {
    HARNESS_ASSERT(!stretch.entries.empty() && stretch.entries.size() <= kMostInStretch);
    for (const Entry& entry : stretch.entries) {
      const bool first = &entry == &stretches_.front().entries.front();
      HARNESS_ASSERT(entry.page == next && (entry.pages == 0) == first);
      next = std::uint64_t{entry.page} + entry.pages + entry.gap;
      free += entry.gap;
      blocks += first ? 0 : 1;
    }
    const Gap longest = longest_of(stretch);
    HARNESS_ASSERT(longest.pages == stretch.longest.pages &&
                   longest.pages_from_64k == stretch.longest.pages_from_64k);
  }
  HARNESS_ASSERT(next == size_pages_ && free == free_pages_ && blocks == block_count_);
}

}  // namespace wddm::vidmm
