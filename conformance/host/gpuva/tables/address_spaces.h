// The GPU address spaces of all processes: what the oracle decides about their page tables, carried
// out on the driver.
//
// Runs on the VidMm worker. Updates are paging operations, queued in the order of the decisions;
// before a root is given to a context, contexts are suspended or a table goes, all earlier packets
// have ended. Updates by the CPU happen while they are built: who makes what is in use lead
// elsewhere waits for what is queued. Contents of tables that move go through the windows of the
// paging process. A table's old memory is overwritten when the step is done: who still reads it
// goes astray. Where many entries change, the TLB is flushed for the whole space. On a link each
// decision is carried out on the GPU that it names, in its own system context, by its own paging
// packets; tables lie at the same place on all of them, or one behind the other in system memory
// (linked_tables.h). Left out: links whose GPUs have page tables of different shapes. What
// decisions become is in table_decisions.cpp. With an IOMMU alone nothing is carried out: the
// oracle's mappings are all there is (gpuva/iommu.h).
#pragma once

#include <map>
#include <memory>
#include <optional>
#include <span>
#include <vector>

#include "conformance/host/gpuva/tables/entry_copies.h"
#include "conformance/host/gpuva/tables/page_table_operations.h"
#include "conformance/host/gpuva/tables/paging_layout.h"
#include "conformance/host/gpuva/tables/shown_tables.h"
#include "conformance/host/gpuva/tables/space_in_memory.h"
#include "conformance/host/gpuva/tables/table_places.h"
#include "conformance/host/gpuva/tables/walk_judge.h"
#include "conformance/host/gpuva/tables/watched_table.h"
#include "conformance/host/vidmm/job_waits.h"
#include "conformance/host/vidmm/paging/paging_queue.h"
#include "reference/gpummu/address_space.h"

namespace wddm::host {

class AddressSpaces {
 public:
  AddressSpaces(const Adapter& adapter, Processes& processes, const PagingScene& scene,
                TablePlaces& places, WalkJudge& walks, PagingQueue& queue, JobWaits& waits)
      : adapter_(adapter),
        processes_(processes),
        scene_(scene),
        places_(places),
        walks_(walks),
        queue_(queue),
        waits_(waits) {}

  /// Makes the space of a process that is there. Null, or why there is none.
  [[nodiscard]] const char* open(ProcessId process);
  /// The paging process's tables are written: from here on they are updated as those of others.
  void paging_process_started() { spaces_.at(kSystemProcess)->starting = false; }
  /// Makes the tables that the paging process keeps. False: there is no memory for them.
  [[nodiscard]] bool keep_windows();
  /// Nothing if no memory of the driver is mapped in pages of 64 KB there.
  [[nodiscard]] const std::optional<LargeWindows>& large_windows() const { return large_windows_; }
  /// Nothing if no scenario has asked for them, or they cannot be had.
  [[nodiscard]] const std::optional<CrossedLeaves>& crossed_leaves() const {
    return crossed_leaves_;
  }
  /// Bytes of the pages that map a range of the paging process; 0 if not all are alike.
  [[nodiscard]] std::uint32_t page_bytes(const gpummu::VaRange& range,
                                         std::uint32_t physical_adapter) const;
  /// Before the paging process has started: maps its tables where they are updated. Null, or why
  /// they cannot be.
  [[nodiscard]] const char* map_own_tables();
  /// All tables of the process go, as the driver wants it; close() follows.
  void end(ProcessId process);
  /// Takes the memory of its tables back; the driver knows the process no more.
  void close(ProcessId process);
  void close_all();
  /// Else the page tables are the CPU's.
  [[nodiscard]] bool has_tables() const { return !adapter_.io_mmu_alone(); }
  [[nodiscard]] bool has(ProcessId process) const { return spaces_.contains(process); }
  /// One that is there.
  [[nodiscard]] const gpummu::AddressSpace& space(ProcessId process) const {
    return spaces_.at(process)->tables;
  }

  /// In a link: says how the process's tables lie on other GPUs beside those of GPU 0.
  void compare_instances(ProcessId process) const;

  /// What the driver has reserved for itself.
  [[nodiscard]] std::span<const gpummu::VaRange> reserved_by_driver(ProcessId process) const {
    return processes_.reserved(process);
  }

  // ---- Power.
  /// Overwrites all tables in memory segments; bytes of them.
  std::uint64_t lose_memory();
  /// Writes all tables of the paging process anew, as when it started.
  void write_paging_process_again();

