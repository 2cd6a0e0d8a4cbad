// The B+ tree behind Placement: splitting, merging and recycling of nodes, and its invariants.
//
// A full node splits into halves. A node that a removal leaves at a quarter or less joins a
// neighbour under the same parent if both fit in three quarters of a node. Between two joins there
// are thus always a few cheap operations, and the number of nodes stays in proportion to the
// number of blocks.
#include <algorithm>
#include <limits>

#include "reference/harness_assert.h"
#include "reference/vidmm/placement.h"

namespace wddm::vidmm {

namespace {
constexpr std::int32_t kUnusedKey = std::numeric_limits<std::int32_t>::max();
}  // namespace

void Placement::clear(Leaf& leaf) {
  leaf.start.fill(kUnusedKey);
  leaf.end.fill(0);
  leaf.gap.fill(-1);
  leaf.count = 0;
  leaf.previous = leaf.next = kNone;
}

void Placement::clear(Inner& inner) {
  inner.first.fill(kUnusedKey);
  inner.best.fill(-1);
  inner.best_64k.fill(-1);
  inner.child.fill(kNone);
  inner.count = 0;
}

std::uint32_t Placement::new_leaf() {
  std::uint32_t at;
  if (free_leaves_.empty()) {
    at = static_cast<std::uint32_t>(leaves_.size());
    leaves_.emplace_back();
  } else {
    at = free_leaves_.back();
    free_leaves_.pop_back();
  }
  clear(leaves_[at]);
  return at;
}

std::uint32_t Placement::new_inner() {
  std::uint32_t at;
  if (free_inners_.empty()) {
    at = static_cast<std::uint32_t>(inners_.size());
    inners_.emplace_back();
  } else {
    at = free_inners_.back();
    free_inners_.pop_back();
  }
  clear(inners_[at]);
  return at;
}

void Placement::reserve(std::size_t blocks) {
  // Joins keep four entries per node on average; only children hold fewer.
  const std::size_t leaves = blocks / 4 + blocks / 16 + 8;
  const std::size_t inners = leaves / 4 + leaves / 16 + 8;
  leaves_.reserve(leaves);
  free_leaves_.reserve(leaves);
  inners_.reserve(inners);
  free_inners_.reserve(inners);
}

/// Splits the full leaf of `path` and leaves `path` at the same entry, in a leaf with room.
void Placement::split_leaf(Path& path) {
  const std::int32_t key = leaves_[path.leaf].start[path.slot];
  const std::uint32_t right_at = new_leaf();
  Leaf& left = leaves_[path.leaf];
  Leaf& right = leaves_[right_at];
  constexpr std::uint32_t kHalf = kFanout / 2;
  for (std::uint32_t i = kHalf; i < kFanout; ++i) {
    right.start[i - kHalf] = left.start[i];
    right.end[i - kHalf] = left.end[i];
    right.gap[i - kHalf] = left.gap[i];
    left.start[i] = kUnusedKey;
    left.end[i] = 0;
    left.gap[i] = -1;
  }
  left.count = kHalf;
  right.count = kFanout - kHalf;
  right.previous = path.leaf;
  right.next = left.next;
  left.next = right_at;
  if (right.next != kNone) leaves_[right.next].previous = right_at;

  const std::int32_t left_first = left.start[0];
  const std::int32_t right_first = right.start[0];
  insert_child(path, 0, right_at, right_first);
  refresh_all(left_first);
  refresh_all(right_first);
  descend(key, path);
}

/// Enters `child` to the right of the slot that `path` takes at `level`. The path is stale after.
void Placement::insert_child(Path& path, std::uint32_t level, std::uint32_t child,
                             std::int32_t first) {
  if (level == height_) {  // the root itself was split
    HARNESS_ASSERT(height_ + 1 < kMaxHeight);
    const std::uint32_t old_root = root_;
    const std::int32_t old_first =
        height_ == 0 ? leaves_[old_root].start[0] : inners_[old_root].first[0];
    root_ = new_inner();
    ++height_;
    Inner& inner = inners_[root_];
    inner.count = 2;
    inner.child[0] = old_root;
    inner.first[0] = old_first;
    inner.child[1] = child;
    inner.first[1] = first;
    return;
  }
  std::uint32_t node = path.inner[level].node;
  std::uint32_t at = path.inner[level].slot + 1;
  if (inners_[node].count == kFanout) {
    const std::uint32_t right_at = new_inner();
    Inner& left = inners_[node];
    Inner& right = inners_[right_at];
    constexpr std::uint32_t kHalf = kFanout / 2;
    for (std::uint32_t i = kHalf; i < kFanout; ++i) {
      right.first[i - kHalf] = left.first[i];
      right.best[i - kHalf] = left.best[i];
      right.best_64k[i - kHalf] = left.best_64k[i];
      right.child[i - kHalf] = left.child[i];
      left.first[i] = kUnusedKey;
      left.best[i] = left.best_64k[i] = -1;
      left.child[i] = kNone;
    }
    left.count = kHalf;
    right.count = kFanout - kHalf;
    const std::int32_t left_first = left.first[0];
    const std::int32_t right_first = right.first[0];
    insert_child(path, level + 1, right_at, right_first);
    refresh_all(left_first);
    refresh_all(right_first);
    if (at > kHalf) {
      node = right_at;
      at -= kHalf;
    }
  }
  Inner& inner = inners_[node];
  for (std::uint32_t i = inner.count; i > at; --i) {
    inner.first[i] = inner.first[i - 1];
    inner.best[i] = inner.best[i - 1];
    inner.best_64k[i] = inner.best_64k[i - 1];
    inner.child[i] = inner.child[i - 1];
  }
  inner.first[at] = first;
  inner.child[at] = child;
  ++inner.count;
}

/// Takes slot `slot` out of the inner node that `path` passes at `level`; an inner node that this
/// empties goes too, one that became small joins a neighbour. The path is stale after.
void Placement::remove_child(Path& path, std::uint32_t level, std::uint32_t slot) {
  const std::uint32_t node = path.inner[level].node;
  Inner& inner = inners_[node];
  for (std::uint32_t i = slot + 1; i < inner.count; ++i) {
    inner.first[i - 1] = inner.first[i];
    inner.best[i - 1] = inner.best[i];
    inner.best_64k[i - 1] = inner.best_64k[i];
    inner.child[i - 1] = inner.child[i];
  }
  const std::uint32_t last = --inner.count;
  inner.first[last] = kUnusedKey;
  inner.best[last] = inner.best_64k[last] = -1;
  inner.child[last] = kNone;
  if (level + 1 < height_) {
    if (inner.count == 0) {
      free_inners_.push_back(node);
      remove_child(path, level + 1, path.inner[level + 1].slot);
    } else {
      merge_inner(path, level);
    }
    return;
  }
  while (height_ > 0 && inners_[root_].count == 1) {
    free_inners_.push_back(root_);
    root_ = inners_[root_].child[0];
    --height_;
  }
}

/// Drops the leaf of `path` if it is empty, or joins it with a neighbour if it is small. Answers
/// whether it did; then all sums are right again and `path` is stale.
bool Placement::merge_leaf(Path& path) {
  const std::uint32_t at = path.leaf;
  if (height_ == 0 || leaves_[at].count > kFanout / 4) return false;
  const Inner& parent = inners_[path.inner[0].node];
  const std::uint32_t slot = path.inner[0].slot;
  if (leaves_[at].count == 0) {
    const std::uint32_t previous = leaves_[at].previous;
    const std::uint32_t next = leaves_[at].next;
    leaves_[previous].next = next;
    if (next != kNone) leaves_[next].previous = previous;
    free_leaves_.push_back(at);
    remove_child(path, 0, slot);
    refresh_all(leaves_[previous].start[0]);
    if (next != kNone) refresh_all(leaves_[next].start[0]);
    return true;
  }
  const auto fits = [&](std::uint32_t other) {
    return leaves_[parent.child[other]].count + leaves_[at].count <= kFanout * 3 / 4;
  };
  std::uint32_t right_slot;
  if (slot + 1 < parent.count && fits(slot + 1)) {
    right_slot = slot + 1;
  } else if (slot > 0 && fits(slot - 1)) {
    right_slot = slot;
  } else {
    return false;
  }
  const std::uint32_t left_at = parent.child[right_slot - 1];
  const std::uint32_t right_at = parent.child[right_slot];
  Leaf& left = leaves_[left_at];
  const Leaf& right = leaves_[right_at];
  for (std::uint32_t i = 0; i < right.count; ++i) {
    left.start[left.count] = right.start[i];
    left.end[left.count] = right.end[i];
    left.gap[left.count] = right.gap[i];
    ++left.count;
  }
  left.next = right.next;
  if (left.next != kNone) leaves_[left.next].previous = left_at;
  free_leaves_.push_back(right_at);
  remove_child(path, 0, right_slot);
  refresh_all(leaves_[left_at].start[0]);
  return true;
}

/// Joins the inner node that `path` passes at `level` with a neighbour if it is small.
void Placement::merge_inner(Path& path, std::uint32_t level) {
  const std::uint32_t node = path.inner[level].node;
  if (inners_[node].count > kFanout / 4) return;
  const Inner& parent = inners_[path.inner[level + 1].node];
  const std::uint32_t slot = path.inner[level + 1].slot;
  const auto fits = [&](std::uint32_t other) {
    return inners_[parent.child[other]].count + inners_[node].count <= kFanout * 3 / 4;
  };
  std::uint32_t right_slot;
  if (slot + 1 < parent.count && fits(slot + 1)) {
    right_slot = slot + 1;
  } else if (slot > 0 && fits(slot - 1)) {
    right_slot = slot;
  } else {
    return;
  }
  const std::uint32_t right_at = parent.child[right_slot];
  Inner& left = inners_[parent.child[right_slot - 1]];
  const Inner& right = inners_[right_at];
  for (std::uint32_t i = 0; i < right.count; ++i) {
    left.first[left.count] = right.first[i];
    left.best[left.count] = right.best[i];
    left.best_64k[left.count] = right.best_64k[i];
    left.child[left.count] = right.child[i];
    ++left.count;
  }
  free_inners_.push_back(right_at);
  remove_child(path, level + 1, right_slot);
}

/// Recomputes every sum on the way to the block at or before `page`.
void Placement::refresh_all(std::int32_t page) {
  Path path;
  descend(page, path);
  Best best = best_of(leaves_[path.leaf]);
  std::int32_t first = leaves_[path.leaf].start[0];
  for (std::uint32_t level = 0; level < height_; ++level) {
    Inner& inner = inners_[path.inner[level].node];
    const std::uint32_t slot = path.inner[level].slot;
    inner.best[slot] = best.any;
    inner.best_64k[slot] = best.at_64k;
    inner.first[slot] = first;
    best = best_of(inner);
    first = inner.first[0];
  }
}

void Placement::validate() const {
  HARNESS_ASSERT(leaves_[first_leaf_].start[0] == -1 && leaves_[first_leaf_].end[0] == 0);
  validate_below(root_, height_, -1, kUnusedKey);
  std::size_t blocks = 0;
  std::int64_t free_pages = 0;
  std::int32_t expected = -1;
  std::uint32_t previous = kNone;
  std::size_t leaves = 0;
  for (std::uint32_t at = first_leaf_; at != kNone; at = leaves_[at].next) {
    const Leaf& leaf = leaves_[at];
    HARNESS_ASSERT(leaf.previous == previous);
    for (std::uint32_t i = 0; i < leaf.count; ++i) {
      HARNESS_ASSERT(leaf.start[i] == expected && leaf.end[i] > leaf.start[i] && leaf.gap[i] >= 0);
      expected = leaf.end[i] + leaf.gap[i];
      free_pages += leaf.gap[i];
      ++blocks;
      // The next block starts where this gap ends, so blocks and gaps tile the segment.
    }
    previous = at;
    ++leaves;
  }
  HARNESS_ASSERT(expected == static_cast<std::int32_t>(size_pages_));
  HARNESS_ASSERT(free_pages == free_pages_);
  HARNESS_ASSERT(blocks == block_count_ + 1);
  HARNESS_ASSERT(leaves + free_leaves_.size() == leaves_.size());
}

void Placement::validate_below(std::uint32_t node, std::uint32_t level, std::int32_t low,
                               std::int32_t high) const {
  if (level == 0) {
    const Leaf& leaf = leaves_[node];
    HARNESS_ASSERT(leaf.count >= 1 && leaf.count <= kFanout);
    HARNESS_ASSERT(leaf.start[0] == low && leaf.start[leaf.count - 1] < high);
    for (std::uint32_t i = leaf.count; i < kFanout; ++i) {
      HARNESS_ASSERT(leaf.start[i] == kUnusedKey && leaf.end[i] == 0 && leaf.gap[i] == -1);
    }
    return;
  }
  const Inner& inner = inners_[node];
  HARNESS_ASSERT(inner.count >= (node == root_ ? 2u : 1u) && inner.count <= kFanout);
  HARNESS_ASSERT(inner.first[0] == low);
  for (std::uint32_t i = 0; i < kFanout; ++i) {
    if (i >= inner.count) {
      HARNESS_ASSERT(inner.first[i] == kUnusedKey && inner.best[i] == -1 &&
                     inner.best_64k[i] == -1);
      continue;
    }
    const std::uint32_t child = inner.child[i];
    const Best best = level == 1 ? best_of(leaves_[child]) : best_of(inners_[child]);
    HARNESS_ASSERT(inner.best[i] == best.any && inner.best_64k[i] == best.at_64k);
    validate_below(child, level - 1, inner.first[i],
                   i + 1 < inner.count ? inner.first[i + 1] : high);
  }
}

}  // namespace wddm::vidmm
