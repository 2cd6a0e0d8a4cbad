// Memory as the engines see it: the aperture, through its table, and system memory itself.
#include <algorithm>

#include "conformance/drivers/wren/device/wren_gpu.h"

namespace wren {

static std::uint64_t table_of(const Gpu* g) {
  return (std::uint64_t)g->gtt_hi << 32 | g->gtt_lo;
}

void put_entries(Gpu* g, std::uint64_t page, const std::uint32_t* entries, std::uint32_t count) {
  g->host->dma_write(g->host->host, table_of(g) + page * 4, entries, count * 4);
}

// A run of bytes within a page: its system address, or false.
static bool translate(Gpu* g, std::uint64_t address, std::uint64_t* system) {
  if (address & (std::uint64_t)WREN_PHYSICAL << 32) {
    *system = plain(address);
    return true;
  }
  if (address < WREN_APERTURE_BASE || address >= WREN_APERTURE_BASE + WREN_APERTURE_BYTES)
    return false;
  if (!(g->gtt_ctrl & 1)) return false;
  const std::uint64_t offset = address - WREN_APERTURE_BASE;
  std::uint32_t entry = 0;
  if (g->host->dma_read(g->host->host, table_of(g) + (offset >> 12) * 4, &entry, 4) < 0)
    return false;
  if (!(entry & WREN_PTE_PRESENT)) return false;
  *system = ((std::uint64_t)(entry >> WREN_PTE_PFN_SHIFT) << 12) | (offset & 4095);
  return true;
}

bool access(Gpu* g, std::uint64_t address, void* buffer, std::uint32_t bytes, bool write) {
  auto* at = static_cast<std::uint8_t*>(buffer);
  while (bytes) {
    const std::uint32_t run = std::min<std::uint32_t>(bytes, 4096 - (address & 4095));
    std::uint64_t system = 0;
    if (!translate(g, address, &system)) return false;
    if (write)
      g->host->dma_write(g->host->host, system, at, run);
    else
      g->host->dma_read(g->host->host, system, at, run);
    at += run;
    address += run;
    bytes -= run;
  }
  return true;
}

bool move(Gpu* g, std::uint64_t to, std::uint64_t from, std::uint32_t bytes, std::uint64_t* bad) {
  std::uint8_t page[4096];
  while (bytes) {
    const std::uint32_t run = std::min<std::uint32_t>(
        bytes, std::min<std::uint32_t>(4096 - (to & 4095), 4096 - (from & 4095)));
    if (!access(g, from, page, run, false)) return *bad = from, false;
    if (!access(g, to, page, run, true)) return *bad = to, false;
    to += run;
    from += run;
    bytes -= run;
  }
  return true;
}

bool fill(Gpu* g, std::uint64_t to, std::uint64_t bytes, std::uint32_t value, std::uint64_t* bad) {
  std::uint32_t page[1024];
  std::fill(page, page + 1024, value);
  while (bytes) {
    const std::uint32_t run = (std::uint32_t)std::min<std::uint64_t>(bytes, 4096 - (to & 4095));
    if (!access(g, to, page, run, true)) return *bad = to, false;
    to += run;
    bytes -= run;
  }
  return true;
}

}  // namespace wren
