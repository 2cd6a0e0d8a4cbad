// The VidMm worker: takes DMA buffers and memory ops in order, asks the oracle, pages, queues.
//
// What a job pages may be in use by earlier work, so a job that pages waits until all earlier
// packets have ended; portions of one buffer are ordered by the scheduler instead.
#pragma once

#include <cstdint>
#include <deque>
#include <memory>
#include <span>
#include <vector>

#include "conformance/host/boundary/scenario_choices.h"
#include "conformance/host/nt/sync/dpc.h"
#include "conformance/host/vidmm/build_paging.h"
#include "conformance/host/vidsch/vidsch_worker.h"
#include "reference/vidmm/step.h"

namespace wddm::host {

class VidMmWorker {
 public:
  VidMmWorker(Adapter& adapter, Objects& objects, Residency& residency, PredictedMemory& memory,
              Paging& paging, VidSchWorker& vidsch, const Choices& choices);

  /// The adapter runs.
  void begin();
  void enqueue(std::unique_ptr<RenderBuffer> buffer);
  /// make_resident, evict, move, fill_memory, transfer_segments, map_aperture, unmap_aperture,
  /// discard or cpu_write.
  void enqueue(const Op& op);
  /// VidMm lets go of an allocation that is about to be destroyed.
  void enqueue_destruction(std::uint32_t slot);
  /// False if VidMm refuses it: it would never be resident, or there is too much to keep track of.
  [[nodiscard]] bool allocation_created(std::uint32_t slot);

  /// Jobs not yet handed to the scheduler.
  [[nodiscard]] std::uint32_t jobs() const {
    return static_cast<std::uint32_t>(jobs_.size()) + (busy_ ? 1 : 0);
  }
  [[nodiscard]] std::uint64_t progress() const { return progress_; }
  void abandon();

 private:
  struct Job {
    std::unique_ptr<RenderBuffer> buffer;  ///< null: an op
    Op op;
  };
  struct RawMap {
    std::uint32_t page, pages;
    std::vector<memory::Frame> frames;
  };
  struct Lists {
    std::vector<vidmm::PatchElement> elements;
    std::vector<vidmm::AllocationEntry> entries;
    [[nodiscard]] vidmm::PatchList view(std::uint32_t bytes) const {
      return {elements, entries, bytes};
    }
  };

  static void thread(void* context);
  void work();
  void take(RenderBuffer& buffer, std::unique_ptr<RenderBuffer>& owner);
  void take(const Op& op);
  void drop(const RenderBuffer& buffer);
  void drop(const RenderBuffer& buffer, const char* why);
  void wait_for_earlier_work();
  [[nodiscard]] bool marker_lies_in(std::uint32_t segment, std::uint32_t page,
                                    std::uint32_t pages) const;
  [[nodiscard]] Lists lists_of(const RenderBuffer& buffer) const;
  [[nodiscard]] bool plan(const RenderBuffer& buffer, const Lists& lists, vidmm::Plan& plan);
  [[nodiscard]] std::vector<std::uint32_t> taken_splits(const vidmm::PatchList& list) const;
  [[nodiscard]] bool reject_for_leaks(const RenderBuffer& buffer, const Lists& lists,
                                      const vidmm::Plan& plan) const;
  void relocate_all(const RenderBuffer& buffer);
  [[nodiscard]] std::vector<VidSchWorker::Portion> portions_of(const RenderBuffer& buffer,
                                                               const vidmm::Plan& plan);
  void carry_out(const vidmm::PagingSteps& steps);
  void carry_out(OpKind kind, const vidmm::Input& input);
  [[nodiscard]] static std::size_t packets_of(std::span<const VidSchWorker::Portion> portions);
  void queue(const std::shared_ptr<PagingOperation>& operation);
  void queue(std::vector<std::unique_ptr<PagingBuffer>> buffers);
  void skip(OpKind kind, const char* why) const;

  Adapter& adapter_;
  Objects& objects_;
  Residency& residency_;
  PredictedMemory& memory_;
  Paging& paging_;
  VidSchWorker& vidsch_;
  const Choices& choices_;
  std::unique_ptr<vidmm::SplitPlanner> planner_;
  std::deque<Job> jobs_;
  std::vector<RawMap> maps_;
  std::uint32_t dropped_render_ = kNone;  // the latest of which a pass will not run
  bool busy_ = false;
  bool abandoned_ = false;
  bool started_ = false;
  std::uint64_t progress_ = 0;
  nt::HostEvent wake_{true};
};

}  // namespace wddm::host
