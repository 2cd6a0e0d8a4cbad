#include "faulty.h"

namespace reference_kmd {

void LeakingAdapter::free_nodes() {
  if (nodes_ == nullptr) return;
  for (UINT i = 0; i < HW_NODE_COUNT; ++i) delete nodes_[i];
  nodes_ = nullptr;
}

}  // namespace reference_kmd
