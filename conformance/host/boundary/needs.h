// What the driver under test needs, for scenarios that give sizes relative to it.
//
// A scenario that does is run twice: first undisturbed, with every buffer as large as the driver
// asked for, and nobody watching; then as it says. So "one byte less than it needs" means the same
// on any driver. What was not measured (the first run did not come to it, or an anomaly of the
// scenario, which holds there too, kept it from ending) counts as asked for.
#pragma once

#include <array>
#include <cstddef>
#include <cstdint>
#include <span>
#include <vector>

#include "reference/trace/op.h"

namespace wddm::host {

/// Paging operations that are small beside the largest of a scenario: copies of entries beside
/// updates, unmaps beside maps; fills and transfers by address, and MapApertureSegment2, beside
/// updates of what is mapped. A buffer that is too short for them counts from the largest of their
/// own kind.
enum class OwnMeasure : std::uint8_t { CopyOfEntries, Unmap, VirtualFill, VirtualTransfer, Map2 };
inline constexpr std::size_t kOwnMeasures = 5;

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
  /// ... of a kind that counts for itself.
  void paged(OwnMeasure kind, std::uint64_t bytes);

  // Sizes as an op gives them; `asked`: what the driver asked for, which 0 of no measure stands for.
  [[nodiscard]] std::uint32_t dma_bytes(const Op& render, std::uint32_t ordinal,
                                        std::uint32_t asked) const;
  [[nodiscard]] std::uint32_t patch_capacity(const Op& render, std::uint32_t ordinal,
                                             std::uint32_t asked) const;
  [[nodiscard]] std::uint32_t paging_bytes(Measure measure, std::uint32_t value,
                                           std::uint32_t asked) const;
  /// Of a kind that counts for itself: from the largest of that kind.
  [[nodiscard]] std::uint32_t paging_bytes(OwnMeasure kind, Measure measure, std::uint32_t value,
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
  // Bytes of one operation: of any, and by OwnMeasure.
  std::uint64_t largest_paging_ = 0;
  std::array<std::uint64_t, kOwnMeasures> largest_of_kind_{};
};

/// Whether some op gives a size relative to what the driver needs.
[[nodiscard]] bool any_relative_size(std::span<const Op> ops);

}  // namespace wddm::host
