// What the driver under test needs, for scenarios that give sizes relative to it.
//
// A scenario that does is run twice: first undisturbed, with every buffer as large as the driver
// asked for, and nobody watching; then as it says. So "one byte less than it needs" means the same
// on any driver. What was not measured (the first run did not come to it, or an anomaly of the
// scenario, which holds there too, kept it from ending) counts as asked for.
#pragma once

#include <cstdint>
#include <span>
#include <vector>

#include "reference/trace/op.h"

namespace wddm::host {

class Needs {
 public:
  /// From now on what is used is measured, and every size is the one asked for.
  void measure() { *this = {}, measuring_ = true; }
  /// From now on sizes are relative to what was measured.
  void apply() { measuring_ = false; }
  void forget() { *this = {}; }

  /// What the n-th render of the run took, all passes together.
  void rendered(std::uint32_t ordinal, std::uint32_t dma_bytes, std::uint32_t patches);
  /// What a paging operation took, all passes together ...
  void paged(std::uint64_t bytes);
  /// ... that copies entries of page tables.
  void copied(std::uint64_t bytes);

  // Sizes as an op gives them; `asked`: what the driver asked for, which 0 of no measure stands for.
  [[nodiscard]] std::uint32_t dma_bytes(const Op& render, std::uint32_t ordinal,
                                        std::uint32_t asked) const;
  [[nodiscard]] std::uint32_t patch_capacity(const Op& render, std::uint32_t ordinal,
                                             std::uint32_t asked) const;
  [[nodiscard]] std::uint32_t paging_bytes(Measure measure, std::uint32_t value,
                                           std::uint32_t asked) const;
  /// Copies of entries are small beside updates: they count from the largest copy.
  [[nodiscard]] std::uint32_t copying_bytes(Measure measure, std::uint32_t value,
                                            std::uint32_t asked) const;

 private:
  struct Render {
    std::uint32_t dma_bytes = 0, patches = 0;
  };
  [[nodiscard]] Render render(std::uint32_t ordinal) const;
  [[nodiscard]] std::uint32_t size(Measure measure, std::uint32_t value, std::uint64_t needed,
                                   std::uint32_t asked, std::uint64_t most) const;

  bool measuring_ = false;
  std::vector<Render> renders_;        // by ordinal
  std::uint64_t largest_paging_ = 0, largest_copy_ = 0;  // bytes of one operation
};

/// Whether some op gives a size relative to what the driver needs.
[[nodiscard]] bool any_relative_size(std::span<const Op> ops);

}  // namespace wddm::host
