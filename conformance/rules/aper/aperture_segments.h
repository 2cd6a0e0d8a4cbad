// Which drivers the clauses of the CPU host aperture are about.
#pragma once

#include <algorithm>
#include <cstdint>

#include "conformance/rules/rule.h"

namespace wddm::aper {

inline constexpr std::uint32_t kUse64KbPages = 1u << 11, kSupportsCpuHostAperture = 1u << 13;

/// A segment has all of these flags, and can be mapped.
[[nodiscard]] inline NotApplicable segment_with(const Platform& platform, std::uint32_t flags,
                                                NotApplicable otherwise) {
  if (const NotApplicable reason = page_tables(platform)) return reason;
  if (const NotApplicable reason = needs(platform, DdiId::MapCpuHostAperture)) return reason;
  const bool has_one = std::any_of(
      platform.segments.begin(), platform.segments.end(),
      [&](const PlatformSegment& segment) { return (segment.flags.value & flags) == flags; });
  return has_one ? nullptr : otherwise;
}

[[nodiscard]] inline NotApplicable host_aperture(const Platform& platform) {
  return segment_with(platform, kSupportsCpuHostAperture,
                      "no CPU host aperture: no segment supports one");
}

/// ... and what is mapped can be given back.
[[nodiscard]] inline NotApplicable changing_host_aperture(const Platform& platform) {
  if (const NotApplicable reason = host_aperture(platform)) return reason;
  return needs(platform, DdiId::UnmapCpuHostAperture);
}

}  // namespace wddm::aper
