// Where page tables lie: memory for the implicit allocations of address spaces.
//
// A table of segment 0 has system pages of its own, which all GPUs of a link share, or each GPU has
// pages for itself, one behind the other (linked_tables.h). One in a memory segment lies at the
// lowest place that VidMm has free; nothing is evicted for it. On the other GPUs of a link the same
// place is its own there: nothing else lies in their memory. What a table holds is in the format of
// the driver: the prediction of memory leaves these pages out.
#pragma once

#include <cstdint>
#include <memory>
#include <optional>
#include <vector>

#include "conformance/host/gpuva/tables/host_windows.h"
#include "conformance/host/gpuva/tables/table_view.h"
#include "conformance/host/memory/memory.h"
#include "conformance/host/vidmm/prediction/predicted_memory.h"
#include "reference/gpummu/address.h"

namespace wddm::host {

/// What a page table needs of the memory it lies in, and what it is.
struct TableShape {
  SegmentId segment = kNoSegment;
  std::uint32_t pages = 0;
  std::uint32_t alignment = 0;  ///< bytes; 0: a page
  std::uint32_t level = 0;
  std::uint32_t entries = 0;
  gpummu::PageTablePageSize page_size{};  ///< of a leaf
  std::uint32_t instances = 1;            ///< in system memory: of GPUs that have their own
};

/// The memory of one page table.
struct TablePlace : TableShape {
  /// As DXGK_PTE and D3DGPU_PHYSICAL_ADDRESS have it; where GPUs have their own, that of GPU 0.
  gpummu::PhysicalAddress address;
  memory::GuardedBuffer system;     ///< of a table in system memory
  /// Where the CPU sees it through host apertures: one of each GPU that has them.
  std::vector<HostWindow> windows;

  /// Bytes from the instance of GPU 0 to that of this GPU.
  [[nodiscard]] std::uint64_t offset_of(std::uint32_t gpu) const {
    return instances == 1 ? 0 : std::uint64_t{gpu} * pages * kPageSize;
  }
  [[nodiscard]] gpummu::PhysicalAddress address_on(std::uint32_t gpu) const {
    gpummu::PhysicalAddress there = address;
    there.offset += offset_of(gpu);
    return there;
  }
};

class TablePlaces {
 public:
  TablePlaces(Adapter& adapter, Residency& residency, PredictedMemory& memory)
      : adapter_(adapter), residency_(residency), memory_(memory), windows_(adapter) {}

  /// The adapter has started.
  void begin() { windows_.begin(); }
  /// Whether the CPU can reach tables there, on each GPU of a link.
  [[nodiscard]] bool reaches(SegmentId segment) const;

  /// Nothing where there is no room, or no such memory segment. At the wanted address of a segment
  /// if there is room, else at the lowest one.
  [[nodiscard]] std::optional<TablePlace> take(
      const TableShape& shape, const std::optional<gpummu::PhysicalAddress>& wanted = {});
  /// Whether take() would find room.
  [[nodiscard]] bool has_room(const TableShape& shape) const;
  /// What it held is overwritten, where the CPU sees it.
  void give_back(const TablePlace& place);
  /// How the table of that GPU of the link is looked at. In memory of segments it lies at the same
  /// place on each.
  [[nodiscard]] std::shared_ptr<TableView> view(const TablePlace& place,
                                                std::uint32_t physical_adapter = 0) const;
  /// Where the CPU sees the table as memory; null if it does not.
  [[nodiscard]] std::uint8_t* cpu_address(const TablePlace& place,
                                          std::uint32_t physical_adapter = 0) const;

 private:
  /// The first page of room in a memory segment.
  [[nodiscard]] std::optional<std::uint32_t> find(const TableShape& shape) const;

  Adapter& adapter_;
  Residency& residency_;
  PredictedMemory& memory_;
  HostWindows windows_;
};

}  // namespace wddm::host
