// The adapter's life as Dxgkrnl leads it: DriverEntry, AddDevice, StartDevice, the queries, and
// back.
//
// Each step that fails ends bring-up there; what had been done is undone in reverse order, as
// Windows does. Left out: power transitions, child devices and everything of displays.
#pragma once

#include <cstdint>
#include <optional>
#include <vector>

#include "conformance/host/adapter/bus.h"
#include "conformance/host/adapter/gpummu_query.h"
#include "conformance/host/adapter/handle_references.h"
#include "conformance/host/adapter/isolated_memory.h"
#include "conformance/host/adapter/objects/resources.h"
#include "conformance/host/boundary/session.h"
#include "conformance/host/interposer.h"
#include "reference/types.h"

namespace wddm::host {

/// Why an engine or the adapter is reset; in traces.
enum class ResetCause : std::uint32_t { PageFault, Timeout, Stuck };

/// A segment as the driver described it, in the order of SegmentId (the first is 1).
struct SegmentDescription {
  std::uint64_t base = 0;          ///< BaseAddress: added to every SegmentAddress
  std::uint64_t size = 0;          ///< bytes
  std::uint64_t commit_limit = 0;  ///< bytes
  std::uint64_t cpu_address = 0;   ///< CpuTranslatedAddress, valid if CpuVisible
  DXGK_SEGMENTFLAGS flags{};
  std::uint64_t host_aperture = 0;        ///< CpuHostAperture.PhysicalAddress, if there is one
  std::uint32_t host_aperture_pages = 0;  ///< CpuHostAperture.SizeInPages
  std::uint32_t invalid_ranges = 0;       ///< NumInvalidMemoryRanges
};

class Adapter {
 public:
  explicit Adapter(Bus& bus);

  /// Goes as far as it can toward the running state. True if the adapter runs.
  bool bring_up();
  /// Undoes everything from the current stage down to `stage`.
  enum class Stage : std::uint8_t { Absent, Entered, Added, Started };
  /// Watched: time passes behind each call, and what is left over then is counted. AtOnce: none
  /// does up to the end of Unload, and threads of the driver run where it waits alone: what it does
  /// not see to the end is there when its code goes.
  enum class Departure : std::uint8_t { Watched, AtOnce };
  void tear_down(Stage stage, Departure departure = Departure::Watched);
  [[nodiscard]] Stage stage() const { return stage_; }
  /// Whether the driver may use what StartDevice gave it: from that call on until StopDevice
  /// returns.
  [[nodiscard]] bool started() const { return starting_ || stage_ == Stage::Started; }
  [[nodiscard]] bool running() const { return running_; }

  /// DxgkDdiResetFromTimeout: the driver gives up all work and leaves memory alone.
  void reset_from_timeout(ResetCause cause);
  /// DxgkDdiRestartFromTimeout: it may be given work again.
  void restart_from_timeout(ResetCause cause);

  /// Asks for capabilities and segments again and records the answers.
  void query();
  [[nodiscard]] HandleReferences& references() { return references_; }
  /// DxgkInitialize returns this at the next DriverEntry; 0 is success.
  void set_initialize_status(std::uint32_t status) { initialize_status_ = status; }

