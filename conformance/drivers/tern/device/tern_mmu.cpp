#include "conformance/drivers/tern/device/tern_mmu.h"

#include <algorithm>
#include <cstring>

namespace tern {
namespace {

constexpr std::uint64_t kPage = 4096;
constexpr std::uint32_t kBits[TERN_LEVELS] = {TERN_LEAF_BITS, TERN_MIDDLE_BITS, TERN_ROOT_BITS};

std::uint32_t index_of(std::uint64_t page, std::uint32_t level) {
  for (std::uint32_t below = 0; below < level; ++below) page >>= kBits[below];
  return static_cast<std::uint32_t>(page & ((1u << kBits[level]) - 1));
}

std::uint64_t address_in(std::uint64_t entry) {
  return (entry & TERN_PTE_FRAME_MASK) * kPage;
}

constexpr std::uint64_t kPageInBlock = TERN_BLOCK_PAGES - 1;

// Hardware that takes 16 entries as one looks whether they may be taken so.
bool in_block(std::uint64_t entry, std::uint32_t level, std::uint64_t page) {
  const std::uint64_t said = TERN_PTE_VALID | TERN_PTE_BLOCK;
  return level == 0 && (entry & said) == said && (entry & TERN_PTE_LEVEL_MASK) == 0 &&
         ((entry ^ page) & kPageInBlock) == 0;
}

bool leads_on(std::uint64_t entry, std::uint32_t level) {
  return (entry & TERN_PTE_VALID) != 0 && (entry & TERN_PTE_ZERO) == 0 &&
         (entry & TERN_PTE_LEVEL_MASK) == TERN_PTE_LEVEL(level);
}

}  // namespace

bool PhysicalMemory::inside(std::uint64_t address, std::uint32_t count) {
  const std::uint64_t offset = address - TERN_LOCAL_BASE;
  if (address >= TERN_LOCAL_BASE && offset < TERN_LOCAL_BYTES &&
      count <= TERN_LOCAL_BYTES - offset) {
    return true;
  }
  log_.push_back({.kind = WDDM_DEVICE_FAULT, .address = address, .length = count});
  return false;
}

void PhysicalMemory::read(bool system, std::uint64_t address, void* bytes, std::uint32_t count) {
  if (system) {
    static_cast<void>(host_.dma_read(host_.host, address, bytes, count));
  } else if (inside(address, count)) {
    std::memcpy(bytes, local_ + (address - TERN_LOCAL_BASE), count);
  } else {
    std::memset(bytes, 0, count);
  }
}

void PhysicalMemory::write(bool system, std::uint64_t address, const void* bytes,
                           std::uint32_t count) {
  if (system) {
    static_cast<void>(host_.dma_write(host_.host, address, bytes, count));
  } else if (inside(address, count)) {
    std::memcpy(local_ + (address - TERN_LOCAL_BASE), bytes, count);
    host_.memory_written(host_.host, 1, address - TERN_LOCAL_BASE, count);
  }
}

Mmu::Translation Mmu::walk(const Space& space, std::uint64_t page, bool write) {
  Translation found{.space = space.number, .page = page, .level = TERN_LEVELS - 1};
  if (page >> (TERN_VA_BITS - 12) != 0 || index_of(page, found.level) >= space.root_entries) {
    return found;
  }
  const std::uint64_t region = page >> TERN_LEAF_BITS;
  LeafTable& leaf = leaves_[region % std::size(leaves_)];
  std::uint64_t table = space.root & ~TERN_SYSTEM;
  bool system = (space.root & TERN_SYSTEM) != 0;
  if (leaf.space == space.number && leaf.region == region) {
    table = address_in(leaf.entry);
    system = (leaf.entry & TERN_PTE_SYSTEM) != 0;
    found.level = 0;
  }
  for (;; --found.level) {
    const std::uint64_t at = table + 8ull * index_of(page, found.level);
    memory_.read(system, at, &found.entry, 8);
    log_.push_back({.kind = WDDM_DEVICE_WALK,
                    .fence = space.fence,
                    .address = page * kPage,
                    .length = 8,
                    .entry_address = at,
                    .entry_system = system,
                    .level = found.level,
                    .write = write,
                    .space = space.number});
    if (in_block(found.entry, found.level, found.page)) keep_block(space, found, at, system);
    if (found.level == 0 || !leads_on(found.entry, found.level)) return found;
    if (found.level == 1) leaf = {space.number, region, found.entry};
    table = address_in(found.entry);
    system = (found.entry & TERN_PTE_SYSTEM) != 0;
  }
}

Mmu::Block& Mmu::block_of(const Space& space, std::uint64_t page) {
  return blocks_[(page >> TERN_BLOCK_BITS ^ space.number) % std::size(blocks_)];
}

// `found.entry` lies at `at`, among those of its block.
void Mmu::keep_block(const Space& space, const Translation& found, std::uint64_t at, bool system) {
  std::uint64_t entries[TERN_BLOCK_PAGES];
  memory_.read(system, at & ~(sizeof(entries) - 1), entries, sizeof(entries));
  Block& block = block_of(space, found.page);
  block = {space.number, found.page >> TERN_BLOCK_BITS, found.entry & ~kPageInBlock};
  for (std::uint32_t i = 0; i < TERN_BLOCK_PAGES; ++i) {
    if (entries[i] == (block.entry | i)) block.pages |= 1u << i;
  }
}

// Invalid entries are kept too; what is part of a block is kept with it alone.
Mmu::Translation Mmu::look_up(const Space& space, std::uint64_t page, bool write) {
  const Block& block = block_of(space, page);
  const std::uint64_t in = page & kPageInBlock;
  if (block.space == space.number && block.number == page >> TERN_BLOCK_BITS &&
      (block.pages >> in & 1) != 0) {
    return {space.number, page, block.entry | in, 0};
  }
  Translation& kept = translations_[(page ^ space.number * 5) % std::size(translations_)];
  if (kept.space != space.number || kept.page != page) kept = walk(space, page, write);
  if (!in_block(kept.entry, kept.level, page)) return kept;
  kept = {};
  return {space.number, page, block.entry | in, 0};
}

bool Mmu::allowed(const Space& space, const Translation& found, std::uint64_t va, bool write,
                  Fault& fault) {
  const bool valid = (found.entry & TERN_PTE_VALID) != 0 &&
                     (found.entry & TERN_PTE_LEVEL_MASK) == TERN_PTE_LEVEL(found.level);
  if (valid && !(write && (found.entry & TERN_PTE_READ_ONLY) != 0)) return true;
  fault = {.va = va, .level = found.level, .write = write};
  log_.push_back({.kind = WDDM_DEVICE_PAGE_FAULT,
                  .fence = space.fence,
                  .address = va,
                  .level = found.level,
                  .write = write,
                  .space = space.number});
  return false;
}

bool Mmu::read(const Space& space, std::uint64_t va, void* bytes, std::uint64_t count,
               Fault& fault) {
  auto* to = static_cast<std::uint8_t*>(bytes);
  while (count != 0) {
    const auto part = static_cast<std::uint32_t>(std::min(count, kPage - va % kPage));
    const Translation found = look_up(space, va / kPage, false);
    if (!allowed(space, found, va, false, fault)) return false;
    if ((found.entry & TERN_PTE_ZERO) != 0) {
      std::memset(to, 0, part);
    } else {
      memory_.read((found.entry & TERN_PTE_SYSTEM) != 0, address_in(found.entry) + va % kPage, to,
                   part);
    }
    va += part, to += part, count -= part;
  }
  return true;
}

bool Mmu::write(const Space& space, std::uint64_t va, const void* bytes, std::uint64_t count,
                Fault& fault) {
  const auto* from = static_cast<const std::uint8_t*>(bytes);
  while (count != 0) {
    const auto part = static_cast<std::uint32_t>(std::min(count, kPage - va % kPage));
    const Translation found = look_up(space, va / kPage, true);
    if (!allowed(space, found, va, true, fault)) return false;
    if ((found.entry & TERN_PTE_ZERO) == 0) {
      memory_.write((found.entry & TERN_PTE_SYSTEM) != 0, address_in(found.entry) + va % kPage,
                    from, part);
    }
    va += part, from += part, count -= part;
  }
  return true;
}

void Mmu::flush(std::uint32_t space, std::uint64_t first, std::uint64_t last) {
  for (Translation& kept : translations_) {
    const bool hit = kept.page >= first / kPage && kept.page <= last / kPage;
    if (hit && (space == 0 || kept.space == space)) kept = {};
  }
  for (Block& block : blocks_) {
    const bool hit = block.number >= first / kPage >> TERN_BLOCK_BITS &&
                     block.number <= last / kPage >> TERN_BLOCK_BITS;
    if (hit && (space == 0 || block.space == space)) block = {};
  }
  for (LeafTable& leaf : leaves_) {
    const bool hit = leaf.region >= first / kPage >> TERN_LEAF_BITS &&
                     leaf.region <= last / kPage >> TERN_LEAF_BITS;
    if (hit && (space == 0 || leaf.space == space)) leaf = {};
  }
}

}  // namespace tern
