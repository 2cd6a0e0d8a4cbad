// Whose memory buffers with GPU virtual addresses use, as far as events tell: memory that is right
// after a packet that uses none shows nothing of translations.
//
// Which allocations a buffer uses its client says when it hands it on. Of a buffer that nobody has
// told of it is known how many, one of them with the mark that packets leave at their end.
#pragma once

#include <algorithm>
#include <cstdint>
#include <utility>

#include "conformance/rules/scratch.h"
#include "conformance/rules/va/space_history.h"
#include "reference/trace/trace.h"

namespace wddm {

/// Reads the trace at the first question: in most traces nothing comes up to ask about.
class UsedMemory {
 public:
  explicit UsedMemory(const Trace& trace) : trace_(trace) {}
  /// The packet may use memory of some allocation; so may one of which nothing is known.
  [[nodiscard]] bool any(const SpacePacket& packet) {
    read();
    const auto found = elements_.find(render_of(packet));
    return found == elements_.end() || found->second > 1;
  }
  /// ... of this one.
  [[nodiscard]] bool of(const SpacePacket& packet, std::uint32_t allocation) {
    read();
    const auto found = built_.find(render_of(packet));
    if (found == built_.end()) return any(packet);
    for (const AllocationRecord& one :
         trace_.blob<AllocationRecord>(trace_.events()[found->second])) {
      if (one.allocation == allocation) return true;
    }
    return false;
  }

 private:
  void read() {
    if (std::exchange(is_read_, true)) return;
    for (const std::uint32_t index : trace_.of<ev::PortionPlanned>()) {
      const auto planned = trace_.at<ev::PortionPlanned>(index);
      std::uint32_t& elements = elements_[planned.render];
      elements = std::max(elements, planned.count);
    }
    for (const std::uint32_t index : trace_.of<ev::BufferBuilt>()) {
      built_[trace_.at<ev::BufferBuilt>(index).render] = index;
    }
  }
  [[nodiscard]] std::uint32_t render_of(const SpacePacket& packet) const {
    return trace_.at<ev::Submitted>(packet.submitted).render;
  }

  const Trace& trace_;
  bool is_read_ = false;
  ScratchMap<std::uint32_t, std::uint32_t> elements_;  // by render
  ScratchMap<std::uint32_t, std::uint32_t> built_;     // by render: BufferBuilt
};

}  // namespace wddm
