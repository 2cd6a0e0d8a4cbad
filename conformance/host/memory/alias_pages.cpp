#include "conformance/host/memory/alias_pages.h"

#include <sys/mman.h>

namespace wddm::memory::internal {

// Of chunks that are listed; zero in all others. Address space only, until touched.
std::uint32_t* AliasPages::table() {
  static std::uint32_t* const table = [] {
    void* got = mmap(nullptr, kAliasPages * sizeof(std::uint32_t), PROT_READ | PROT_WRITE,
                     MAP_PRIVATE | MAP_ANONYMOUS | MAP_NORESERVE, -1, 0);
    HARNESS_ASSERT(got != MAP_FAILED);
    return static_cast<std::uint32_t*>(got);
  }();
  return table;
}

template <class Change>
void AliasPages::by_chunk(std::uint64_t page, std::uint64_t end, Change change) {
  while (page < end) {
    const std::uint64_t chunk = page / kChunkPages;
    const std::uint64_t next = std::min(end, (chunk + 1) * kChunkPages);
    change(chunk, page, next);
    page = next;
  }
}

void AliasPages::list(std::uint64_t chunk) {
  if (chunks_[chunk].listed) return;
  const std::uint64_t first = chunk * kChunkPages;
  for (std::uint64_t page = first; page < first + kChunkPages; ++page) table()[page] = at(page);
  chunks_[chunk] = {.whole = 0, .listed = true};
}

void AliasPages::set(std::uint64_t page, std::uint64_t pages, AliasEntry entry) {
  by_chunk(page, page + pages, [&](std::uint64_t chunk, std::uint64_t first, std::uint64_t end) {
    if (end - first == kChunkPages) {
      erase(first, kChunkPages);
      chunks_[chunk].whole = entry;
    } else {
      list(chunk);
      for (std::uint64_t i = 0; i < end - first; ++i) table()[first + i] = behind(entry, i);
    }
    entry = behind(entry, end - first);
  });
}

void AliasPages::erase(std::uint64_t page, std::uint64_t pages) {
  by_chunk(page, page + pages, [&](std::uint64_t chunk, std::uint64_t first, std::uint64_t end) {
    Chunk& of = chunks_[chunk];
    const bool all = end - first == kChunkPages;
    if (!all && of.whole != 0) list(chunk);
    if (of.listed) std::fill(table() + first, table() + end, 0u);
    if (all) of = {};
  });
}

void AliasPages::flip(std::uint64_t page, std::uint64_t end, AliasEntry bits) {
  const std::uint64_t chunk = page / kChunkPages;
  if (chunks_[chunk].whole != 0 && end - page == kChunkPages) {
    chunks_[chunk].whole ^= bits;
    return;
  }
  list(chunk);
  for (; page < end; ++page) table()[page] ^= bits;
}

}  // namespace wddm::memory::internal
