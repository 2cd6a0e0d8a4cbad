// A trace in which Render makes one list.
#pragma once

#include <vector>

#include "conformance/rules/tests/trace_test.h"

namespace wddm {

/// Allocation 0 is large, allocation 1 is not.
class ListTest : public TraceTest {
 protected:
  ListTest() : TraceTest(32, 1 << 21) {}
  /// Of the lists to come.
  void contexts_ask_for(std::uint32_t dma_bytes) {
    add(ev::ContextCreated{.dma_bytes = dma_bytes});
  }
  void render(const std::vector<PatchRecord>& elements, std::uint32_t status = 0) {
    add(ev::RenderCalled{}, std::vector<AllocationRecord>{{.size = 0x100000, .allocation = 0},
                                                          {.size = 0x1000, .allocation = 1}});
    add(ev::Rendered{.status = status, .dma_used = 64, .dma_given = 4096}, elements);
  }
};

}  // namespace wddm
