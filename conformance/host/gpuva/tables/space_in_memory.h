// The address space of one process, with the memory that its page tables lie in.
#pragma once

#include <cstdint>
#include <map>
#include <memory>
#include <optional>
#include <vector>

#include "conformance/host/gpuva/tables/table_places.h"
#include "conformance/host/gpuva/tables/walk_judge.h"
#include "conformance/host/gpuva/tables/watched_table.h"
#include "reference/gpummu/address_space.h"

namespace wddm::host {

/// What a table that leaves its place is from then on: TableMoved::gone.
enum class TableGone : std::uint8_t { No, Evicted, Destroyed };

struct SpaceInMemory {
  /// A place that is overwritten at the end of the step.
  struct Leaving {
    TablePlace from;
    std::uint64_t to = 0;
    TableGone gone = TableGone::No;
  };

  SpaceInMemory(ProcessId id, const gpummu::Geometry& geometry, std::uint32_t physical_adapters,
                gpummu::Owner owner)
      : process(id), tables(geometry, physical_adapters, owner), starting(id == kSystemProcess) {}

  /// How its tables are updated now.
  [[nodiscard]] gpummu::PageTableUpdateMode mode() const;
  /// Of a table that has one.
  [[nodiscard]] const TablePlace& place_of(gpummu::TableId table) const;
  /// The entry, leading to the table's place on that GPU if it names one.
  [[nodiscard]] gpummu::Entry with_place(const gpummu::Entry& entry, gpummu::TableId table,
                                         gpummu::PhysicalAdapterIndex adapter) const;
  /// Tables at that place, as walks of the GPUs find them: one, or each GPU's own.
  [[nodiscard]] std::vector<SeenTable> seen(const TablePlace& place,
                                            const Residency& residency) const;
  /// The table as it lies in memory now, on each GPU of the link.
  void watch(gpummu::TableId table, const Objects& objects, const TablePlaces& memory);
  void watch_no_more(gpummu::TableId table);
  /// Overwrites all tables in memory segments that the CPU sees; bytes of them.
  std::uint64_t lose_memory(const TablePlaces& memory) const;
  /// The table as it lies on one GPU of the link.
  [[nodiscard]] const std::shared_ptr<WatchedTable>& watched_on(
      gpummu::PhysicalAdapterIndex adapter, gpummu::TableId table) const;

  ProcessId process;
  gpummu::AddressSpace tables;
  std::map<gpummu::TableId, TablePlace> places;
  /// One for each GPU of the link.
  std::map<gpummu::TableId, std::vector<std::shared_ptr<WatchedTable>>> watched;
  std::map<gpummu::TableId, TableShape> released;  ///< of evicted tables, without memory
  /// Where the root lay that is evicted: one of another size comes to lie there.
  std::optional<gpummu::PhysicalAddress> root_left;
  std::vector<Leaving> leaving;                              ///< until the step is done
  std::vector<TablePlace> former;                            ///< of tables in system memory
  std::map<gpummu::TableId, gpummu::GpuVirtualAddress> own;  ///< the paging process's: see there
  std::uint64_t changed = 0;  ///< entries that the step in work writes anew
  bool starting;              ///< the paging process's: its first updates are immediate
  bool stepping = false;      ///< some GPUs of a link may have what others are yet to get
  bool broken = false;        ///< a table has no place: no step is taken any more
  bool abandoned = false;     ///< ... or a reset dropped what was to write one
};

}  // namespace wddm::host
