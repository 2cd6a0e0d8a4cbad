// The obvious placement: a sorted vector of blocks, searched from page 0.
//
// Written from the definition of lowest-address first fit alone, for comparison with Placement.
#pragma once

#include <algorithm>
#include <cstdint>
#include <optional>
#include <vector>

#include "reference/vidmm/placement.h"

namespace wddm::vidmm::testing {

class NaivePlacement {
 public:
  explicit NaivePlacement(std::uint32_t size_pages) : size_pages_(size_pages) {}

  std::optional<std::uint32_t> allocate(std::uint32_t pages, std::uint32_t alignment) {
    std::uint64_t candidate = 0;
    for (const Block& block : blocks_) {
      if (candidate + pages <= block.page) break;
      const std::uint64_t end = std::uint64_t{block.page} + block.pages;
      candidate = (end + alignment - 1) / alignment * alignment;
    }
    if (candidate + pages > size_pages_) return std::nullopt;
    insert({static_cast<std::uint32_t>(candidate), pages});
    return static_cast<std::uint32_t>(candidate);
  }

  [[nodiscard]] std::optional<std::uint32_t> find_last(std::uint32_t pages,
                                                       std::uint32_t alignment) const {
    for (std::uint32_t page = size_pages_; page-- > 0;) {
      if (page % alignment == 0 && is_free(page, pages)) return page;
    }
    return std::nullopt;
  }

  bool allocate_at(std::uint32_t page, std::uint32_t pages) {
    if (!is_free(page, pages)) return false;
    insert({page, pages});
    return true;
  }

  std::uint32_t free(std::uint32_t page) {
    const auto at = std::find_if(blocks_.begin(), blocks_.end(),
                                 [page](const Block& block) { return block.page == page; });
    const std::uint32_t pages = at->pages;
    blocks_.erase(at);
    return pages;
  }

  [[nodiscard]] std::optional<Block> block_at(std::uint32_t page) const {
    for (const Block& block : blocks_) {
      if (block.page <= page && page < std::uint64_t{block.page} + block.pages) return block;
    }
    return std::nullopt;
  }

  [[nodiscard]] const std::vector<Block>& blocks() const { return blocks_; }

 private:
  [[nodiscard]] bool is_free(std::uint32_t page, std::uint32_t pages) const {
    const std::uint64_t end = std::uint64_t{page} + pages;
    if (end > size_pages_) return false;
    return std::none_of(blocks_.begin(), blocks_.end(), [page, end](const Block& block) {
      return page < std::uint64_t{block.page} + block.pages && block.page < end;
    });
  }
  void insert(Block block) {
    blocks_.insert(std::find_if(blocks_.begin(), blocks_.end(),
                                [&](const Block& other) { return other.page > block.page; }),
                   block);
  }

  std::uint32_t size_pages_;
  std::vector<Block> blocks_;  // by address
};

}  // namespace wddm::vidmm::testing