  /// What the driver calls the adapter; in a link, its lead.
  [[nodiscard]] PVOID miniport(std::uint32_t physical_adapter = 0) const {
    return physical_[physical_adapter].miniport;
  }
  [[nodiscard]] const DXGK_DRIVERCAPS& caps() const { return caps_; }
  [[nodiscard]] const std::vector<SegmentDescription>& segments(
      std::uint32_t physical_adapter = 0) const {
    return physical_[physical_adapter].segments;
  }
  /// One that the driver has described.
  [[nodiscard]] const SegmentDescription& segment(SegmentId id,
                                                  std::uint32_t physical_adapter = 0) const {
    return physical_[physical_adapter].segments[id.value - 1];
  }
  /// Whether that GPU of the link has segments of the same kinds and sizes as GPU 0.
  [[nodiscard]] bool memory_is_alike(std::uint32_t physical_adapter) const;
  /// Whether one of these (bit n is segment n + 1) is managed in pages of 64 KB.
  [[nodiscard]] bool has_64kb_pages(std::uint32_t segment_set) const;
  [[nodiscard]] std::uint32_t paging_buffer_bytes() const { return paging_bytes_; }
  [[nodiscard]] std::uint32_t paging_private_bytes() const { return paging_private_bytes_; }
  /// PagingBufferSegmentId: the aperture that paging buffers are to be fetched through; kNoSegment:
  /// none.
  [[nodiscard]] SegmentId paging_buffer_segment() const { return paging_segment_; }
  /// DMA buffers that the driver was told to be ready for at its last start, or will be at the
  /// next.
  [[nodiscard]] std::uint32_t queue_entries() const { return queue_entries_; }
  void announce_queue(std::uint32_t entries) { queue_entries_ = entries; }
  /// Whether the driver was built for this interface or a later one. DXGK_DRIVERCAPS::WDDMVersion
  /// says nothing of it: it is reserved from the interface of Windows 7 on.
  [[nodiscard]] static bool knows(InterfaceVersion version);
  /// Whether the driver makes contexts. Without MultiEngineAware it does not: its devices take
  /// their place, and there is node 0 alone. GPU virtual addresses are of contexts in any case. One
  /// that did not tell its capabilities is asked for contexts, as all newer ones make them.
  [[nodiscard]] bool has_contexts() const;
  /// 1 to 64.
  [[nodiscard]] std::uint32_t nodes() const;
  /// GPUs of the link, of which the first leads; 1 without a link.
  [[nodiscard]] std::uint32_t physical_adapters() const {
    return static_cast<std::uint32_t>(physical_.size());
  }
  /// The node that the driver has named for paging (on GPU 0 of a link).
  [[nodiscard]] NodeId paging_node() const;
  /// Each GPU of a link has every node.
  [[nodiscard]] bool has(EngineId engine) const {
    return engine.physical_adapter < physical_adapters() && engine.node.value < nodes();
  }
  /// Those of the first GPU first.
  template <class Body>
  void for_each_engine(Body body) const {
    for (std::uint32_t adapter = 0; adapter < physical_adapters(); ++adapter) {
      for (std::uint32_t node = 0; node < nodes(); ++node) {
        body(EngineId{.node = NodeId{node}, .physical_adapter = adapter});
      }
    }
  }
  /// Rows of the slot table.
  [[nodiscard]] std::uint32_t slots() const;
  [[nodiscard]] bool preemption_aware() const { return caps_.SchedulingCaps.PreemptionAware != 0; }
  /// Whether the driver says that its GPU translates virtual addresses by page tables.
  [[nodiscard]] bool has_gpu_mmu() const;
  /// Whether it takes MapApertureSegment2 instead of MapApertureSegment: MapAperture2Supported, in
  /// an interface that has it.
  [[nodiscard]] bool maps_by_address_lists() const;
  /// It reaches memory through the IOMMU, beside its own MMU or alone: processes have PASIDs.
  [[nodiscard]] bool has_io_mmu() const;
  /// ... of that GPU: those of a link may differ.
  [[nodiscard]] bool has_io_mmu(std::uint32_t physical_adapter) const;
  /// ... alone: whatever it reaches by address, the page tables of the CPU lead to.
  [[nodiscard]] bool io_mmu_alone() const;
  /// Contexts have virtual addresses, whichever MMU translates them.
  [[nodiscard]] bool has_virtual_addresses() const { return has_gpu_mmu() || io_mmu_alone(); }
  /// What it says of page tables; nothing where it did not answer. With an IOMMU alone they are
  /// those of the CPU, which no driver sees.
  [[nodiscard]] const std::optional<GpuMmuReport>& gpummu(
      std::uint32_t physical_adapter = 0) const {
    return physical_[physical_adapter].gpummu;
  }
  [[nodiscard]] Bus& bus() const { return bus_; }
  /// NumberOfChildren and NumberOfVideoPresentSources, as StartDevice said. While it runs.
  [[nodiscard]] std::uint32_t children() const { return physical_[0].children; }
  [[nodiscard]] std::uint32_t sources() const { return physical_[0].sources; }
  /// Times it was asked for capabilities.
  [[nodiscard]] std::uint32_t query_rounds() const { return query_round_; }

