// What physical memory must hold after paging operations: predicted contents by place.
//
// Fills, transfers, aperture maps and CPU writes are applied where they happen: a page of a memory
// segment, a page frame of the host, or an aperture page that leads to a frame. Checks compare the
// result page by page. Sources for what the operations mean: DXGKARG_BUILDPAGINGBUFFER (Fill,
// Transfer, MapApertureSegment, UnmapApertureSegment). Left out: which allocation lies where, when
// an operation is due, swizzling, and GPU virtual addresses.
#pragma once

#include <cstddef>
#include <cstdint>
#include <optional>
#include <span>
#include <vector>

#include "reference/gpu/region.h"
#include "reference/types.h"

namespace wddm::gpu {

/// Where an operation begins. Either a place in a segment, whose bytes follow one another, or a
/// place in a list of page frames (an MDL).
struct Place {
  SegmentId segment{};                         ///< Used if `frames` is empty.
  std::uint64_t offset = 0;                    ///< Bytes into the segment, or into the list.
  std::span<const std::uint64_t> frames = {};  ///< Page frames in the list's order.
};

/// Shadow of every segment and of the host's frames. Allocates in `add_...` and `resize` only.
///
/// Whole operations must lie inside their segment or list and be aligned to 4 bytes: they are
/// decisions of our own memory manager. Ranges of one transfer must not overlap.
class ShadowMemory {
 public:
  /// Each segment id once; segment 0 is system memory with frames `first_frame` ... Of a segment
  /// nothing below `first_page` is used.
  void add_system(std::uint64_t first_frame, std::uint64_t pages);
  void add_segment(SegmentId segment, std::uint64_t pages, std::uint64_t first_page = 0);
  void add_aperture(SegmentId segment, std::uint64_t pages);
  /// Gives a segment or aperture that was added as many pages: unspecified, unmapped.
  void resize(SegmentId segment, std::uint64_t pages);

  /// Aperture pages `first_page` ... lead to `frames`, in order.
  void map_aperture(SegmentId segment, std::uint64_t first_page,
                    std::span<const std::uint64_t> frames);
  /// The pages lead to `dummy_frame`, or nowhere: reads there are unspecified, writes are lost.
  void unmap_aperture(SegmentId segment, std::uint64_t first_page, std::uint64_t pages,
                      std::optional<std::uint64_t> dummy_frame = std::nullopt);
  /// The frame that an aperture page leads to.
  [[nodiscard]] std::optional<std::uint64_t> frame_at(SegmentId segment, std::uint64_t page) const;

  void fill(const Place& at, std::uint64_t size, std::uint32_t pattern);
  /// The same where memory is known to hold the pattern: it need not be compared for that.
  void assume(const Place& at, std::uint64_t size, std::uint32_t pattern);
  void transfer(const Place& to, const Place& from, std::uint64_t size);
  void write(const Place& at, std::span<const std::byte> bytes);
  void forget(const Place& at, std::uint64_t size);
  /// The predicted dword at a place, or nothing if it is unspecified.
  [[nodiscard]] std::optional<std::uint32_t> dword(const Place& at) const;
  /// Whether two places are predicted to hold the same; what is unspecified is like nothing.
  [[nodiscard]] bool same(const Place& a, const Place& b, std::uint64_t size) const;

  /// Holds one page against the prediction; not for apertures, which have no memory of their own.
  [[nodiscard]] std::optional<PageDifference> compare_page(SegmentId segment, std::uint64_t page,
                                                           std::span<const std::byte> actual) const;

  /// How much a comparison compares.
  enum class Compared : std::uint8_t {
    All,  ///< every page something is predicted for
    Due,  ///< those whose prediction has changed since the last comparison, or that look_again
          ///< named
  };
  /// `read(segment, page)` gives the 4096 bytes of a page, or none for one that cannot be seen.
  /// The differing pages become what `out` holds, by segment in the order of the `add_` calls, then
  /// by page. Returns how many they are.
  template <class Read>
  std::size_t compare(Read&& read, std::vector<PageDifference>& out,
                      Compared compared = Compared::All) {
    out.clear();
    for (Region& region : regions_) {
      const auto hold_against = [&](std::uint64_t page) {
        const std::span<const std::byte> actual = read(region.segment(), page);
        if (actual.empty()) return;
        if (const auto difference = region.compare(page, actual)) out.push_back(*difference);
      };
      if (compared == Compared::All) {
        region.for_each_known(hold_against);
      } else {
        for (const std::uint64_t page : region.due()) hold_against(page);
      }
      region.settle();
    }
    return out.size();
  }
  /// The memory of a page may have changed; not for apertures.
  void look_again(SegmentId segment, std::uint64_t page);
  /// Calls `visit(page)` for the pages of a memory segment that something was predicted for.
  template <class Visit>
  void for_each_known(SegmentId segment, Visit&& visit) {
    regions_[static_cast<std::size_t>(region_of(segment))].for_each_known(visit);
  }
  /// Whether anything is predicted for a page now; not for apertures.
  [[nodiscard]] bool predicts(SegmentId segment, std::uint64_t page) const;
  /// Whether that has changed since the last comparison, or look_again named it.
  [[nodiscard]] bool is_due(SegmentId segment, std::uint64_t page) const;
  /// How many pages of it something is predicted for; 0 for apertures.
  [[nodiscard]] std::uint64_t known_pages(SegmentId segment) const;

  /// All contents unspecified, all apertures unmapped; the regions stay.
  void clear() { clear(0, 0); }
  /// The same, but the memory segments in `covered` (bit n is segment n + 1) hold `pattern`
  /// throughout, and so does memory.
  void clear(std::uint32_t covered, std::uint32_t pattern);
  void validate() const;

 private:
  struct Aperture {
    SegmentId segment;
    std::vector<std::uint64_t> frames;  // kNoFrame = leads nowhere
  };
  /// A stretch of a place that is contiguous in one region; `region` is -1 where it leads nowhere.
  struct Piece {
    std::ptrdiff_t region = -1;
    std::uint64_t offset = 0;
    std::uint64_t size = 0;
  };

  static constexpr std::uint64_t kNoFrame = UINT64_MAX;

  /// Calls `visit(region, piece, bytes before it)` for the pieces that lead somewhere.
  template <class Visit>
  void for_each_piece(const Place& at, std::uint64_t size, Visit&& visit);
  [[nodiscard]] Piece piece_at(const Place& place, std::uint64_t done, std::uint64_t size) const;
  [[nodiscard]] Piece in_frame(std::uint64_t frame, std::uint64_t offset, std::uint64_t size) const;
  [[nodiscard]] std::ptrdiff_t region_of(SegmentId segment) const;
  [[nodiscard]] const Aperture* aperture_of(SegmentId segment) const;
  [[nodiscard]] Aperture& aperture(SegmentId segment, std::uint64_t first, std::uint64_t pages);

  std::vector<Region> regions_;
  std::vector<Aperture> apertures_;
};

}  // namespace wddm::gpu
