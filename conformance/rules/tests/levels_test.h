// A trace in which a driver describes its page tables.
#pragma once

#include "conformance/rules/tests/trace_test.h"

namespace wddm {

class LevelsTest : public TraceTest {
 protected:
  std::uint32_t gpu = 0;  ///< of a link, whose tables are described

  void caps(std::uint32_t levels, std::uint32_t address_bits = 48,
            std::uint32_t mode = update_mode::kCpuVirtual) {
    add(ev::GpuMmuReported{.physical_adapter = gpu,
                           .update_mode = mode,
                           .address_bits = address_bits,
                           .levels = levels});
  }
  void level(std::uint32_t level, std::uint32_t index_bits = 9, std::uint32_t segment = 0,
             std::uint32_t bytes = 4096, std::uint32_t paging_segment = 0) {
    add(ev::PageTableLevelReported{.physical_adapter = gpu,
                                   .level = level,
                                   .index_bits = index_bits,
                                   .segment = segment,
                                   .paging_segment = paging_segment,
                                   .bytes = bytes});
  }
};

}  // namespace wddm
