// The CPU host aperture of segments that the CPU sees only through it: the two calls that change
// it.
#pragma once

#include <cstdint>
#include <vector>

#include "conformance/host/adapter/adapter.h"

namespace wddm::host {

/// Pages of the aperture of a segment of a GPU, and the pages of the segment beside them.
struct HostAperturePages {
  std::uint32_t segment = 0;
  std::uint32_t physical_adapter = 0;
  std::vector<UINT32> window{};
  std::vector<UINT64> memory{};  ///< of a mapping: as many
  /// Behind the last of each list, for a driver that reads one more.
  UINT32 window_behind = 0;
  UINT64 memory_behind = 0;
};

/// MapCpuHostAperture and UnmapCpuHostAperture, without an allocation; the trace tells which pages.
/// The driver has the entry point.
[[nodiscard]] NTSTATUS map_host_aperture(const Adapter& adapter, HostAperturePages pages);
NTSTATUS unmap_host_aperture(const Adapter& adapter, HostAperturePages pages);

/// Pages that a host needs to try anything.
inline constexpr std::uint32_t kLeastHostAperturePages = 3;

/// How many of them a segment's aperture has for sure. CpuHostAperture.SizeInPages is said to count
/// the CPU's pages, and the calls to count those of the segment: where the two differ the former is
/// taken, and the latter only where nothing is left of it and the device decodes so much.
[[nodiscard]] std::uint32_t host_aperture_pages(const Adapter& adapter,
                                                const SegmentDescription& segment,
                                                std::uint32_t physical_adapter);

/// Bytes of a page of it, which is as large as those of the segment.
[[nodiscard]] std::uint64_t host_aperture_page_bytes(const SegmentDescription& segment);

}  // namespace wddm::host
