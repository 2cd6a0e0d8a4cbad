#include "conformance/host/gpuva/tables/entry_record.h"

namespace wddm::host {

EntryRecord entry_record(const Adapter& adapter, const gpummu::Entry& entry,
                         std::uint64_t driver_protection) {
  using namespace entry_flag;
  EntryRecord record;
  if (!entry.valid) return record;
  const auto flag = [&record](bool on, std::uint32_t bit) { record.flags |= on ? bit : 0; };
  flag(true, kValid);
  flag(entry.zero, kZero);
  if (entry.zero) return record;
  flag(entry.segment == kNoSegment, kSystem);
  flag(entry.cache_coherent, kCacheCoherent);
  flag(entry.read_only, kReadOnly);
  flag(entry.no_execute, kNoExecute);
  flag(entry.large_page, kLargePage);
  flag(entry.page_table_page_size == gpummu::PageTablePageSize::Page64K, kLeaf64K);
  record.address = entry.address;
  if (entry.segment != kNoSegment) record.address += adapter.segment(entry.segment).base;
  record.driver_protection = driver_protection;
  record.adapter = entry.adapter.value;
  return record;
}

}  // namespace wddm::host
