// The used part of one GPU virtual address space: pieces in address order, and the gaps between.
//
// Only the structure; whose the pieces are and what is allowed is va_ranges.h. The rules:
//   1. Pieces do not overlap. What is in no piece is free.
//   2. assign() gives pages a new owner and state whatever was there; pieces that reach beyond are
//      cut. Neighbours of the same range whose states continue become one piece.
//   3. lowest_fit() is the lowest place: the documents leave VidMm's choice open, and the lowest is
//      the same on every run.
// Structure: as in vidmm/placement.h, one sorted list in stretches of up to kMostInStretch, and an
// index that knows the first page and the longest gap of each.
// Cost for n pieces: lookup O(log n); change O(kMostInStretch), and O(n / kMostInStretch) each time
// a stretch comes or goes, which takes many changes; lowest_fit O(n / kMostInStretch) small steps,
// and one stretch for each whose longest gap suffices but lies badly. (Stretches that have become
// short are not joined, so that n is the most there ever was.) Memory is for pieces, not for
// pages: the space may have 2^52 of them.
#pragma once

#include <cstddef>
#include <cstdint>
#include <optional>
#include <vector>

#include "reference/gpuva/page_state.h"
#include "reference/types.h"

namespace wddm::gpuva {

/// A range that Map, Reserve or the driver obtained: an index of VaRanges.
using VaRangeId = Strong<struct VaRangeTag>;

/// Neighbouring pages of one range whose entries one state describes.
struct Piece {
  std::uint64_t page = 0;
  std::uint64_t pages = 0;
  VaRangeId range{};
  PageState state;
  [[nodiscard]] std::uint64_t end() const { return page + pages; }
  friend bool operator==(const Piece&, const Piece&) = default;
};

/// Where a place may be: a page p with p % alignment == phase and first <= p, p + pages <= end.
struct Placing {
  std::uint64_t pages = 1;
  std::uint64_t alignment = 1;
  std::uint64_t phase = 0;  ///< below `alignment`
  std::uint64_t first = 0;
  std::uint64_t end = 0;
};

class VaMap {
 public:
  /// A space of `pages` pages, the first `never` of which (1 or more) belong to `range` for ever.
  VaMap(std::uint64_t pages, std::uint64_t never, VaRangeId range);

  /// The piece that `page` lies in, or null. Valid until the next change.
  [[nodiscard]] const Piece* find(std::uint64_t page) const;
  /// Whether none of [page, page + pages) is used. It lies in the space.
  [[nodiscard]] bool is_free(std::uint64_t page, std::uint64_t pages) const;
  /// Rule 3; nothing if there is no such place.
  [[nodiscard]] std::optional<std::uint64_t> lowest_fit(const Placing& placing) const;

  /// Rule 2. `piece` is not empty, and lies in the space behind what is never free.
  void assign(const Piece& piece);
  /// Makes [page, page + pages) free.
  void erase(std::uint64_t page, std::uint64_t pages);

  /// Calls `visit(Piece)` for each piece in [page, page + pages), cut to it, lowest first, until it
  /// answers false.
  template <class Visit>
  void visit_in(std::uint64_t page, std::uint64_t pages, Visit&& visit) const {
    Position at = last_not_above(page);
    const std::uint64_t end = page + pages;
    for (; at.stretch < stretches_.size(); ++at.stretch, at.piece = 0) {
      for (; at.piece < stretches_[at.stretch].size(); ++at.piece) {
        const Piece& piece = stretches_[at.stretch][at.piece];
        if (piece.page >= end) return;
        if (piece.end() > page && !visit(cut(piece, page, end))) return;
      }
    }
  }

  [[nodiscard]] std::uint64_t pages() const { return pages_; }
  [[nodiscard]] std::size_t piece_count() const { return piece_count_; }

  /// Checks every invariant; a breach is a HARNESS error. O(n).
  void validate() const;

 private:
  static constexpr std::size_t kMostInStretch = 128;

  using Stretch = std::vector<Piece>;  // never empty between calls
  struct Index {
    std::uint64_t first = 0;        // page of its first piece
    std::uint64_t longest = 0;      // longest gap behind one of its pieces
    std::uint64_t longest_64k = 0;  // the same from the first 64 KiB boundary of each gap
    friend bool operator==(const Index&, const Index&) = default;
  };
  struct Position {
    std::size_t stretch = 0;
    std::size_t piece = 0;
  };

  static Piece cut(const Piece& piece, std::uint64_t page, std::uint64_t end);
  static bool continues(const Piece& piece, const Piece& next);
  [[nodiscard]] Position last_not_above(std::uint64_t page) const;
  [[nodiscard]] std::uint64_t gap_end(std::size_t stretch, std::size_t piece) const;
  [[nodiscard]] Index index_of(std::size_t stretch) const;
  void refresh(std::size_t stretch);
  void insert(Position after, const Piece& piece);
  void remove(Position at);
  void split_at(std::uint64_t page);
  void erase_whole(std::uint64_t page, std::uint64_t end);

  std::vector<Stretch> stretches_;
  std::vector<Index> index_;  // of each stretch
  std::uint64_t pages_ = 0;
  std::size_t piece_count_ = 0;
};

}  // namespace wddm::gpuva
