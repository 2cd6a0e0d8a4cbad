// The B+ tree behind Placement: search and placement. Splitting, merging and validation stand in
// placement_nodes.cpp.
//
// A head entry (start -1, end 0) opens the first leaf and is never removed, so that every gap,
// including the one at page 0, follows an entry and every block has a predecessor.
#include "reference/vidmm/placement.h"

#include <algorithm>
#include <bit>
#include <limits>

#include "reference/harness_assert.h"

#if defined(__SSE2__)
#include <emmintrin.h>
#endif

namespace wddm::vidmm {
namespace {

constexpr std::uint32_t kPagesPer64K = 16;

/// Bit i is set if lanes[i] >= bound.
template <class Lanes>
std::uint32_t lanes_at_least(const Lanes& lanes, std::int32_t bound) {
#if defined(__SSE2__)
  static_assert(std::tuple_size_v<Lanes> == 16);
  const auto* from = reinterpret_cast<const __m128i*>(lanes.data());
  const __m128i below = _mm_set1_epi32(bound - 1);
  const __m128i a = _mm_cmpgt_epi32(_mm_loadu_si128(from), below);
  const __m128i b = _mm_cmpgt_epi32(_mm_loadu_si128(from + 1), below);
  const __m128i c = _mm_cmpgt_epi32(_mm_loadu_si128(from + 2), below);
  const __m128i d = _mm_cmpgt_epi32(_mm_loadu_si128(from + 3), below);
  const __m128i packed = _mm_packs_epi16(_mm_packs_epi32(a, b), _mm_packs_epi32(c, d));
  return static_cast<std::uint32_t>(_mm_movemask_epi8(packed));
#else
  std::uint32_t mask = 0;
  for (std::uint32_t i = 0; i < lanes.size(); ++i) {
    mask |= static_cast<std::uint32_t>(lanes[i] >= bound) << i;
  }
  return mask;
#endif
}

/// Index of the first lane >= bound, not before `from`; 32 if there is none.
template <class Lanes>
std::uint32_t first_at_least(const Lanes& lanes, std::int32_t bound, std::uint32_t from = 0) {
  return static_cast<std::uint32_t>(std::countr_zero(lanes_at_least(lanes, bound) >> from << from));
}

/// Index of the last lane <= key in ascending lanes. At least lane 0 is <= key.
template <class Lanes>
std::uint32_t last_not_above(const Lanes& lanes, std::int32_t key) {
  const std::uint32_t above = first_at_least(lanes, key + 1);
  return (above < lanes.size() ? above : static_cast<std::uint32_t>(lanes.size())) - 1;
}

/// The largest lane, or -1 if all are lower.
template <class Lanes>
std::int32_t highest(const Lanes& lanes) {
  std::int32_t best = -1;
  for (const std::int32_t lane : lanes) best = lane > best ? lane : best;
  return best;
}

std::int32_t align_up_64k(std::int32_t page) {
  constexpr std::int32_t kMask = kPagesPer64K - 1;
  return (page + kMask) & ~kMask;
}

std::int64_t align_up(std::int64_t page, std::int64_t alignment) {
  const bool power_of_two = (alignment & (alignment - 1)) == 0;
  if (power_of_two) return (page + alignment - 1) & -alignment;
  return (page + alignment - 1) / alignment * alignment;
}

}  // namespace

Placement::Placement(std::uint32_t size_pages) : size_pages_(size_pages), free_pages_(size_pages) {
  HARNESS_ASSERT(size_pages <= kMaxSegmentPages);
  root_ = first_leaf_ = new_leaf();
  Leaf& head = leaves_[root_];
  head.start[0] = -1;
  head.end[0] = 0;
  head.gap[0] = static_cast<std::int32_t>(size_pages);
  head.count = 1;
}

bool Placement::find_fit(std::int32_t pages, std::uint32_t alignment_pages, Fit& fit) const {
  const bool exact = alignment_pages == 1 || alignment_pages == kPagesPer64K;
  const bool at_64k = alignment_pages % kPagesPer64K == 0;
  std::uint32_t level = height_;
  std::uint32_t node = root_;
  std::uint32_t from = 0;
  for (;;) {
    if (level > 0) {
      const Inner& inner = inners_[node];
      const std::uint32_t slot = first_at_least(at_64k ? inner.best_64k : inner.best, pages, from);
      if (slot < inner.count) {
        --level;
        fit.path.inner[level] = {node, slot};
        node = inner.child[slot];
        from = 0;
        continue;
      }
    } else {
      const Leaf& leaf = leaves_[node];
      for (std::uint32_t i = first_at_least(leaf.gap, pages); i < leaf.count; ++i) {
        const std::int64_t page = align_up(leaf.end[i], alignment_pages);
        if (page + pages <= std::int64_t{leaf.end[i]} + leaf.gap[i]) {
          fit.path.leaf = node;
          fit.path.slot = i;
          fit.page = static_cast<std::int32_t>(page);
          return true;
        }
      }
    }
    // Nothing below this node. For exact alignments that can only be the root.
    if (level == height_) return false;
    HARNESS_ASSERT(!exact);
    node = fit.path.inner[level].node;
    from = fit.path.inner[level].slot + 1;
    ++level;
  }
}

void Placement::descend(std::int32_t page, Path& path) const {
  std::uint32_t node = root_;
  for (std::uint32_t level = height_; level-- > 0;) {
    const Inner& inner = inners_[node];
    const std::uint32_t slot = last_not_above(inner.first, page);
    path.inner[level] = {node, slot};
    node = inner.child[slot];
  }
  path.leaf = node;
  path.slot = last_not_above(leaves_[node].start, page);
}

std::optional<std::uint32_t> Placement::find(std::uint32_t pages,
                                             std::uint32_t alignment_pages) const {
  HARNESS_ASSERT(pages >= 1 && alignment_pages >= 1);
  Fit fit;
  if (pages > free_pages_ || !find_fit(static_cast<std::int32_t>(pages), alignment_pages, fit)) {
    return std::nullopt;
  }
  return static_cast<std::uint32_t>(fit.page);
}

std::optional<std::uint32_t> Placement::allocate(std::uint32_t pages,
                                                 std::uint32_t alignment_pages) {
  HARNESS_ASSERT(pages >= 1 && alignment_pages >= 1);
  Fit fit;
  if (pages > free_pages_ || !find_fit(static_cast<std::int32_t>(pages), alignment_pages, fit)) {
    return std::nullopt;
  }
  place_after(fit.path, fit.page, static_cast<std::int32_t>(pages));
  return static_cast<std::uint32_t>(fit.page);
}

bool Placement::allocate_at(std::uint32_t page, std::uint32_t pages) {
  HARNESS_ASSERT(pages >= 1);
  if (page >= size_pages_ || pages > size_pages_ - page) return false;
  const auto start = static_cast<std::int32_t>(page);
  const auto length = static_cast<std::int32_t>(pages);
  Path path;
  descend(start, path);
  const Leaf& leaf = leaves_[path.leaf];
  const std::int32_t gap_start = leaf.end[path.slot];
  if (start < gap_start || start + length > gap_start + leaf.gap[path.slot]) return false;
  place_after(path, start, length);
  return true;
}

void Placement::place_after(Path& path, std::int32_t page, std::int32_t pages) {
  if (leaves_[path.leaf].count == kFanout) split_leaf(path);
  Leaf& leaf = leaves_[path.leaf];
  const std::uint32_t before = path.slot;
  const std::int32_t gap_start = leaf.end[before];
  const std::int32_t gap_end = gap_start + leaf.gap[before];
  const std::uint32_t at = before + 1;
  for (std::uint32_t i = leaf.count; i > at; --i) {
    leaf.start[i] = leaf.start[i - 1];
    leaf.end[i] = leaf.end[i - 1];
    leaf.gap[i] = leaf.gap[i - 1];
  }
  leaf.gap[before] = page - gap_start;
  leaf.start[at] = page;
  leaf.end[at] = page + pages;
  leaf.gap[at] = gap_end - (page + pages);
  ++leaf.count;
  ++block_count_;
  free_pages_ -= static_cast<std::uint32_t>(pages);
  const Best left = best_of_gap(gap_start, page - gap_start);
  const Best right = best_of_gap(page + pages, gap_end - (page + pages));
  refresh(path, best_of_gap(gap_start, gap_end - gap_start),
          {std::max(left.any, right.any), std::max(left.at_64k, right.at_64k)});
}

std::uint32_t Placement::free(std::uint32_t page) {
  HARNESS_ASSERT(page < size_pages_);
  Path path;
  descend(static_cast<std::int32_t>(page), path);
  Leaf& leaf = leaves_[path.leaf];
  const std::uint32_t at = path.slot;
  HARNESS_ASSERT(leaf.start[at] == static_cast<std::int32_t>(page));
  const std::int32_t pages = leaf.end[at] - leaf.start[at];
  const std::int32_t gained = pages + leaf.gap[at];
  const Best lost = best_of_gap(leaf.end[at], leaf.gap[at]);
  for (std::uint32_t i = at + 1; i < leaf.count; ++i) {
    leaf.start[i - 1] = leaf.start[i];
    leaf.end[i - 1] = leaf.end[i];
    leaf.gap[i - 1] = leaf.gap[i];
  }
  const std::uint32_t last = --leaf.count;
  leaf.start[last] = std::numeric_limits<std::int32_t>::max();
  leaf.end[last] = 0;
  leaf.gap[last] = -1;
  --block_count_;
  free_pages_ += static_cast<std::uint32_t>(pages);

  if (at > 0) {
    leaf.gap[at - 1] += gained;
    if (!merge_leaf(path)) {
      refresh(path, kNothing, best_of_gap(leaf.end[at - 1], leaf.gap[at - 1]));
    }
    return static_cast<std::uint32_t>(pages);
  }
  // The gap belongs to the last block of the leaf before; that leaf exists, since the first leaf
  // opens with the head entry.
  Leaf& previous = leaves_[leaf.previous];
  const std::uint32_t last_before = previous.count - 1;
  previous.gap[last_before] += gained;
  const std::int32_t previous_start = previous.start[last_before];
  const Best grown = best_of_gap(previous.end[last_before], previous.gap[last_before]);
  if (!merge_leaf(path)) refresh(path, lost, kNothing);
  Path previous_path;
  descend(previous_start, previous_path);
  refresh(previous_path, kNothing, grown);
  return static_cast<std::uint32_t>(pages);
}

std::optional<Block> Placement::block_at(std::uint32_t page) const {
  if (page >= size_pages_) return std::nullopt;
  Path path;
  descend(static_cast<std::int32_t>(page), path);
  const Leaf& leaf = leaves_[path.leaf];
  const std::int32_t start = leaf.start[path.slot];
  const std::int32_t end = leaf.end[path.slot];
  if (start < 0 || static_cast<std::int32_t>(page) >= end) return std::nullopt;
  return Block{static_cast<std::uint32_t>(start), static_cast<std::uint32_t>(end - start)};
}

Placement::Best Placement::best_of_gap(std::int32_t start, std::int32_t pages) {
  return {pages, start + pages - align_up_64k(start)};
}

Placement::Best Placement::best_of(const Leaf& leaf) {
  Lanes at_64k;
  for (std::uint32_t i = 0; i < kFanout; ++i) {
    at_64k[i] = leaf.end[i] + leaf.gap[i] - align_up_64k(leaf.end[i]);
  }
  return {highest(leaf.gap), highest(at_64k)};
}

Placement::Best Placement::best_of(const Inner& inner) {
  return {highest(inner.best), highest(inner.best_64k)};
}

/// Carries a change below `path.leaf` upwards: gaps no better than `lost` are gone, gaps no better
/// than `gained` are new. A sum is computed afresh only if its best may be among the lost.
void Placement::refresh(const Path& path, Best lost, Best gained) {
  std::int32_t first = leaves_[path.leaf].start[0];
  for (std::uint32_t level = 0; level < height_; ++level) {
    Inner& inner = inners_[path.inner[level].node];
    const std::uint32_t slot = path.inner[level].slot;
    const Best old{inner.best[slot], inner.best_64k[slot]};
    Best now{std::max(old.any, gained.any), std::max(old.at_64k, gained.at_64k)};
    if ((lost.any >= old.any && gained.any < old.any) ||
        (lost.at_64k >= old.at_64k && gained.at_64k < old.at_64k)) {
      now = level == 0 ? best_of(leaves_[path.leaf]) : best_of(inners_[path.inner[level - 1].node]);
    }
    if (now.any == old.any && now.at_64k == old.at_64k && inner.first[slot] == first) return;
    inner.best[slot] = now.any;
    inner.best_64k[slot] = now.at_64k;
    inner.first[slot] = first;
    first = inner.first[0];
    lost = old;
    gained = now;
  }
}

}  // namespace wddm::vidmm
