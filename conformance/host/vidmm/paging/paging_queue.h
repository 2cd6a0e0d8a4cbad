// Paging on its way to VidSch: built, followed by the plan of what lies where, and queued as there
// is room. A job that is abandoned half-way plans no further: where allocations will be is by then
// up to the next start of the adapter.
#pragma once

#include <functional>
#include <memory>
#include <vector>

#include "conformance/host/vidmm/job_waits.h"
#include "conformance/host/vidmm/paging/paging_builder.h"
#include "conformance/host/vidmm/paging/paging_operations.h"

namespace wddm::host {

class VirtualMemory;

class PagingQueue {
 public:
  PagingQueue(const PagingScene& scene, Residency& residency, PredictedMemory& memory,
              PagingBuilder& builder, VidSchWorker& vidsch, JobWaits& waits, const Choices& choices)
      : scene_(scene),
        residency_(residency),
        memory_(memory),
        builder_(builder),
        vidsch_(vidsch),
        waits_(waits),
        choices_(choices) {}

  /// How steps are carried out with GPU virtual addresses.
  void use(VirtualMemory& memory) { virtual_memory_ = &memory; }

  using Buffers = std::vector<std::unique_ptr<PagingBuffer>>;

  /// Carries out a step that the oracle decided on.
  void queue(const vidmm::PagingStep& step);
  /// The same by the operations of the physical model, whatever the driver's GPU translates.
  void queue_physical(const vidmm::PagingStep& step);
  void queue(const PagingOperationPtr& operation);
  void queue(Buffers buffers);
  /// An engine leaves the context that it is in. Null, or why it does not.
  [[nodiscard]] const char* queue_context_switch(EngineId engine);
  /// The context that it is in.
  [[nodiscard]] ContextId context_on(EngineId engine) const { return vidsch_.context_on(engine); }
  /// The first half of queue().
  [[nodiscard]] Buffers build(const PagingOperationPtr& operation) {
    return builder_.build(operation);
  }
  void carry_out_without_buffer(const PagingOperationPtr& operation) {
    builder_.build_without_buffer(*operation);
  }
  /// Nothing is to be done for it but to know of it.
  void take_effect(const PagingEffect& effect) { memory_.apply(effect); }
  /// Does all for these steps but queue them, for a portion that follows others of its buffer. With
  /// GPU virtual addresses they are carried out. What the driver may do at once finds all before it
  /// done: then that is queued too, first by `queue_portions` the portions before, which returns
  /// whether there were any.
  [[nodiscard]] Buffers build(const vidmm::PagingSteps& steps,
                              const std::function<bool()>& queue_portions);
  /// Pages that each part of a transfer of so many moves, as the scenario chooses, in at most so
  /// many parts; 0: as many as there are.
  [[nodiscard]] std::uint32_t transfer_pages(std::uint32_t pages, std::uint32_t parts) const {
    return choices_.chunk_of(pages, parts);
  }
  /// Whether contents are shown across borders of leaf tables from the start on.
  [[nodiscard]] bool pages_across_leaves() const { return choices_.across_leaves; }
  /// The GPU of the link that fills run on as the scenario chooses.
  [[nodiscard]] std::uint32_t physical_adapter() const { return choices_.physical_adapter; }

 private:
  [[nodiscard]] bool is_virtual() const;
  /// The plan follows the step. What comes back is under no lock any more.
  void follow(const vidmm::PagingStep& step);
  [[nodiscard]] std::vector<PagingOperationPtr> operations_of(const vidmm::PagingStep& step) const;

  PagingScene scene_;
  Residency& residency_;
  PredictedMemory& memory_;
  PagingBuilder& builder_;
  VidSchWorker& vidsch_;
  JobWaits& waits_;
  const Choices& choices_;
  VirtualMemory* virtual_memory_ = nullptr;
  std::uint32_t last_adapter_ = 0;  // of a link, that something was queued for
};

}  // namespace wddm::host