  /// Takes what happens to the space, and does what follows; `mapped` is what it is about. False if
  /// the oracle refuses it or there is no memory for a table.
  bool step(ProcessId process, const gpummu::Input& input, const Mapped& mapped = {});

  /// While it is set, entries of the process are written, and its TLB is flushed, by packets of its
  /// paging companion; what is new altogether comes with other paging, before them.
  struct Companion {
    ContextId context = kNoContext;
    ProcessId process{};
    std::uint32_t physical_adapter = 0;  ///< whose page tables it writes
    /// What addresses have to be moved by to be those of the same pages in the privileged space, of
    /// pages that are mapped there: their entries are copied ...
    struct InPool {
      gpummu::VaRange range;
      std::uint64_t shift = 0;
    };
    std::vector<InPool> to_pool{};  // lowest first, without gaps
    /// ... unless they are those of other addresses of the process, by what these differ.
    std::optional<std::uint64_t> to_source{};
  };
  void use(const Companion* companion) { companion_ = companion; }

  /// While one lives, flushes of clients wait for the updates of steps to come, up to whatever is
  /// neither: the entries of a surface with several addresses all change before any is forgotten.
  class FlushesWait {
   public:
    explicit FlushesWait(AddressSpaces& spaces) : spaces_(spaces) { spaces_.flushes_wait_ = true; }
    ~FlushesWait() {
      spaces_.flushes_wait_ = false;
      spaces_.flush_now();
    }
    FlushesWait(const FlushesWait&) = delete;
    FlushesWait& operator=(const FlushesWait&) = delete;

   private:
    AddressSpaces& spaces_;
  };

  /// A table found no place: no step is taken any more.
  [[nodiscard]] bool is_broken(ProcessId process) const { return spaces_.at(process)->broken; }
  /// What addresses were to lead to cannot be written: nothing of the process runs from here on.
  void give_up(ProcessId process) { spaces_.at(process)->broken = true; }
  /// Why a step was not taken, or will not be.
  [[nodiscard]] const char* why_not(ProcessId process) const {
    return spaces_.at(process)->abandoned ? "a reset came before its page tables were written"
                                          : "there is no memory for its page tables";
  }

  /// The context in whose SetRootPageTable the running thread is.
  [[nodiscard]] std::optional<ContextId> setting() const;
  /// Maps pages of a place into a window of the paging process.
  bool show(gpummu::GpuVirtualAddress window, const TablePlace& place, std::uint32_t first,
            std::uint32_t pages) {
    return show(kSystemProcess, window, place, first, pages);
  }

  // ---- Before a step, since none can be taken back.
  /// The driver's answer for a root with so many entries; nothing if it is of no use, or there is
  /// no memory for such a root.
  [[nodiscard]] std::optional<gpummu::RootPageTableSize> root_for(ProcessId process,
                                                                  std::uint32_t entries) const;
  /// Entries of a root of two levels when it is made.
  [[nodiscard]] std::uint32_t root_entries_at_first() const;
  /// There is room for the table at another place, or for one that was evicted.
  [[nodiscard]] bool has_room_for(ProcessId process, gpummu::TableId table) const;
  /// Whether entries that name an aperture segment lead there on that GPU of the link, as far as
  /// any have been written.
  [[nodiscard]] bool leads_into_apertures(ProcessId process, std::uint32_t physical_adapter) const;
  /// By the client's decoder: entries of all tables of the process that there are have one length.
  [[nodiscard]] bool has_equal_entries(ProcessId process) const;
  /// What the table's place has: bytes it takes.
  [[nodiscard]] std::uint64_t bytes_of(ProcessId process, gpummu::TableId table) const {
    return spaces_.at(process)->place_of(table).pages * kPageSize;
  }

 private:
  using Space = SpaceInMemory;

  void carry_out(Space& space, const gpummu::SuspendContexts&, const Mapped&);
  void carry_out(Space& space, const gpummu::ResumeContexts&, const Mapped&);
  void carry_out(Space& space, const gpummu::CreateTable& create, const Mapped&);
  void carry_out(Space& space, const gpummu::UpdateEntries& update, const Mapped& mapped);
  void carry_out(Space& space, const gpummu::CopyEntries& copy, const Mapped&);
  void carry_out(Space& space, const gpummu::SetRoot& set, const Mapped&);
  void carry_out(Space& space, const gpummu::FlushTlb& flush, const Mapped&);
  void flush(Space& space, const gpummu::FlushTlb& flush, bool whole);
  /// Those that wait.
  void flush_now();
  void carry_out(Space& space, const gpummu::RelocateTable& table, const Mapped&);
  /// False where it came to nothing.
  [[nodiscard]] bool copy_table(const TablePlace& from, const TablePlace& to);
  void carry_out(Space& space, const gpummu::ReleaseTable& table, const Mapped&);
  void carry_out(Space& space, const gpummu::CommitTable& table, const Mapped&);
  void carry_out(Space& space, const gpummu::DestroyTable& table, const Mapped&);
  void carry_out(Space& space, const gpummu::Refused& refused, const Mapped&);

