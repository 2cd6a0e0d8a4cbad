// The GPU address spaces of all processes: what the oracle decides about their page tables, carried
// out on the driver.
//
// Runs on the VidMm worker. Updates are paging operations, queued in the order of the decisions;
// before a root is given to a context, contexts are suspended or a table goes, all earlier packets
// have ended. Updates by the CPU happen while they are built: who makes what is in use lead
// elsewhere waits for what is queued. Left out: updates through the paging process's own addresses
// (GPU_VIRTUAL), roots that change their size, linked adapters.
#pragma once

#include <map>
#include <memory>

#include "conformance/host/gpuva/page_table_operations.h"
#include "conformance/host/gpuva/table_places.h"
#include "conformance/host/gpuva/watched_table.h"
#include "conformance/host/vidmm/job_waits.h"
#include "conformance/host/vidmm/paging_queue.h"
#include "reference/gpummu/address_space.h"

namespace wddm::host {

/// A two-level root is that large from the start on, and stays so: scenarios are small.
inline constexpr std::uint32_t kRootEntries = 64;

class AddressSpaces {
 public:
  AddressSpaces(const Adapter& adapter, Processes& processes, const PagingScene& scene,
                TablePlaces& places, PagingQueue& queue, JobWaits& waits)
      : adapter_(adapter),
        processes_(processes),
        scene_(scene),
        places_(places),
        queue_(queue),
        waits_(waits) {}

  /// Makes the space of a process that is there. Null, or why there is none.
  [[nodiscard]] const char* open(ProcessId process);
  /// The paging process's tables are written: from here on they are updated as those of others.
  void paging_process_started() { spaces_.at(kSystemProcess)->starting = false; }
  /// Takes the memory of its tables back; the driver knows the process no more.
  void close(ProcessId process);
  void close_all();
  [[nodiscard]] bool has(ProcessId process) const { return spaces_.contains(process); }
  /// One that is there.
  [[nodiscard]] const gpummu::AddressSpace& space(ProcessId process) const {
    return spaces_.at(process)->tables;
  }

  /// Takes what happens to the space, and does what follows; `mapped` is what it is about. False if
  /// the oracle refuses it or there is no memory for a table.
  bool step(ProcessId process, const gpummu::Input& input, const Mapped& mapped = {});

 private:
  struct Space {
    Space(ProcessId id, const gpummu::Geometry& geometry, gpummu::Owner owner)
        : process(id), tables(geometry, 1, owner), starting(id == kSystemProcess) {}
    ProcessId process;
    gpummu::AddressSpace tables;
    std::map<gpummu::TableId, TablePlace> places;
    std::map<gpummu::TableId, std::shared_ptr<WatchedTable>> watched;
    bool starting;        ///< the paging process's: its first updates are immediate
    bool broken = false;  ///< a table has no place: no step is taken any more
  };

  void carry_out(Space& space, const gpummu::SuspendContexts&, const Mapped&);
  void carry_out(Space& space, const gpummu::ResumeContexts&, const Mapped&);
  void carry_out(Space& space, const gpummu::CreateTable& create, const Mapped&);
  void carry_out(Space& space, const gpummu::UpdateEntries& update, const Mapped& mapped);
  void carry_out(Space& space, const gpummu::CopyEntries& copy, const Mapped&);
  void carry_out(Space& space, const gpummu::SetRoot& set, const Mapped&);
  void carry_out(Space& space, const gpummu::FlushTlb& flush, const Mapped&);
  void carry_out(Space& space, const gpummu::RelocateTable& table, const Mapped&);
  void carry_out(Space& space, const gpummu::ReleaseTable& table, const Mapped&);
  void carry_out(Space& space, const gpummu::CommitTable& table, const Mapped&);
  void carry_out(Space& space, const gpummu::DestroyTable& table, const Mapped&);
  void carry_out(Space& space, const gpummu::Refused& refused, const Mapped&);

  /// How the tables of the space are updated now.
  [[nodiscard]] gpummu::PageTableUpdateMode mode_of(const Space& space) const;
  [[nodiscard]] const TablePlace& place_of(const Space& space, gpummu::TableId table) const;
  [[nodiscard]] gpummu::Entry with_place(const Space& space, const gpummu::Entry& entry,
                                         gpummu::TableId table) const;
  [[nodiscard]] gpummu::RootPageTableSize root_size(std::uint32_t entries) const;
  void ask_for_root_sizes(const gpummu::Geometry& geometry) const;
  /// As the GPU is to see an entry of the driver's.
  [[nodiscard]] EntryRecord wanted(const gpummu::Entry& entry, std::uint64_t protection) const;
  void watch(Space& space, const gpummu::CreateTable& table, const TablePlace& place) const;

  const Adapter& adapter_;
  Processes& processes_;
  PagingScene scene_;
  TablePlaces& places_;
  PagingQueue& queue_;
  JobWaits& waits_;
  std::map<ProcessId, std::unique_ptr<Space>> spaces_;
  std::uint32_t updates_built_ = 0;
};

}  // namespace wddm::host
