// The nodes that GetNodeMetadata is asked about: NodeOrdinalAndAdapterIndex has the GPU of a link
// in its high word.
#pragma once

#include <string>

#include "conformance/rules/rule.h"

namespace wddm::nodes {

inline std::uint32_t gpu_of(const ev::NodeAnswered& node) {
  return node.ordinal >> 16;
}
inline std::uint32_t number_of(const ev::NodeAnswered& node) {
  return node.ordinal & 0xFFFF;
}
/// Others are asked about too.
inline bool exists(const ev::NodeAnswered& node, const Platform& platform) {
  const bool linked = gpu_of(node) == 0 || gpu_of(node) < platform.linked_adapters;
  return linked && number_of(node) < node.nodes;
}
inline std::string name_of(const ev::NodeAnswered& node) {
  std::string text = "node " + std::to_string(number_of(node));
  if (gpu_of(node) != 0) text += " of GPU " + std::to_string(gpu_of(node));
  return text;
}

}  // namespace wddm::nodes
