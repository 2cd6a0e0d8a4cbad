// The VidMm worker: a thread that takes DMA buffers and requests in the order of their coming.
//
// What is to be done about them the oracle decides; buffer_jobs.h and requests.h carry it out.
#pragma once

#include <cstdint>
#include <deque>
#include <memory>
#include <optional>
#include <span>
#include <variant>
#include <vector>

#include "conformance/host/gpuva/contexts/context_allocations.h"
#include "conformance/host/gpuva/virtual_memory.h"
#include "conformance/host/nt/sync/dpc.h"
#include "conformance/host/vidmm/aperture_pages.h"
#include "conformance/host/vidmm/buffer_jobs.h"
#include "conformance/host/vidmm/buffer_windows.h"
#include "conformance/host/vidmm/requests.h"
#include "conformance/host/vidmm/tile_updates.h"

namespace wddm::host {

class VidMmWorker {
 public:
  VidMmWorker(Adapter& adapter, Processes& processes, Objects& objects, Residency& residency,
              PredictedMemory& memory, PagingWindows& windows, WalkJudge& walks,
              VidSchWorker& vidsch, const Choices& choices);

  /// The adapter runs; its system process and contexts are there, if there are to be any.
  void begin();
  /// All objects but processes are gone.
  void end();
  void enqueue(std::unique_ptr<RenderBuffer> buffer);
  void enqueue(Request request, const Op& op);
  /// VidMm lets go of an allocation that is about to be destroyed.
  void enqueue_destruction(AllocationId id);
  /// A context that was just made: with GPU virtual addresses it gets the root of its process.
  void enqueue_context(ContextId id);
  /// A process whose contexts and allocations are gone: its page tables are about to go. False if
  /// the driver is told nothing of it.
  [[nodiscard]] bool enqueue_process_end(ProcessId id);
  /// False if VidMm refuses it: it would never be resident, or there is too much to keep track of.
  [[nodiscard]] bool allocation_created(AllocationId id);
  /// The CPU has written to an allocation that nothing has used yet: it has content to bring in.
  void cpu_wrote(AllocationId id) { residency_.vidmm().mark_written(id); }
  /// Why the last one that was refused was.
  [[nodiscard]] const std::string& refusal() const { return refusal_; }

  /// Which instances of renamed allocations buffers may name.
  [[nodiscard]] vidmm::Instances& instances() { return residency_.instances(); }

  /// What VidMm does with GPU virtual addresses.
  [[nodiscard]] VirtualMemory& virtual_memory() { return virtual_memory_; }

  /// What is interlocked with rendering; `hurry`: an update comes behind the next buffer. Null, or
  /// why the op is not done.
  const char* interlock(const Op& op, bool hurry);

  // ---- Clients that do not wait for paging fences: what they ask for is answered, and carried out
  // behind the next buffer.
  /// Null, or why the op is not done.
  const char* postpone(const Op& op);
  /// No buffer came.
  void begin_postponed();
  /// The allocation is not brought in for a buffer: that was asked for.
  [[nodiscard]] bool is_postponed(AllocationId id) const;
  /// A buffer that uses these is about to come: whether it goes ahead of something.
  void tell_postponed(RenderBuffer& buffer, std::span<const AllocationId> uses) const;
  [[nodiscard]] TileUpdates& tiles() { return tiles_; }
  [[nodiscard]] const AddressSpaces& address_spaces() const { return spaces_; }

  /// What clients of WDDM 2 require.
  [[nodiscard]] ClientResidency& clients() { return clients_; }

  /// Jobs not yet handed to the scheduler.
  [[nodiscard]] std::uint32_t jobs() const {
    return static_cast<std::uint32_t>(jobs_.size()) + (waits_.working() ? 1 : 0);
  }
  [[nodiscard]] std::uint64_t progress() const { return progress_; }
  /// The adapter is about to be reset, while no other thread may be in the driver: a callback that
  /// waits there for paging fails, and no job begins before abandon().
  void come_out_of_driver();
  /// The adapter was reset: no job goes on.
  void abandon();

  // ---- Drivers whose GPU fetches commands through an aperture.
  /// Whether DMA buffers can lie in one of these segments.
  [[nodiscard]] bool shows_buffers_in(std::uint32_t segment_set) const {
    return residency_.apertures_in(segment_set) != 0;
  }
  /// Apertures show buffers that are over: they are to be unmapped before their device goes.
  [[nodiscard]] bool enqueue_unmapping(ContextId id);
  /// Power is gone while nothing runs.
  void power_was_lost() { builder_.power_was_lost(); }

 private:
  struct RequestJob {
    Request request;
    Op op;
    bool hurry = false;  // earlier work may still run
  };
  struct MappingJob {
    CompanionUpdates::Parts parts;
    Op op;
  };
  using Job = std::variant<std::unique_ptr<RenderBuffer>, RequestJob, InterlockedJob, MappingJob>;
  struct Postponed {
    Job job;
    Op op;
    std::vector<AllocationId> displaced{};
  };

  static void thread(void* context);
  void begin_virtual_memory();
  /// DxgkCbUpdateContextAllocation is called, not in SetRootPageTable.
  [[nodiscard]] bool enqueue_update();
  /// Null if paging operations can be carried out. With GPU virtual addresses nothing can be
  /// without page tables.
  [[nodiscard]] const char* why_no_paging() const;
  void work();
  /// Which stopped packets the request does not wait for.
  [[nodiscard]] JobWaits::MayPass passes(const Op& op) const;
  [[nodiscard]] RequestScene requests_scene();
  void take(std::unique_ptr<RenderBuffer>& buffer);
  void take(const RequestJob& job);
  /// Whether a request waits for no earlier work, as the scenario chooses.
  [[nodiscard]] bool is_ahead(const Op& op) const;
  void take(const InterlockedJob& job);
  void take(const MappingJob& job);

  const Adapter& adapter_;
  std::string refusal_;
  Residency& residency_;
  PredictedMemory& memory_;
  const Choices& choices_;
  PagingScene scene_;
  JobWaits waits_;
  AperturePages aperture_pages_;
  PagingBuilder builder_;
  PagingQueue queue_;
  BufferWindows windows_;
  RawMappings mappings_;
  TablePlaces tables_;
  AddressSpaces spaces_;
  ContextAllocations context_allocations_;
  VirtualMemory virtual_memory_;
  ClientResidency clients_;
  BufferJobs buffers_;
  TileUpdates tiles_;
  std::optional<vidmm::SplitPlanner> planner_;
  std::deque<Job> jobs_;
  std::vector<Postponed> postponed_;
  bool started_ = false;
  bool begins_no_job_ = false;
  std::uint64_t progress_ = 0;
  nt::HostEvent wake_{true};
};

}  // namespace wddm::host
