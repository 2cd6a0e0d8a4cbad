// A swizzling range, through which the CPU sees an allocation in its own order (before WDDM 2.0).
//
// Sources: nc-d3dkmddi-dxgkddi_acquireswizzlingrange.md,
// nc-d3dkmddi-dxgkddi_releaseswizzlingrange.md, ns-d3dkmddi-_dxgkarg_acquireswizzlingrange.md. Left
// out: ranges that are larger or smaller than the allocation, and several for one allocation.
#pragma once

#include <cstdint>
#include <vector>

#include "conformance/host/vidmm/requests.h"

namespace wddm::host {

/// Null, or why the driver can be asked for none.
[[nodiscard]] const char* why_no_swizzling_range(const RequestScene& scene);

/// All ranges are alike; the number of the last is not 0 where there are several.
[[nodiscard]] std::uint32_t last_swizzling_range(const RequestScene& scene);

/// One of the driver's ranges, for an allocation that is resident where the CPU sees it.
class SwizzlingRange {
 public:
  SwizzlingRange(const RequestScene& scene, AllocationId allocation, std::uint32_t number)
      : scene_(scene), allocation_(allocation), number_(number) {}
  SwizzlingRange(const RequestScene& scene, AllocationId allocation)
      : SwizzlingRange(scene, allocation, last_swizzling_range(scene)) {}

  /// Null, or why the CPU does not see all of the allocation through it. What is acquired has to be
  /// released.
  [[nodiscard]] const char* acquire();
  [[nodiscard]] bool acquired() const { return acquired_; }
  void release();

  [[nodiscard]] std::uint32_t number() const { return number_; }
  /// All that the CPU sees of it.
  [[nodiscard]] const std::vector<std::uint8_t>& seen() const { return seen_; }
  /// Whether that is what stands in the segment, byte for byte.
  [[nodiscard]] bool is_as_stored() const;
  /// The CPU writes a word through it, which is seen from then on.
  void write(std::uint32_t offset, std::uint32_t value);

 private:
  const RequestScene& scene_;
  const AllocationId allocation_;
  const std::uint32_t number_;
  DXGKARG_ACQUIRESWIZZLINGRANGE range_{};
  std::vector<std::uint8_t> seen_;
  bool acquired_ = false;
};

}  // namespace wddm::host