  void update(Space& space, const gpummu::UpdateEntries& update,
              std::span<const gpummu::Written> elements, const Mapped& mapped);
  [[nodiscard]] bool is_on_companion(const Space& space,
                                     gpummu::PhysicalAdapterIndex adapter) const {
    return companion_ != nullptr && space.process == companion_->process &&
           adapter.value == companion_->physical_adapter;
  }
  /// How many of the decisions, from the first on, one copy has carried out: those that write just
  /// what other entries of the process say, or entries of its privileged space.
  std::size_t copy_entries(Space& space, std::span<const gpummu::Decision> decided);
  /// Whose entries they are; none if there are no such.
  [[nodiscard]] std::vector<CopiedRange> source_of(const Space& space, const Space& privileged,
                                                   const gpummu::UpdateEntries& update) const;
  /// Makes the source of a copy differ from what it is when the copy is executed. The entry;
  /// nothing if none is valid.
  std::optional<std::uint32_t> change_late(Space& space, const gpummu::CopyEntries& copy);
  bool show(ProcessId in, const CopyCall& call);
  [[nodiscard]] std::vector<CopiedRange> source_in_pool(
      const Space& privileged, const EntriesAt& to, const gpummu::UpdateEntries& update,
      std::span<const gpummu::Written> elements) const;
  [[nodiscard]] bool reaches_own_tables() const;
  /// What the paging process keeps tables for: it depends on how tables are updated.
  [[nodiscard]] gpummu::VaRange windows() const;
  /// Whether windows find addresses there, and their tables a place where they are updated.
  [[nodiscard]] bool has_room_for(const gpummu::VaRange& windows) const;
  [[nodiscard]] bool keep_large_windows();
  [[nodiscard]] bool keep_crossed_leaves();
  [[nodiscard]] bool keep_large_root_place();
  [[nodiscard]] bool has_room_for_leaves(const gpummu::VaRange& windows) const;
  [[nodiscard]] std::uint64_t most_root_bytes(ProcessId process) const;
  /// Where an update finds a table by address; `late`: it is one of the companion.
  [[nodiscard]] gpummu::GpuVirtualAddress shown(Space& space, gpummu::TableId table, bool late);
  void watch(Space& space, gpummu::TableId table) const;
  /// Memory for a table. False if there is none.
  bool give_place(Space& space, gpummu::TableId table, const TableShape& shape);
  void leave_old_entries(Space& space, gpummu::TableId table) const;
  /// Bytes of an entry of another table; empty: there is none that leads somewhere.
  [[nodiscard]] std::vector<std::uint8_t> some_valid_entry(
      std::uint32_t level, gpummu::PageTablePageSize page_size) const;
  /// The table is where it was no more.
  void let_go(Space& space, gpummu::TableId table, TableGone how);
  /// Walks find it there from here on, or no more.
  void appeared(const Space& space, const TablePlace& place) {
    for (const SeenTable& table : space.seen(place, scene_.residency)) walks_.appeared(table);
  }
  void left(const Space& space, const TablePlace& place) {
    for (const SeenTable& table : space.seen(place, scene_.residency)) walks_.left(table);
  }
  void overwrite_former(Space& space);
  bool show(ProcessId space, gpummu::GpuVirtualAddress window, const TablePlace& place,
            std::uint32_t first, std::uint32_t pages);

  const Adapter& adapter_;
  Processes& processes_;
  PagingScene scene_;
  TablePlaces& places_;
  WalkJudge& walks_;
  PagingQueue& queue_;
  JobWaits& waits_;
  std::map<ProcessId, std::unique_ptr<Space>> spaces_;
  std::uint32_t updates_built_ = 0;
  ShownTables shown_;
  struct WaitingFlush {
    Space* space;
    gpummu::FlushTlb flush;
    bool whole;
  };
  std::vector<WaitingFlush> waiting_;
  bool flushes_wait_ = false;
  const Companion* companion_ = nullptr;
  std::optional<ContextId> setting_;
  std::uint32_t setting_thread_ = 0;
  std::optional<LargeWindows> large_windows_;
  std::optional<CrossedLeaves> crossed_leaves_;
};

}  // namespace wddm::host
