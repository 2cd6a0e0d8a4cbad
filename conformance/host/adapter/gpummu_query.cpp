#include "conformance/host/adapter/gpummu_query.h"

#include <algorithm>
#include <cstring>

#include "conformance/host/adapter/adapter.h"
#include "conformance/host/boundary/ddi_call.h"

namespace wddm::host {
namespace {

// What an output holds before the call. The first answers, which count, find zeros, as in
// adapter_query.cpp; asked again a driver that leaves members out shows it.
enum class Before : std::uint8_t { Zeros = 0, OtherBytes = 0xCC };

template <class In, class Out>
NTSTATUS ask(PVOID miniport, DXGK_QUERYADAPTERINFOTYPE type, In in, Out& out, Before before) {
  std::memset(&out, static_cast<int>(before), sizeof(out));
  DXGKARG_QUERYADAPTERINFO query{};
  query.Type = type;
  query.pInputData = &in;
  query.InputDataSize = sizeof(in);
  query.pOutputData = &out;
  query.OutputDataSize = sizeof(out);
  return call_ddi<DdiId::QueryAdapterInfo>(query.Type, miniport, &query);
}

gpummu::GpuMmuCaps caps_of(const DXGK_GPUMMUCAPS& said) {
  return {.read_only_memory_supported = said.ReadOnlyMemorySupported != 0,
          .no_execute_memory_supported = said.NoExecuteMemorySupported != 0,
          .zero_in_pte_supported = said.ZeroInPteSupported != 0,
          .explicit_page_table_invalidation = said.ExplicitPageTableInvalidation != 0,
          .cache_coherent_memory_supported = said.CacheCoherentMemorySupported != 0,
          .page_table_update_require_address_space_idle =
              said.PageTableUpdateRequireAddressSpaceIdle != 0,
          .large_page_supported = said.LargePageSupported != 0,
          .dual_pte_supported = said.DualPteSupported != 0,
          .allow_non_aligned_large_page_address = said.AllowNonAlignedLargePageAddress != 0,
          .sys_mem_64kb_page_supported = said.SysMem64KBPageSupported != 0,
          .invalid_tlb_entries_not_cached = said.InvalidTlbEntriesNotCached != 0,
          .page_table_update_mode =
              static_cast<gpummu::PageTableUpdateMode>(number_in(said.PageTableUpdateMode)),
          .virtual_address_bit_count = said.VirtualAddressBitCount,
          .leaf_page_table_size_for_64kb_pages_in_bytes = said.LeafPageTableSizeFor64KPagesInBytes,
          .page_table_level_count = said.PageTableLevelCount};
}

std::optional<gpummu::GpuMmuCaps> query_caps(PVOID miniport, std::uint32_t physical_adapter,
                                             std::uint32_t round, Before before) {
  DXGK_GPUMMUCAPS said;
  const NTSTATUS status =
      ask(miniport, DXGKQAITYPE_GPUMMUCAPS,
          DXGK_QUERYGPUMMUCAPSIN{.PhysicalAdapterIndex = physical_adapter}, said, before);
  std::uint32_t legacy = 0;
  static_assert(sizeof(said.LegacyBehaviors) == sizeof(legacy));
  std::memcpy(&legacy, &said.LegacyBehaviors, sizeof(legacy));
  session().tap(ev::GpuMmuReported{.physical_adapter = physical_adapter,
                                   .status = static_cast<std::uint32_t>(status),
                                   .caps = said.Value,
                                   .update_mode = number_in(said.PageTableUpdateMode),
                                   .address_bits = said.VirtualAddressBitCount,
                                   .leaf_64kb_bytes = said.LeafPageTableSizeFor64KPagesInBytes,
                                   .levels = said.PageTableLevelCount,
                                   .legacy = legacy,
                                   .round = round});
  if (!NT_SUCCESS(status)) return std::nullopt;
  return caps_of(said);
}

std::optional<gpummu::PageTableLevelDesc> query_level(PVOID miniport,
                                                      std::uint16_t physical_adapter,
                                                      std::uint16_t level, std::uint32_t round,
                                                      Before before) {
  DXGK_PAGE_TABLE_LEVEL_DESC said;
  const NTSTATUS status = ask(
      miniport, DXGKQAITYPE_PAGETABLELEVELDESC,
      DXGK_QUERYPAGETABLELEVELDESCIN{.LevelIndex = level, .PhysicalAdapterIndex = physical_adapter},
      said, before);
  session().tap(ev::PageTableLevelReported{.physical_adapter = physical_adapter,
                                           .level = level,
                                           .status = static_cast<std::uint32_t>(status),
                                           .index_bits = said.PageTableIndexBitCount,
                                           .segment = said.PageTableSegmentId,
                                           .paging_segment = said.PagingProcessPageTableSegmentId,
                                           .bytes = said.PageTableSizeInBytes,
                                           .alignment = said.PageTableAlignmentInBytes,
                                           .round = round});
  if (!NT_SUCCESS(status)) return std::nullopt;
  return gpummu::PageTableLevelDesc{
      .page_table_index_bit_count = said.PageTableIndexBitCount,
      .page_table_segment_id = SegmentId{said.PageTableSegmentId},
      .paging_process_page_table_segment_id = SegmentId{said.PagingProcessPageTableSegmentId},
      .page_table_size_in_bytes = said.PageTableSizeInBytes,
      .page_table_alignment_in_bytes = said.PageTableAlignmentInBytes};
}

// The same again, and what is not there: rules judge the answers, nothing else is made of them.
void ask_again(const LinkOfAdapters& link, std::uint16_t physical_adapter, std::uint16_t levels,
               std::uint32_t round) {
  const PVOID miniport = link.miniport;
  static_cast<void>(query_caps(miniport, physical_adapter, round, Before::OtherBytes));
  const auto level = [&](std::uint16_t adapter, std::uint16_t number) {
    static_cast<void>(query_level(miniport, adapter, number, round, Before::OtherBytes));
  };
  for (std::uint16_t number = 0; number < levels; ++number) level(physical_adapter, number);
  level(physical_adapter, levels);
  level(physical_adapter, 0xFFFF);
  level(static_cast<std::uint16_t>(link.physical_adapters), 0);
}

}  // namespace

std::optional<GpuMmuReport> query_gpummu(const LinkOfAdapters& link,
                                         gpummu::PhysicalAdapterIndex physical_adapter,
                                         std::span<const SegmentDescription> segments,
                                         std::uint32_t round) {
  const PVOID miniport = link.miniport;
  const auto caps = query_caps(miniport, physical_adapter.value, round, Before::Zeros);
  if (!caps) return std::nullopt;
  GpuMmuReport report{.caps = *caps, .levels = {}, .geometry = std::nullopt};
  const std::uint32_t levels =
      std::min(caps->page_table_level_count, gpummu::kMaxPageTableLevelCount);
  for (std::uint16_t level = 0; level < levels; ++level) {
    const auto described =
        query_level(miniport, physical_adapter.value, level, round, Before::Zeros);
    if (!described) break;
    report.levels.push_back(*described);
  }
  ask_again(link, static_cast<std::uint16_t>(physical_adapter.value),
            static_cast<std::uint16_t>(levels), round);
  std::vector<gpummu::ReportedSegment> reported;
  for (const SegmentDescription& segment : segments) {
    reported.push_back({.aperture = segment.flags.Aperture != 0,
                        .use_64kb_pages = segment.flags.Use64KBPages != 0});
  }
  report.geometry = gpummu::check_geometry(report.caps, report.levels, reported).geometry;
  return report;
}

GpuMmuReport tables_of_the_cpu() {
  constexpr std::uint32_t kLevels = 4, kIndexBits = 9, kOffsetBits = 12;
  GpuMmuReport report;
  report.caps.read_only_memory_supported = true;
  report.caps.no_execute_memory_supported = true;
  report.caps.cache_coherent_memory_supported = true;
  report.caps.invalid_tlb_entries_not_cached = true;
  report.caps.virtual_address_bit_count = kOffsetBits + kLevels * kIndexBits;
  report.caps.page_table_level_count = kLevels;
  report.levels.assign(kLevels,
                       {.page_table_index_bit_count = kIndexBits,
                        .page_table_size_in_bytes = static_cast<std::uint32_t>(kPageSize)});
  report.geometry = gpummu::check_geometry(report.caps, report.levels, {}).geometry;
  return report;
}

}  // namespace wddm::host
