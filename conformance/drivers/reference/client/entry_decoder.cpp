#include "conformance/drivers/reference/client/entry_decoder.h"

#include <array>
#include <cstdint>
#include <cstring>

#include "conformance/drivers/reference/device/hw.h"

namespace wddm::reference_client {
namespace {

constexpr std::uint32_t kLargePage = 0x10000;

struct Bit {
  std::uint64_t hardware;
  std::uint32_t meaning;
};
constexpr Bit kBits[] = {
    {HW_PTE_VALID, WDDM_ENTRY_VALID},         {HW_PTE_ZERO, WDDM_ENTRY_ZERO},
    {HW_PTE_SYSTEM, WDDM_ENTRY_SYSTEM},       {HW_PTE_COHERENT, WDDM_ENTRY_COHERENT},
    {HW_PTE_READ_ONLY, WDDM_ENTRY_READ_ONLY}, {HW_PTE_NO_EXECUTE, WDDM_ENTRY_NO_EXECUTE},
};

// Bits that the hardware doesn't look at in such a table are left out.
WddmEntryTarget target_of(std::uint64_t entry, const WddmPageTable& table) {
  WddmEntryTarget target{};
  if ((entry & HW_PTE_VALID) == 0) return target;
  for (const Bit& bit : kBits) {
    if ((entry & bit.hardware) != 0) target.flags |= bit.meaning;
  }
  if (table.level > 0 && (entry & HW_PTE_LARGE) != 0) target.flags |= WDDM_ENTRY_LARGE;
  if (table.level == 1 && table.dual == 0 && (entry & HW_PTE_LEAF_64KB) != 0) {
    target.flags |= WDDM_ENTRY_LEAF_64KB;
  }
  target.address = entry & HW_PTE_ADDRESS_MASK;
  // Of a link of two; system memory is nobody's.
  const bool peer = (entry & HW_PTE_PEER) != 0;
  if ((entry & HW_PTE_SYSTEM) == 0) target.adapter = peer ? 1 - table.adapter : table.adapter;
  target.driver_protection = entry >> HW_PTE_DRIVER_SHIFT & HW_PTE_DRIVER_MASK;
  return target;
}

bool exists(const WddmPageTable& table) {
  return table.level_count >= 2 && table.level_count <= HW_MMU_MAX_LEVELS &&
         table.level < table.level_count &&
         (table.page_bytes == HW_PAGE_SIZE || (table.level == 0 && table.page_bytes == kLargePage));
}

}  // namespace

int decode_entry(const WddmPageTable& table, const void* entry, WddmTableEntry* out) {
  if (!exists(table)) return -1;
  const bool pair = table.level == 1 && table.dual != 0;
  std::array<std::uint64_t, 2> halves{};
  const std::size_t bytes = pair ? sizeof halves : sizeof halves[0];
  if (entry != nullptr) {
    std::memcpy(halves.data(), entry, bytes);
    out->target = target_of(halves[0], table);
    if (pair) out->target_64kb = target_of(halves[1], table);
  }
  return static_cast<int>(bytes);
}

}  // namespace wddm::reference_client
