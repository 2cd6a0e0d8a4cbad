#include "reference/gpummu/pte.h"

namespace wddm::gpummu {

std::optional<EntryDefect> check_entry(const Geometry& geometry, std::uint32_t physical_adapters,
                                       std::uint32_t level, PageTablePageSize page_size,
                                       const Entry& entry) {
  const GpuMmuCaps& caps = geometry.caps();
  if (!entry.valid) {
    return entry.zero ? std::optional(EntryDefect::ZeroWithoutValid) : std::nullopt;
  }
  if (entry.zero) {
    if (!caps.zero_in_pte_supported) return EntryDefect::ZeroUnsupported;
    return std::nullopt;  // nothing else of it counts
  }
  if (entry.read_only && !caps.read_only_memory_supported) return EntryDefect::ReadOnlyUnsupported;
  if (entry.no_execute && !caps.no_execute_memory_supported) {
    return EntryDefect::NoExecuteUnsupported;
  }
  if (entry.cache_coherent && !caps.cache_coherent_memory_supported) {
    return EntryDefect::CacheCoherentUnsupported;
  }
  if (entry.large_page && (level == 0 || !caps.large_page_supported)) {
    return EntryDefect::LargePageUnsupported;
  }
  const bool is_64kb = level == 0 && page_size == PageTablePageSize::Page64K;
  if (entry.address % (is_64kb ? kPageSize64K : kPageSize) != 0) {
    return EntryDefect::AddressNotAligned;
  }
  if (entry.large_page && !caps.allow_non_aligned_large_page_address &&
      entry.address % geometry.entry_bytes(level) != 0) {
    return EntryDefect::LargePageNotAligned;
  }
  if (entry.page_table_page_size != PageTablePageSize::Page4K &&
      (level != 1 || geometry.dual_pte() || !geometry.has_64kb_leaves())) {
    return EntryDefect::PageSizeNotAtLevel1;
  }
  if (entry.adapter.value >= physical_adapters) return EntryDefect::PhysicalAdapter;
  return std::nullopt;
}

}  // namespace wddm::gpummu
