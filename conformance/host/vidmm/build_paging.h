// From VidMm's steps to paging buffers: BuildPagingBuffer until it has taken the whole operation.
//
// Buffers are complete when they are built, so that a step's packets can be queued at once; what
// they do to memory is predicted when the last of them ends.
#pragma once

#include <cstdint>
#include <memory>
#include <vector>

#include "conformance/host/boundary/scenario_choices.h"
#include "conformance/host/vidmm/paging_buffer.h"
#include "conformance/host/vidmm/predicted_memory.h"
#include "reference/vidmm/paging_step.h"

namespace wddm::host {

class Paging {
 public:
  Paging(Adapter& adapter, Objects& objects, Residency& residency, PredictedMemory& memory,
         const Choices& choices)
      : adapter_(adapter),
        objects_(objects),
        residency_(residency),
        memory_(memory),
        choices_(choices) {}

  // Operations for a step and for the ops of a scenario that name one.
  [[nodiscard]] std::vector<std::shared_ptr<PagingOperation>> for_step(
      const vidmm::PagingStep& step);
  [[nodiscard]] std::shared_ptr<PagingOperation> fill(std::uint32_t slot, std::uint32_t pattern);
  [[nodiscard]] std::shared_ptr<PagingOperation> discard(std::uint32_t slot);
  [[nodiscard]] std::shared_ptr<PagingOperation> transfer(std::uint32_t from_segment,
                                                          std::uint32_t from_page,
                                                          std::uint32_t segment, std::uint32_t page,
                                                          std::uint32_t pages);
  [[nodiscard]] std::shared_ptr<PagingOperation> map(std::uint32_t page,
                                                     std::span<const memory::Frame> frames,
                                                     std::uint32_t mdl_offset);
  /// `frames` are free for others when it is done.
  [[nodiscard]] std::shared_ptr<PagingOperation> unmap(std::uint32_t page, std::uint32_t pages,
                                                       std::vector<memory::Frame> frames);

  /// Calls BuildPagingBuffer as often as it takes. Empty if the driver gave up or had nothing for
  /// the GPU to do (then the operation is done already).
  [[nodiscard]] std::vector<std::unique_ptr<PagingBuffer>> build(
      const std::shared_ptr<PagingOperation>& operation);

 private:
  [[nodiscard]] std::shared_ptr<PagingOperation> start(DXGK_BUILDPAGINGBUFFER_OPERATION operation,
                                                       std::uint32_t slot) const;
  [[nodiscard]] std::shared_ptr<PagingOperation> transfer_part(const vidmm::PagingStep& step,
                                                               bool in, std::uint32_t first,
                                                               std::uint32_t pages);
  NTSTATUS call(PagingOperation& operation, PagingBuffer& buffer, std::uint32_t pass,
                std::uint32_t* multipass);

  Adapter& adapter_;
  Objects& objects_;
  Residency& residency_;
  PredictedMemory& memory_;
  const Choices& choices_;
};

}  // namespace wddm::host
