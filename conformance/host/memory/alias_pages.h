// What each page of the address space of aliases maps, be it for a run or still from an earlier
// one.
//
// Pages are kept by the chunk: one that maps adjacent slots throughout, all of them alike, is one
// entry, as a large page is in a page table; any other is listed page by page. So a driver's 128
// MiB cost by chunks, and by pages only where it writes. Internal to this folder.
#pragma once

#include <algorithm>
#include <array>
#include <cstdint>

#include "conformance/host/memory/layout.h"
#include "reference/harness_assert.h"

namespace wddm::memory::internal {

inline constexpr std::uint64_t kAliasPages = kAliasSize >> kPageShift;
inline constexpr std::uint64_t kChunkPages = 64;

inline std::uint64_t address_of_page(std::uint64_t page) {
  return kAliasBase + (page << kPageShift);
}

/// A slot and how it can be written, or nothing (0).
using AliasEntry = std::uint32_t;
inline constexpr AliasEntry kWritable = 1;   ///< by whoever has the run
inline constexpr AliasEntry kProtected = 2;  ///< and not yet written
inline constexpr AliasEntry kOpened = 4;     ///< it was protected in this run
inline constexpr unsigned kSlotShift = 3;
static_assert(kFileSlots < 1u << (32 - kSlotShift));

constexpr AliasEntry entry_of(std::uint64_t slot, bool writable) {
  return static_cast<AliasEntry>(slot + 1) << kSlotShift | (writable ? kWritable : 0);
}
/// The entry of a slot so many behind.
constexpr AliasEntry behind(AliasEntry entry, std::uint64_t slots) {
  return entry + (static_cast<AliasEntry>(slots) << kSlotShift);
}
constexpr std::uint64_t slot_of_entry(AliasEntry entry) {
  return (entry >> kSlotShift) - 1;
}

class AliasPages {
 public:
  [[nodiscard]] AliasEntry at(std::uint64_t page) const {
    const Chunk& chunk = chunks_[page / kChunkPages];
    if (chunk.listed) return table()[page];
    return chunk.whole == 0 ? 0 : behind(chunk.whole, page % kChunkPages);
  }
  [[nodiscard]] std::uint64_t slot_at(std::uint64_t page) const {
    const AliasEntry entry = at(page);
    HARNESS_ASSERT(entry != 0);
    return slot_of_entry(entry);
  }
  /// One past the last page that is kept together with this one.
  [[nodiscard]] std::uint64_t end_of_part(std::uint64_t page) const {
    return chunks_[page / kChunkPages].listed ? page + 1 : (page / kChunkPages + 1) * kChunkPages;
  }
  /// Calls `visit(first, end, entry of the first)` for the pages: what is kept together map
  /// adjacent slots and are alike, or map nothing.
  template <class Visit>
  void for_each_part(std::uint64_t page, std::uint64_t end, Visit visit) const {
    while (page < end) {
      const std::uint64_t next = std::min(end, end_of_part(page));
      visit(page, next, at(page));
      page = next;
    }
  }
  /// Calls `visit(first, end)` for each stretch of pages of the chunk whose entries have the bit.
  template <class Visit>
  void for_each_stretch(std::uint64_t chunk, AliasEntry bit, Visit visit) const {
    const std::uint64_t end = (chunk + 1) * kChunkPages;
    for (std::uint64_t page = chunk * kChunkPages; page < end;) {
      std::uint64_t next = page;
      while (next < end && (at(next) & bit) != 0) ++next;
      if (next != page) visit(page, next);
      page = next + 1;
    }
  }

  /// The pages map adjacent slots: this entry's, and what follows.
  void set(std::uint64_t page, std::uint64_t pages, AliasEntry entry);
  /// They map nothing.
  void erase(std::uint64_t page, std::uint64_t pages);
  /// Turns bits of their entries over. All lie in one chunk.
  void flip(std::uint64_t page, std::uint64_t end, AliasEntry bits);

 private:
  struct Chunk {
    AliasEntry whole = 0;  // of its first page; 0: listed, or nothing is mapped
    bool listed = false;
  };

  static std::uint32_t* table();
  void list(std::uint64_t chunk);
  // Calls `change(chunk, first, end)` for the part of the pages in each chunk.
  template <class Change>
  static void by_chunk(std::uint64_t page, std::uint64_t end, Change change);

  std::array<Chunk, kAliasPages / kChunkPages> chunks_{};
};

}  // namespace wddm::memory::internal
