// Nodes that draw or compute: granularities of preemption are of these, and one that copies, or
// works on video, may stop where it can.
#pragma once

#include <d3dkmddi.h>

#include "conformance/rules/caps/named_nodes.h"
#include "conformance/rules/scratch.h"

namespace wddm::preempt {

/// Of what kind a node is GetNodeMetadata says; where nobody has asked, the first is taken for one
/// that draws.
class NodesThatDraw {
 public:
  NodesThatDraw(const Trace& trace, const Platform& platform) {
    constexpr std::uint32_t kEngineType = 1;  // NodeAnswered::unwritten
    for (const std::uint32_t index : trace.of<ev::NodeAnswered>()) {
      const auto node = trace.at<ev::NodeAnswered>(index);
      const bool said = nodes::exists(node, platform) && (node.unwritten & kEngineType) == 0;
      if (!said || !NT_SUCCESS(static_cast<NTSTATUS>(node.status))) continue;
      const bool computes = platform.compute_only && node.type == DXGK_ENGINE_TYPE_OTHER;
      const EngineId engine{.node = NodeId{nodes::number_of(node)},
                            .physical_adapter = nodes::gpu_of(node)};
      draws_[engine] = computes || node.type == DXGK_ENGINE_TYPE_3D;
    }
  }
  [[nodiscard]] bool have(EngineId engine) const {
    const auto found = draws_.find(engine);
    return found == draws_.end() ? engine.node.value == 0 : found->second;
  }

 private:
  ScratchMap<EngineId, bool> draws_;
};

}  // namespace wddm::preempt
