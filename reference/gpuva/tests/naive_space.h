// A GPU virtual address space page by page: the rules of va_ranges.h in the plainest words.
//
// It checks nothing that is the same for one page as for many (units, protections, flags); the
// tests give it requests that are right in these respects.
#pragma once

#include <cstdint>
#include <optional>
#include <vector>

#include "reference/gpuva/va_ranges.h"

namespace wddm::gpuva::testing {

/// A page in use: by which range (counted up), and what its entry says.
struct NaivePage {
  std::uint32_t range = 0;
  RangeOrigin origin = RangeOrigin::Never;
  bool client_may_map = false;
  PageKind reserved_as = PageKind::Invalid;
  PageKind kind = PageKind::Invalid;
  std::uint32_t allocation = 0;
  std::uint64_t allocation_page = 0;
  friend bool operator==(const NaivePage&, const NaivePage&) = default;
};

class NaiveSpace {
 public:
  explicit NaiveSpace(std::size_t pages) : pages_(pages) { pages_[0].emplace(); }

  std::vector<std::optional<NaivePage>>& pages() { return pages_; }
  [[nodiscard]] const std::vector<std::optional<NaivePage>>& pages() const { return pages_; }

  [[nodiscard]] bool is_free(std::uint64_t page, std::uint64_t count) const {
    for (std::uint64_t i = 0; i < count; ++i) {
      if (page + i >= pages_.size() || pages_[page + i]) return false;
    }
    return true;
  }
  [[nodiscard]] bool in_one_range(std::uint64_t page, std::uint64_t count) const {
    for (std::uint64_t i = 0; i < count; ++i) {
      if (page + i >= pages_.size() || !pages_[page + i]) return false;
      if (pages_[page + i]->range != pages_[page]->range) return false;
    }
    return true;
  }
  [[nodiscard]] std::optional<std::uint64_t> lowest(std::uint64_t count, std::uint64_t alignment,
                                                    std::uint64_t phase, std::uint64_t first,
                                                    std::uint64_t end) const {
    for (std::uint64_t page = first; page + count <= end; ++page) {
      if (page % alignment == phase && is_free(page, count)) return page;
    }
    return std::nullopt;
  }
  /// Gives free pages to a new range.
  void obtain(std::uint64_t page, std::uint64_t count, NaivePage as) {
    as.range = ++ranges_;
    as.kind = as.reserved_as;
    for (std::uint64_t i = 0; i < count; ++i) pages_[page + i] = as;
  }
  void free(std::uint64_t page, std::uint64_t count) {
    for (std::uint64_t i = 0; i < count; ++i) {
      std::optional<NaivePage>& at = pages_[page + i];
      if (at->origin == RangeOrigin::Driver) {
        at->kind = PageKind::Invalid;
      } else {
        at.reset();
      }
    }
  }
  void destroy(std::uint32_t allocation) {
    for (std::optional<NaivePage>& at : pages_) {
      if (!at || at->kind != PageKind::Mapped || at->allocation != allocation) continue;
      at->kind = at->reserved_as;
      if (at->origin == RangeOrigin::Map) at.reset();
    }
  }

 private:
  std::vector<std::optional<NaivePage>> pages_;
  std::uint32_t ranges_ = 0;
};

/// What both say about a page, made alike.
inline std::optional<NaivePage> seen(const std::optional<NaivePage>& page) {
  if (!page) return {};
  NaivePage alike{.origin = page->origin, .kind = page->kind};
  if (page->kind == PageKind::Mapped) {
    alike.allocation = page->allocation;
    alike.allocation_page = page->allocation_page;
  }
  return alike;
}
inline std::vector<std::optional<NaivePage>> seen(const VaRanges& ranges) {
  std::vector<std::optional<NaivePage>> pages(ranges.map().pages());
  ranges.map().visit_in(0, pages.size(), [&](const Piece& piece) {
    const RangeOrigin origin = *ranges.origin(address_of(piece.page));
    for (std::uint64_t i = 0; i < piece.pages; ++i) {
      NaivePage& alike = pages[piece.page + i].emplace();
      alike.origin = origin;
      alike.kind = piece.state.kind;
      if (piece.state.kind != PageKind::Mapped) continue;
      alike.allocation = piece.state.allocation.value;
      alike.allocation_page = piece.state.allocation_page(i);
    }
    return true;
  });
  return pages;
}

}  // namespace wddm::gpuva::testing
