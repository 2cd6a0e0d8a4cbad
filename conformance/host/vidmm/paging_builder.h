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
#include <memory>
#include <vector>

#include "conformance/host/boundary/scenario_choices.h"
#include "conformance/host/vidmm/job_waits.h"
#include "conformance/host/vidmm/paging_buffer.h"
#include "conformance/host/vidmm/predicted_memory.h"

namespace wddm::host {

class PagingBuilder {
 public:
  PagingBuilder(const Adapter& adapter, PredictedMemory& memory, const JobWaits& waits,
                const Choices& choices)
      : adapter_(adapter), memory_(memory), waits_(waits), choices_(choices) {}

  /// Calls BuildPagingBuffer as often as it takes. Empty if the driver gave up or had nothing for
  /// the GPU to do (then the operation is done already), and if the job was abandoned.
  [[nodiscard]] std::vector<std::unique_ptr<PagingBuffer>> build(
      const std::shared_ptr<PagingOperation>& operation);

 private:
  [[nodiscard]] std::unique_ptr<PagingBuffer> empty_buffer(
      const std::shared_ptr<PagingOperation>& operation, std::uint32_t bytes) const;
  NTSTATUS call(PagingOperation& operation, PagingBuffer& buffer, std::uint32_t pass,
                std::uint32_t* multipass) const;

  const Adapter& adapter_;
  PredictedMemory& memory_;
  const JobWaits& waits_;
  const Choices& choices_;
};

}  // namespace wddm::host
