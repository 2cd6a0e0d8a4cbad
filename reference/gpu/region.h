// Predicted contents of one physical region: a memory segment, or the host's page frames.
//
// A region is a run of 4 KiB pages with numbers; it remembers which pages anything was predicted
// for, and which of them nobody has looked at since, so that a check reads only those. Left out:
// addressing, apertures and page lists (`shadow_memory.h`).
#pragma once

#include <cstddef>
#include <cstdint>
#include <optional>
#include <span>
#include <vector>

#include "reference/gpu/content.h"
#include "reference/types.h"

namespace wddm::gpu {

/// One page that isn't as predicted.
struct PageDifference {
  SegmentId segment{};         ///< 0 = system memory.
  std::uint64_t page = 0;      ///< Page number in the segment; frame number for system memory.
  std::uint64_t offset = 0;    ///< First differing byte of the page, a multiple of 4.
  std::uint64_t bytes = 0;     ///< Differing bytes in the whole page, counted by dwords.
  std::uint32_t expected = 0;  ///< Predicted dword at `offset`.
  std::uint32_t seen = 0;      ///< Actual dword at `offset`.

  friend constexpr bool operator==(const PageDifference&, const PageDifference&) = default;
};

/// A run of pages with predicted contents. Allocates in the constructor and in `resize` only.
class Region {
 public:
  /// Pages `first_page` .. `first_page` + `pages` - 1, all unspecified.
  Region(SegmentId segment, std::uint64_t first_page, std::uint64_t pages);

  /// The same with as many pages, all unspecified. Memory of its contents is kept.
  void resize(std::uint64_t pages);

  [[nodiscard]] SegmentId segment() const { return segment_; }
  [[nodiscard]] bool holds(std::uint64_t page, std::uint64_t pages = 1) const {
    return page >= first_page_ && page - first_page_ <= page_count_ &&
           pages <= page_count_ - (page - first_page_);
  }

  // Byte offsets count from the region's first page.
  void fill(std::uint64_t offset, std::uint64_t size, std::uint32_t pattern);
  /// The same where memory holds the pattern already: what was not due does not become it.
  void assume(std::uint64_t offset, std::uint64_t size, std::uint32_t pattern);
  void copy(std::uint64_t offset, const Region& from, std::uint64_t from_offset,
            std::uint64_t size);
  void write(std::uint64_t offset, std::span<const std::byte> bytes);
  void forget(std::uint64_t offset, std::uint64_t size);
  [[nodiscard]] std::optional<std::uint32_t> dword(std::uint64_t offset) const {
    return content_.dword(offset);
  }
  /// Byte offset of a page that the region holds.
  [[nodiscard]] std::uint64_t offset_of(std::uint64_t page) const {
    return (page - first_page_) * kPageSize;
  }

  /// How many pages something is predicted for.
  [[nodiscard]] std::uint64_t known_pages() const {
    return covered_ ? page_count_ : touched_.size();
  }
  /// Calls `visit(page)` for those, ascending.
  template <class Visit>
  void for_each_known(Visit&& visit) {
    if (covered_) {
      for (std::uint64_t i = 0; i < page_count_; ++i) visit(first_page_ + i);
    } else {
      for (const std::uint64_t page : sorted(touched_)) visit(page);
    }
  }
  /// Pages whose prediction has changed, or that are to be looked at again, since `settle` or
  /// `clear`; ascending.
  [[nodiscard]] std::span<const std::uint64_t> due() { return sorted(due_); }
  [[nodiscard]] bool is_due(std::uint64_t page) const {
    return (marks_[page - first_page_] & Due) != 0;
  }
  [[nodiscard]] bool predicts(std::uint64_t page) const {
    return content_.predicts(offset_of(page), kPageSize);
  }
  /// The page's memory may have changed. Nothing to do where nothing is predicted.
  void look_again(std::uint64_t page);
  /// What was due has been looked at.
  void settle();
  /// Holds one page, of which `actual` are the bytes, against the prediction.
  [[nodiscard]] std::optional<PageDifference> compare(std::uint64_t page,
                                                      std::span<const std::byte> actual) const;
  /// Back to unspecified, nothing due; the work is that of the touched pages only.
  void clear();
  /// Every page holds `pattern` throughout, and nothing is due. After the first time the work is
  /// that of the touched pages only.
  void cover(std::uint32_t pattern);

  void validate() const;

 private:
  enum Mark : std::uint8_t { Touched = 1, Due = 2 };

  void touch(std::uint64_t offset, std::uint64_t size, bool due = true);
  void forget_marks();
  [[nodiscard]] static std::span<const std::uint64_t> sorted(std::vector<std::uint64_t>& pages);

  SegmentId segment_;
  std::uint64_t first_page_;
  std::uint64_t page_count_ = 0;
  Content content_;
  std::vector<std::uint8_t> marks_;     // a set of Mark for each page
  std::vector<std::uint64_t> touched_;  // since `clear` or `cover`
  std::vector<std::uint64_t> due_;
  std::optional<std::uint32_t> covered_;  // what pages hold that were not touched
};

}  // namespace wddm::gpu
