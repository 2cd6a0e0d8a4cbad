// See va_map.h for the rules and the structure.
#include "reference/gpuva/va_map.h"

#include <algorithm>
#include <iterator>

#include "reference/gpuva/gpu_address.h"
#include "reference/harness_assert.h"

namespace wddm::gpuva {
namespace {

/// The lowest page from `page` on with the alignment and phase of `placing`.
std::uint64_t align_up(std::uint64_t page, const Placing& placing) {
  const std::uint64_t over = page % placing.alignment;
  const std::uint64_t missing =
      over <= placing.phase ? placing.phase - over : placing.phase + placing.alignment - over;
  return page + missing;
}

}  // namespace

VaMap::VaMap(std::uint64_t pages, std::uint64_t never, VaRangeId range) : pages_(pages) {
  HARNESS_ASSERT(never >= 1 && never <= pages && pages <= std::uint64_t{1} << 52);
  Stretch& only = stretches_.emplace_back();
  only.reserve(kMostInStretch + 1);
  only.push_back({.page = 0, .pages = never, .range = range, .state = {}});
  index_.emplace_back();
  piece_count_ = 1;
  refresh(0);
}

Piece VaMap::cut(const Piece& piece, std::uint64_t page, std::uint64_t end) {
  Piece part = piece;
  if (piece.page < page) {
    part.page = page;
    part.state = piece.state.behind(page - piece.page);
  }
  part.pages = std::min(piece.end(), end) - part.page;
  return part;
}

/// Whether both may be one piece.
bool VaMap::continues(const Piece& piece, const Piece& next) {
  return piece.end() == next.page && piece.range == next.range &&
         piece.state.behind(piece.pages) == next.state;
}

VaMap::Position VaMap::last_not_above(std::uint64_t page) const {
  const auto next =
      std::upper_bound(index_.begin() + 1, index_.end(), page,
                       [](std::uint64_t p, const Index& index) { return p < index.first; });
  const auto stretch = static_cast<std::size_t>(next - index_.begin()) - 1;
  const Stretch& pieces = stretches_[stretch];
  const auto behind =
      std::upper_bound(pieces.begin() + 1, pieces.end(), page,
                       [](std::uint64_t p, const Piece& piece) { return p < piece.page; });
  return {stretch, static_cast<std::size_t>(behind - pieces.begin()) - 1};
}

const Piece* VaMap::find(std::uint64_t page) const {
  const Position at = last_not_above(page);
  const Piece& piece = stretches_[at.stretch][at.piece];
  return page < piece.end() ? &piece : nullptr;
}

bool VaMap::is_free(std::uint64_t page, std::uint64_t pages) const {
  const Position at = last_not_above(page);
  return page >= stretches_[at.stretch][at.piece].end() &&
         page + pages <= gap_end(at.stretch, at.piece);
}

/// Where the gap behind a piece ends: at the next piece, or with the space.
std::uint64_t VaMap::gap_end(std::size_t stretch, std::size_t piece) const {
  if (piece + 1 < stretches_[stretch].size()) return stretches_[stretch][piece + 1].page;
  return stretch + 1 < stretches_.size() ? index_[stretch + 1].first : pages_;
}

/// Rule 3.
std::optional<std::uint64_t> VaMap::lowest_fit(const Placing& placing) const {
  HARNESS_ASSERT(placing.pages >= 1 && placing.phase < placing.alignment);
  const std::uint64_t end = std::min(placing.end, pages_);
  if (placing.first >= end || placing.pages > end - placing.first) return std::nullopt;
  const bool at_64k =
      is_multiple(placing.alignment, kPagesPer64K) && is_multiple(placing.phase, kPagesPer64K);
  for (Position at = last_not_above(placing.first); at.stretch < stretches_.size();
       ++at.stretch, at.piece = 0) {
    const Index& index = index_[at.stretch];
    if (index.first >= end) break;
    if ((at_64k ? index.longest_64k : index.longest) < placing.pages) continue;
    const Stretch& pieces = stretches_[at.stretch];
    for (; at.piece < pieces.size(); ++at.piece) {
      const std::uint64_t from = std::max(pieces[at.piece].end(), placing.first);
      const std::uint64_t to = std::min(gap_end(at.stretch, at.piece), end);
      const std::uint64_t page = align_up(from, placing);
      if (page < to && placing.pages <= to - page) return page;
    }
  }
  return std::nullopt;
}

VaMap::Index VaMap::index_of(std::size_t stretch) const {
  const Stretch& pieces = stretches_[stretch];
  Index index{.first = pieces.front().page, .longest = 0, .longest_64k = 0};
  for (std::size_t i = 0; i < pieces.size(); ++i) {
    const std::uint64_t from = pieces[i].end();
    const std::uint64_t gap = gap_end(stretch, i) - from;
    const std::uint64_t skipped = std::min(gap, -from % kPagesPer64K);
    index.longest = std::max(index.longest, gap);
    index.longest_64k = std::max(index.longest_64k, gap - skipped);
  }
  return index;
}

/// After a change of `stretch`; the last gap of the one before ends where this one starts.
void VaMap::refresh(std::size_t stretch) {
  const std::uint64_t first_before = index_[stretch].first;
  index_[stretch] = index_of(stretch);
  if (stretch > 0 && index_[stretch].first != first_before) {
    index_[stretch - 1] = index_of(stretch - 1);
  }
}

void VaMap::insert(Position after, const Piece& piece) {
  Stretch& pieces = stretches_[after.stretch];
  pieces.insert(pieces.begin() + static_cast<std::ptrdiff_t>(after.piece) + 1, piece);
  ++piece_count_;
  if (pieces.size() > kMostInStretch) {
    const auto middle = pieces.begin() + kMostInStretch / 2;
    Stretch upper;
    upper.reserve(kMostInStretch + 1);
    upper.assign(middle, pieces.end());
    pieces.erase(middle, pieces.end());
    const auto behind = static_cast<std::ptrdiff_t>(after.stretch) + 1;
    index_.insert(index_.begin() + behind, Index{.first = upper.front().page});
    stretches_.insert(stretches_.begin() + behind, std::move(upper));
    index_[after.stretch + 1] = index_of(after.stretch + 1);
  }
  refresh(after.stretch);
}

/// Never the piece at page 0.
void VaMap::remove(Position at) {
  Stretch& pieces = stretches_[at.stretch];
  pieces.erase(pieces.begin() + static_cast<std::ptrdiff_t>(at.piece));
  --piece_count_;
  if (!pieces.empty()) return refresh(at.stretch);
  stretches_.erase(stretches_.begin() + static_cast<std::ptrdiff_t>(at.stretch));
  index_.erase(index_.begin() + static_cast<std::ptrdiff_t>(at.stretch));
  refresh(at.stretch - 1);
}

/// A piece that reaches across `page` becomes two that meet there.
void VaMap::split_at(std::uint64_t page) {
  const Position at = last_not_above(page);
  Piece& piece = stretches_[at.stretch][at.piece];
  if (piece.page == page || piece.end() <= page) return;
  const Piece upper = cut(piece, page, piece.end());
  piece.pages = page - piece.page;
  insert(at, upper);
}

/// Takes away the pieces in [page, end); none reaches across either.
void VaMap::erase_whole(std::uint64_t page, std::uint64_t end) {
  while (true) {
    Position at = last_not_above(end - 1);
    Stretch& pieces = stretches_[at.stretch];
    const auto last = pieces.begin() + static_cast<std::ptrdiff_t>(at.piece) + 1;
    const auto first =
        std::lower_bound(pieces.begin(), last, page,
                         [](const Piece& piece, std::uint64_t p) { return piece.page < p; });
    if (first == last) return;
    // All but one at once, so that each stretch is refreshed twice, not for every piece.
    piece_count_ -= static_cast<std::size_t>(last - first) - 1;
    at.piece = static_cast<std::size_t>(first - pieces.begin());
    pieces.erase(first + 1, last);
    remove(at);
  }
}

void VaMap::erase(std::uint64_t page, std::uint64_t pages) {
  HARNESS_ASSERT(pages >= 1 && page < pages_ && pages <= pages_ - page);
  HARNESS_ASSERT(page >= stretches_.front().front().end());
  split_at(page);
  split_at(page + pages);
  erase_whole(page, page + pages);
}

/// Rule 2.
void VaMap::assign(const Piece& piece) {
  erase(piece.page, piece.pages);
  const Position before = last_not_above(piece.page);
  Piece& lower = stretches_[before.stretch][before.piece];
  const bool has_next =
      gap_end(before.stretch, before.piece) == piece.end() && piece.end() < pages_;
  Piece joined = piece;
  if (has_next) {
    const Position next = last_not_above(piece.end());
    const Piece upper = stretches_[next.stretch][next.piece];
    if (continues(piece, upper)) {
      joined.pages += upper.pages;
      remove(next);  // behind `lower`, which stays where it is
    }
  }
  if (continues(lower, joined)) {
    lower.pages += joined.pages;
    refresh(before.stretch);
  } else {
    insert(before, joined);
  }
}

void VaMap::validate() const {
  HARNESS_ASSERT(stretches_.size() == index_.size() && !stretches_.empty());
  HARNESS_ASSERT(stretches_.front().front().page == 0);
  std::uint64_t end = 0;  // of the piece before
  std::size_t count = 0;
  const Piece* before = nullptr;
  for (std::size_t s = 0; s < stretches_.size(); ++s) {
    HARNESS_ASSERT(!stretches_[s].empty() && stretches_[s].size() <= kMostInStretch);
    HARNESS_ASSERT(index_[s] == index_of(s));
    for (const Piece& piece : stretches_[s]) {
      HARNESS_ASSERT(piece.page >= end && piece.pages >= 1 && piece.pages <= pages_ - piece.page);
      HARNESS_ASSERT(before == nullptr || !continues(*before, piece));
      end = piece.end();
      before = &piece;
      ++count;
    }
  }
  HARNESS_ASSERT(count == piece_count_);
}

}  // namespace wddm::gpuva
