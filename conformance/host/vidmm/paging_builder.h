// From paging operations to paging buffers: BuildPagingBuffer until it has taken the whole
// operation.
//
// Buffers are complete when they are built, so that a step's packets can be queued at once; what
// they do to memory is predicted when the last of them ends.
//
// The adapter may be reset while the driver is in BuildPagingBuffer. Memory is then nobody's
// business any more, or already that of the next start: of what was built nothing is kept.
#pragma once

#include <cstdint>
#include <functional>
#include <memory>
#include <vector>

#include "conformance/host/boundary/scenario_choices.h"
#include "conformance/host/vidmm/job_waits.h"
#include "conformance/host/vidmm/paging_buffer.h"
#include "conformance/host/vidmm/predicted_memory.h"

namespace wddm::host {

class PagingBuilder {
 public:
  PagingBuilder(const Adapter& adapter, const Objects& objects, PredictedMemory& memory,
                JobWaits& waits, const Choices& choices)
      : adapter_(adapter), objects_(objects), memory_(memory), waits_(waits), choices_(choices) {}

  using Buffers = std::vector<std::unique_ptr<PagingBuffer>>;
  /// Calls BuildPagingBuffer as often as it takes. Empty if the driver gave up or had nothing for
  /// the GPU to do (then the operation is done already), and if the job was abandoned. `queue` gets
  /// the first buffers of an operation that takes more than there are.
  [[nodiscard]] Buffers build(const std::shared_ptr<PagingOperation>& operation,
                              const std::function<void(Buffers)>& queue = {});
  /// With GPU virtual addresses: where buffers come from.
  void use(PagingWindows& windows) { windows_ = &windows; }
  /// The same by one call without a buffer: the driver does it at once, with the CPU.
  void build_without_buffer(PagingOperation& operation);

 private:
  /// Null if there is no memory for another.
  [[nodiscard]] std::unique_ptr<PagingBuffer> empty_buffer(
      const std::shared_ptr<PagingOperation>& operation, std::uint32_t bytes) const;
  [[nodiscard]] memory::GuardedBuffer dma_buffer(PagingBuffer& buffer, std::uint32_t bytes) const;
  NTSTATUS call(PagingOperation& operation, PagingBuffer& buffer, std::uint32_t pass,
                std::uint32_t* multipass) const;

  const Adapter& adapter_;
  const Objects& objects_;
  PredictedMemory& memory_;
  JobWaits& waits_;
  const Choices& choices_;
  PagingWindows* windows_ = nullptr;
};

}  // namespace wddm::host
