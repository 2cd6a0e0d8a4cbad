// Which segments there are on each GPU of a link, as bits of a SegmentSet.
#pragma once

#include <cstddef>
#include <cstdint>

#include "conformance/rules/rule.h"
#include "conformance/rules/scratch.h"

namespace wddm::seg {

/// The bit of a segment in a SegmentSet; 0: no set can name it.
[[nodiscard]] constexpr std::uint32_t bit_of(std::uint32_t segment) {
  return segment >= 1 && segment <= 32 ? 1u << (segment - 1) : 0;
}

/// Each GPU of a link has segments of its own; those of GPU 0 are the platform's.
class SegmentsOfGpus {
 public:
  SegmentsOfGpus(const Trace& trace, const Platform& platform) {
    for (std::size_t i = 0; i < platform.segments.size() && i < 32; ++i) {
      put(gpus_[0], static_cast<std::uint32_t>(i) + 1, platform.segments[i].flags);
    }
    if (platform.linked_adapters == 0) return;
    for (const std::uint32_t index : trace.of<ev::SegmentReported>()) {
      const auto segment = trace.at<ev::SegmentReported>(index);
      if (segment.physical_adapter == 0 || bit_of(segment.segment) == 0) continue;
      put(gpus_[segment.physical_adapter], segment.segment, SegmentFlags{segment.flags});
    }
  }

  /// Those that are reported. A GPU that there is not counts as the first.
  [[nodiscard]] std::uint32_t all(std::uint32_t gpu) const { return of(gpu).all; }
  /// ... that are apertures.
  [[nodiscard]] std::uint32_t apertures(std::uint32_t gpu) const { return of(gpu).apertures; }
  /// Whether the segment is one of them and no aperture.
  [[nodiscard]] bool is_memory(std::uint32_t segment, std::uint32_t gpu) const {
    return (all(gpu) & ~apertures(gpu) & bit_of(segment)) != 0;
  }
  /// Those that are memory no CPU reaches: neither CpuVisible nor with a CPU host aperture, and no
  /// part of system memory.
  [[nodiscard]] std::uint32_t hidden(std::uint32_t gpu) const { return of(gpu).hidden; }
  /// Those that are memory and not CpuVisible, be there an aperture for the CPU or none.
  [[nodiscard]] std::uint32_t unseen(std::uint32_t gpu) const { return of(gpu).unseen; }
  /// Those that need a pitch.
  [[nodiscard]] std::uint32_t pitched(std::uint32_t gpu) const { return of(gpu).pitched; }
  /// Those that some GPU has.
  [[nodiscard]] std::uint32_t anywhere() const {
    std::uint32_t set = 0;
    for (const auto& [number, gpu] : gpus_) set |= gpu.all;
    return set;
  }

 private:
  struct Gpu {
    std::uint32_t all = 0, apertures = 0, hidden = 0, unseen = 0, pitched = 0;
  };
  // DXGK_SEGMENTFLAGS: Aperture, Agp; CpuVisible, PopulatedFromSystemMemory,
  // SupportsCpuHostAperture, PopulatedByReservedDDRByFirmware.
  static constexpr std::uint32_t kApertures = 1u << 0 | 1u << 1,
                                 kReached = 1u << 2 | 1u << 6 | 1u << 13 | 1u << 21;
  static void put(Gpu& gpu, std::uint32_t segment, SegmentFlags flags) {
    const std::uint32_t bit = bit_of(segment);
    if ((gpu.all & bit) != 0) return;  // what was said first counts
    gpu.all |= bit;
    if (flags.aperture() || flags.agp()) gpu.apertures |= bit;
    if ((flags.value & (kApertures | kReached)) == 0) gpu.hidden |= bit;
    if ((flags.value & kApertures) == 0 && !flags.cpu_visible()) gpu.unseen |= bit;
    if (flags.pitch_alignment()) gpu.pitched |= bit;
  }
  [[nodiscard]] const Gpu& of(std::uint32_t gpu) const {
    static constexpr Gpu kNothing{};
    auto found = gpus_.find(gpu);
    if (found == gpus_.end()) found = gpus_.find(0);
    return found == gpus_.end() ? kNothing : found->second;
  }

  ScratchMap<std::uint32_t, Gpu> gpus_;
};

/// The GPU whose segments an allocation names. Before WDDM 2.0 the member is
/// MaximumRenamingListLength, and without virtual addresses a driver may have left it that.
[[nodiscard]] inline std::uint32_t gpu_of(const ev::AllocationCreated& created,
                                          const Platform& platform) {
  return platform.wddm2() && platform.has_virtual_addresses() ? created.renaming : 0;
}

}  // namespace wddm::seg