  // What the callbacks need (callbacks.cpp).
  NTSTATUS initialize(PDRIVER_OBJECT object, PUNICODE_STRING path,
                      PDRIVER_INITIALIZATION_DATA data);
  /// Whose handle it is, of those that StartDevice is given; the lead's for any other.
  [[nodiscard]] std::uint32_t index_of(HANDLE handle) const;
  /// 0 right, 1 unknown, 2 the miniport's own context, 3 of an earlier start.
  [[nodiscard]] std::uint32_t judge_handle(HANDLE handle) const;
  void mapped(void* address);
  /// False if DxgkCbMapMemory did not return this address, or it is unmapped already.
  [[nodiscard]] bool unmapped(void* address);
  [[nodiscard]] IsolatedMemory& isolated_memory() { return isolated_memory_; }
  [[nodiscard]] const DXGK_DEVICE_INFO& device_info(std::uint32_t physical_adapter) const {
    return physical_[physical_adapter].device_info;
  }

 private:
  /// One device of the bus, as the driver knows it.
  struct PhysicalAdapter {
    DEVICE_OBJECT* device = nullptr;
    PVOID miniport = nullptr;
    HANDLE handle = nullptr;
    DXGKRNL_INTERFACE callbacks{};
    DXGK_DEVICE_INFO device_info{};
    std::vector<SegmentDescription> segments;
    std::optional<GpuMmuReport> gpummu;
    bool was_asked = false;  // what it said first stays in force ...
    bool io_mmu = false;
    std::uint32_t moves = 0;  // ... but for addresses: Bus::moves() when it was asked last
    ULONG sources = 0, children = 0;
    bool leads = false;  // LeadLink
  };
  [[nodiscard]] static DEVICE_OBJECT* make_device_object();
  bool add(std::uint32_t index);
  /// How many adapters the link is to have; 0: it is none.
  [[nodiscard]] std::uint32_t ask_for_link(std::uint32_t index);
  bool enumerate_link();
  /// From here on the GPU that leads is the first.
  void put_lead_first();
  void swap_with_lead();
  /// All have been removed: the first is the one that is added first again.
  void forget_link();
  NTSTATUS start(std::uint32_t index);
  void stop(std::uint32_t index);
  void query_physical_adapter(std::uint32_t index);
  bool enter();
  bool add();
  bool start();
  void stop(Departure departure);
  void count_late_interrupts();
  void remove(Departure departure);
  void unload(Departure departure);
  void query_caps();
  /// Whether what the driver says of nodes counts.
  [[nodiscard]] bool names_nodes() const;
  void query_segments(std::uint32_t index);
  void query_gpu_mmu(std::uint32_t index);
  template <class Out, class Descriptor>
  bool ask_segments(UINT type, std::uint32_t version, std::uint32_t index,
                    std::vector<std::uint8_t>& descriptors, Out& out);
  NTSTATUS query_info(DXGKARG_QUERYADAPTERINFO& query);
  void report_pool(std::uint32_t at) const;
  void report_ddis() const;
  void report_entries() const;
  void report_platform() const;
  [[nodiscard]] bool can_be_isolated() const;
  void report_memory_imports() const;
  void poll_connectors();

  Bus& bus_;
  Stage stage_ = Stage::Absent;
  bool was_entered_ = false;
  bool starting_ = false;  // inside of StartDevice
  bool running_ = false;
  DRIVER_OBJECT* driver_object_ = nullptr;
  std::vector<PhysicalAdapter> physical_{1};
  std::size_t lead_was_ = 0;  // in the order in which they were added
  UNICODE_STRING registry_path_{}, entry_path_{};
  std::uint32_t starts_ = 0;
  DXGK_DRIVERCAPS caps_{};
  bool has_caps_ = false;
  std::uint32_t paging_bytes_ = 0;
  std::uint32_t paging_private_bytes_ = 0;
  SegmentId paging_segment_ = kNoSegment;
  std::uint32_t queue_entries_ = kRequiredDmaQueueEntry;
  std::uint32_t query_round_ = 0;
  std::optional<WORD> paging_node_index_;  // of the physical adapter, where it was asked for
  std::uint32_t initialize_status_ = 0;
  ev::EntryReturned entry_{};
  std::uint32_t mapped_ = 0, unmapped_ = 0;
  IsolatedMemory isolated_memory_;
  HandleReferences references_;
  std::vector<void*> mappings_;  // of DxgkCbMapMemory that are there now
};

/// The running adapter, for callbacks; null outside of a run.
[[nodiscard]] Adapter* current_adapter();
void set_current_adapter(Adapter* adapter);
/// Fills the callback table that StartDevice is given.
void fill_callbacks(DXGKRNL_INTERFACE& table, HANDLE device_handle);

}  // namespace wddm::host
