// Lowest-address first-fit placement of blocks in one segment.
//
// Models: how VidMm finds a place for an allocation (windows-driver-docs, "Video memory management
// and GPU scheduling"; the documents leave the strategy open, so the oracle fixes the lowest
// address that fits and makes every other choice an explicit input elsewhere).
// The rules:
//   1. A block may lie wherever all its pages are free and its first page is a multiple of the
//      alignment. Of these places it gets the lowest.
//   2. Blocks never move. Freeing one makes its pages free again, no more.
// Structure: the blocks in address order, each with the gap behind it, in stretches of up to
// kMostInStretch. A stretch knows the longest of its gaps, so that a search passes over those where
// nothing can fit. At first reading take it for one sorted list: that is what for_each() shows.
// Cost: find, allocate, allocate_at and free visit every stretch and the entries of two:
// O(n / kMostInStretch + kMostInStretch) for n blocks if the alignment is 1 page (4 KiB) or 16
// (64 KiB); another alignment visits in addition the stretches whose gaps are long enough but badly
// aligned.
// Leaves out: banks, any notion of who owns a block.
#pragma once

#include <cstddef>
#include <cstdint>
#include <optional>
#include <vector>

namespace wddm::vidmm {

/// Most pages one Placement can manage: a little under 8 TiB.
inline constexpr std::uint32_t kMaxSegmentPages = 0x7FFF'0000;

/// A placed block: pages [page, page + pages).
struct Block {
  std::uint32_t page = 0;
  std::uint32_t pages = 0;
  friend bool operator==(const Block&, const Block&) = default;
};

/// Which of the free places is looked for.
enum class Towards : bool { Start, End };

/// The occupied and free pages of one segment.
class Placement {
 public:
  /// One free range of `size_pages` pages (0 .. kMaxSegmentPages).
  explicit Placement(std::uint32_t size_pages);

  /// The lowest page p, a multiple of `alignment_pages`, at which `pages` pages are free.
  /// `pages` >= 1, `alignment_pages` >= 1. Changes nothing.
  [[nodiscard]] std::optional<std::uint32_t> find(std::uint32_t pages,
                                                  std::uint32_t alignment_pages) const;

  /// The highest such page. Changes nothing. O(n) for n blocks behind it.
  [[nodiscard]] std::optional<std::uint32_t> find_last(std::uint32_t pages,
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

  /// Calls `visit(Block)` for every block, lowest address first.
  template <class Visit>
  void for_each(Visit&& visit) const {
    for (const Stretch& stretch : stretches_) {
      for (const Entry& entry : stretch.entries) {
        if (entry.pages != 0) visit(Block{entry.page, entry.pages});
      }
    }
  }

  /// Checks every invariant; a breach is a HARNESS error. O(n).
  void validate() const;

 private:
  static constexpr std::size_t kMostInStretch = 128;

  /// A block and the free pages between it and the next. The very first entry is no block: it has
  /// no pages and stands for the start of the segment, so that every gap follows an entry.
  struct Entry {
    std::uint32_t page;
    std::uint32_t pages;
    std::uint32_t gap;
    [[nodiscard]] std::uint32_t end() const { return page + pages; }
  };
  /// The usable length of a gap: from where it starts, and from its first 64-KiB boundary.
  struct Gap {
    std::uint32_t pages = 0;
    std::uint32_t pages_from_64k = 0;
  };
  /// Neighbouring entries, at least one. Never more than kMostInStretch between calls.
  struct Stretch {
    std::vector<Entry> entries;
    Gap longest;
  };
  struct Position {
    std::size_t stretch;
    std::size_t entry;
  };
  struct Fit {
    Position before;  ///< the entry whose gap has the place
    std::uint32_t page;
  };

  static void include(Gap& longest, const Entry& entry);
  static Gap longest_of(const Stretch& stretch);
  [[nodiscard]] std::optional<Fit> find_fit(std::uint32_t pages,
                                            std::uint32_t alignment_pages) const;
  [[nodiscard]] Position last_not_above(std::uint32_t page) const;
  void place_after(Position before, std::uint32_t page, std::uint32_t pages);
  void split_if_long(std::size_t stretch);

  std::vector<Stretch> stretches_;  // by address; the first has the entry that is no block
  std::uint32_t size_pages_ = 0;
  std::uint32_t free_pages_ = 0;
  std::size_t block_count_ = 0;
};

}  // namespace wddm::vidmm
