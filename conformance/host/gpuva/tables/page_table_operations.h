// The paging operations of GPU virtual addresses: page table updates, TLB flushes, and fills and
// transfers in the address space of the paging process.
//
// Source: DXGK_BUILDPAGINGBUFFER_UPDATEPAGETABLE, ..._FLUSHTLB, ..._FILLVIRTUAL,
// ..._TRANSFERVIRTUAL, ..._COPYPAGETABLEENTRIES. An address in a DXGK_PTE is that of the page
// divided by 4096: the member is documented as the high 52 bits of the address.
#pragma once

#include <cstdint>
#include <span>

#include "conformance/host/vidmm/paging/paging_operations.h"
#include "reference/gpummu/table_decision.h"

namespace wddm::host {

/// A page table, as operations name it.
struct NamedTable {
  gpummu::PhysicalAddress address;
  std::uint8_t* cpu = nullptr;      ///< for updates with the CPU
  gpummu::GpuVirtualAddress gpu{};  ///< in the paging process, for updates by GPU virtual address
};
/// What is mapped; kNoAllocation for page tables and other memory of the host's own.
struct Mapped {
  AllocationId allocation = kNoAllocation;
  std::uint64_t offset = 0;  ///< of the first page, in bytes
  /// Where that is mapped, for who writes entries of it.
  gpummu::VaRange range{};

  /// Of an update that writes the entries of these addresses; nothing if it writes any that the
  /// mapping is not about, such as those of a larger entry that the mapping cuts into.
  [[nodiscard]] Mapped of(const gpummu::VaRange& entries) const {
    const bool inside = entries.first.value >= range.first.value && entries.end() <= range.end();
    if (!inside) return {};
    return {allocation, offset + entries.first.value - range.first.value, entries};
  }
};

[[nodiscard]] D3DGPU_PHYSICAL_ADDRESS physical(const gpummu::PhysicalAddress& place);
[[nodiscard]] DXGK_PTE pte_of(const gpummu::Entry& entry);
[[nodiscard]] DXGK_UPDATEPAGETABLEFLAGS flags_of(const gpummu::UpdateEntries& update);

/// `entries` have no table ids any more: pointers lead to places.
[[nodiscard]] PagingOperationPtr table_update_of(const PagingScene& scene, HANDLE process,
                                                 const NamedTable& table,
                                                 const gpummu::UpdateEntries& update,
                                                 gpummu::PageTableUpdateMode mode,
                                                 std::span<const gpummu::Entry> entries,
                                                 std::span<const gpummu::Entry> entries_64kb,
                                                 const Mapped& mapped);
/// `place`: nowhere for one that leaves.
[[nodiscard]] PagingOperationPtr residency_notice_of(const PagingScene& scene, AllocationId id,
                                                     bool resident,
                                                     const gpummu::PhysicalAddress& place);
/// A range of nothing stands for the whole space.
[[nodiscard]] PagingOperationPtr tlb_flush_of(HANDLE process, const gpummu::PhysicalAddress& root,
                                              const gpummu::VaRange& range);
/// Entries that one table has from another, by addresses in the paging process.
struct EntriesCopy {
  gpummu::GpuVirtualAddress source{};
  gpummu::GpuVirtualAddress destination{};
  std::uint32_t source_first = 0;
  std::uint32_t destination_first = 0;
  std::uint32_t count = 0;
};
/// `behind`: what stands in memory behind the last of pRanges.
[[nodiscard]] PagingOperationPtr entries_copy_of(std::span<const EntriesCopy> copies,
                                                 const EntriesCopy& behind);
/// `offset` in the allocation, `at` in the paging process.
[[nodiscard]] PagingOperationPtr virtual_fill_of(const PagingScene& scene, const Mapped& what,
                                                 std::uint64_t bytes, std::uint32_t pattern,
                                                 gpummu::GpuVirtualAddress at);
enum class Direction : std::uint8_t { ToSystem, ToLocal, WithinLocal };
[[nodiscard]] PagingOperationPtr virtual_transfer_of(const PagingScene& scene, const Mapped& what,
                                                     std::uint64_t bytes,
                                                     gpummu::GpuVirtualAddress from,
                                                     gpummu::GpuVirtualAddress to,
                                                     Direction direction);

/// InitContextResource of a context allocation that lies at `address` of a segment, BaseAddress
/// included, and at an address of the paging process.
[[nodiscard]] PagingOperationPtr context_init_of(HANDLE allocation, SegmentId segment,
                                                 std::uint64_t address,
                                                 gpummu::GpuVirtualAddress at, std::uint64_t bytes);
/// ... of one whose pages no segment shows.
[[nodiscard]] PagingOperationPtr context_init_of(HANDLE allocation,
                                                 std::span<const memory::Frame> frames,
                                                 gpummu::GpuVirtualAddress at, std::uint64_t bytes);
/// NotifyResidency of one; `place`: nowhere for one that leaves.
[[nodiscard]] PagingOperationPtr context_notice_of(HANDLE allocation, bool resident,
                                                   const gpummu::PhysicalAddress& place);
/// UpdateContextAllocation.
[[nodiscard]] PagingOperationPtr context_update_of(gpummu::GpuVirtualAddress at,
                                                   std::uint64_t bytes, void* private_data,
                                                   std::uint32_t private_bytes);

}  // namespace wddm::host
