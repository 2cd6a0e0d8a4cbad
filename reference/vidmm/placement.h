// Lowest-address first-fit placement of blocks in one segment.
//
// Models: how VidMm finds a place for an allocation (windows-driver-docs, "Video memory management
// and GPU scheduling"; the documents leave the strategy open, so the oracle fixes the lowest
// address that fits and makes every other choice an explicit input elsewhere).
// Structure: a B+ tree over the live blocks in address order. Each entry carries the gap that
// follows its block; each inner node carries, per child, the longest gap below it and the longest
// gap below it that starts at a 64-KiB boundary. A fit is therefore one descent, not a scan.
// Leaves out: banks, placement from the end of a segment, any notion of who owns a block.
#pragma once

#include <array>
#include <cstddef>
#include <cstdint>
#include <optional>
#include <vector>

namespace wddm::vidmm {

/// Most pages one Placement can manage: a little under 8 TiB. Offsets fit in 31 bits, so that the
/// search runs on signed 32-bit lanes.
inline constexpr std::uint32_t kMaxSegmentPages = 0x7FFF'0000;

/// A placed block: pages [page, page + pages).
struct Block {
  std::uint32_t page = 0;
  std::uint32_t pages = 0;
  friend bool operator==(const Block&, const Block&) = default;
};

/// The occupied and free pages of one segment.
///
/// Every operation is O(log n) in the number of live blocks for alignments of one page (4 KiB) and
/// of 16 pages (64 KiB); another alignment visits in addition the gaps that are long enough but
/// badly aligned. Nothing is allocated from the heap while at most `reserve`d blocks live.
class Placement {
 public:
  /// One free range of `size_pages` pages (0 .. kMaxSegmentPages).
  explicit Placement(std::uint32_t size_pages);

  /// Sets aside the nodes that `blocks` live blocks can need.
  void reserve(std::size_t blocks);

  /// The lowest page p, a multiple of `alignment_pages`, at which `pages` pages are free.
  /// `pages` >= 1, `alignment_pages` >= 1. Changes nothing.
  [[nodiscard]] std::optional<std::uint32_t> find(std::uint32_t pages,
                                                  std::uint32_t alignment_pages) const;

  /// Occupies what `find` returns.
  [[nodiscard]] std::optional<std::uint32_t> allocate(std::uint32_t pages,
                                                      std::uint32_t alignment_pages);

  [[nodiscard]] bool would_fit(std::uint32_t pages, std::uint32_t alignment_pages) const {
    return find(pages, alignment_pages).has_value();
  }

  /// Occupies [page, page + pages), or changes nothing and answers false if a page of it is taken
  /// or lies outside the segment.
  [[nodiscard]] bool allocate_at(std::uint32_t page, std::uint32_t pages);

  /// Frees the block that starts at `page` and returns its pages. No such block is a HARNESS error.
  std::uint32_t free(std::uint32_t page);

  /// The block that contains `page`, if one does.
  [[nodiscard]] std::optional<Block> block_at(std::uint32_t page) const;

  [[nodiscard]] std::uint32_t size_pages() const { return size_pages_; }
  [[nodiscard]] std::uint32_t free_pages() const { return free_pages_; }
  [[nodiscard]] std::size_t block_count() const { return block_count_; }

  /// Memory set aside for nodes; constant while `reserve` suffices.
  [[nodiscard]] std::size_t reserved_bytes() const {
    return leaves_.capacity() * sizeof(Leaf) + inners_.capacity() * sizeof(Inner);
  }

  /// Calls `visit(Block)` for every block, lowest address first.
  template <class Visit>
  void for_each(Visit&& visit) const {
    for (std::uint32_t at = first_leaf_; at != kNone; at = leaves_[at].next) {
      const Leaf& leaf = leaves_[at];
      for (std::uint32_t i = at == first_leaf_ ? 1 : 0; i < leaf.count; ++i) {
        visit(Block{static_cast<std::uint32_t>(leaf.start[i]),
                    static_cast<std::uint32_t>(leaf.end[i] - leaf.start[i])});
      }
    }
  }

  /// Checks every invariant of the tree; a breach is a HARNESS error. O(n).
  void validate() const;

 private:
  static constexpr std::uint32_t kFanout = 16;
  static constexpr std::uint32_t kNone = ~std::uint32_t{0};
  static constexpr std::uint32_t kMaxHeight = 16;
  using Lanes = std::array<std::int32_t, kFanout>;

  // Unused lanes hold values that no search selects: start kUnusedKey, gap -1, best -1.
  struct alignas(64) Leaf {
    Lanes start;
    Lanes end;
    Lanes gap;  // free pages between end[i] and the next block
    std::uint32_t count;
    std::uint32_t previous;
    std::uint32_t next;
  };
  struct alignas(64) Inner {
    Lanes first;     // lowest start below child i
    Lanes best;      // longest gap below child i
    Lanes best_64k;  // longest gap below child i, counted from its first 64-KiB boundary
    std::array<std::uint32_t, kFanout> child;
    std::uint32_t count;
  };
  struct Best {
    std::int32_t any;
    std::int32_t at_64k;
  };
  struct PathStep {
    std::uint32_t node;
    std::uint32_t slot;
  };
  /// The way from the root down to a leaf; `inner[level]` with level 0 just above the leaves.
  struct Path {
    std::array<PathStep, kMaxHeight> inner;
    std::uint32_t leaf;
    std::uint32_t slot;
  };
  struct Fit {
    Path path;
    std::int32_t page;
  };

  static constexpr Best kNothing{-1, -1};
  static Best best_of_gap(std::int32_t start, std::int32_t pages);
  static Best best_of(const Leaf& leaf);
  static Best best_of(const Inner& inner);
  static void clear(Leaf& leaf);
  static void clear(Inner& inner);

  std::uint32_t new_leaf();
  std::uint32_t new_inner();

  bool find_fit(std::int32_t pages, std::uint32_t alignment_pages, Fit& fit) const;
  void descend(std::int32_t page, Path& path) const;
  void insert_after(Path& path, std::int32_t start, std::int32_t end);
  void split_leaf(Path& path);
  void insert_child(Path& path, std::uint32_t level, std::uint32_t child, std::int32_t first);
  void remove_child(Path& path, std::uint32_t level, std::uint32_t slot);
  bool merge_leaf(Path& path);
  void merge_inner(Path& path, std::uint32_t level);
  void refresh(const Path& path, Best lost, Best gained);
  void refresh_all(std::int32_t page);
  void place_after(Path& path, std::int32_t page, std::int32_t pages);
  void validate_below(std::uint32_t node, std::uint32_t level, std::int32_t low,
                      std::int32_t high) const;

  std::vector<Leaf> leaves_;
  std::vector<Inner> inners_;
  std::vector<std::uint32_t> free_leaves_;
  std::vector<std::uint32_t> free_inners_;
  std::uint32_t root_ = 0;    // a leaf if height_ is 0, else an inner node
  std::uint32_t height_ = 0;  // inner levels above the leaves
  std::uint32_t first_leaf_ = 0;
  std::uint32_t size_pages_ = 0;
  std::uint32_t free_pages_ = 0;
  std::size_t block_count_ = 0;
};

}  // namespace wddm::vidmm
