// What the oracle is asked about a DMA buffer: its lists in the oracle's terms, what the driver can
// bear, and what the scenario chose.
#pragma once

#include <cstdint>
#include <vector>

#include "conformance/host/adapter/adapter.h"
#include "conformance/host/boundary/scenario_choices.h"
#include "conformance/host/vidsch/queued_packet.h"
#include "reference/vidmm/step.h"

namespace wddm::host {

class BufferRequest {
 public:
  BufferRequest(const RenderBuffer& buffer, const vidmm::VidMm& vidmm, const Adapter& adapter,
                const Choices& choices);
  BufferRequest(const BufferRequest&) = delete;
  BufferRequest& operator=(const BufferRequest&) = delete;

  /// A view; it lives no longer than the request.
  [[nodiscard]] const vidmm::Prepare& input() const { return input_; }

 private:
  std::vector<vidmm::PatchElement> elements_;
  std::vector<vidmm::AllocationEntry> entries_;
  std::vector<std::uint32_t> taken_;
  vidmm::Prepare input_;
};

}  // namespace wddm::host
