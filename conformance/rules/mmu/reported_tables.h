// What the driver said of its page tables at the first time of asking.
#pragma once

#include <algorithm>
#include <array>
#include <cstdint>

#include "conformance/rules/rule.h"

namespace wddm::mmu {

inline constexpr std::uint32_t kMostLevels = 6;

[[nodiscard]] inline bool answered(std::uint32_t status) {
  return (status & 0x80000000u) == 0;
}

/// How many GPUs of a link have been asked.
[[nodiscard]] inline std::uint32_t gpus_asked(const Trace& trace) {
  constexpr std::uint32_t kMost = 64;
  std::uint32_t highest = 0;
  for (const std::uint32_t index : trace.of<ev::GpuMmuReported>()) {
    highest = std::max(highest, trace.at<ev::GpuMmuReported>(index).physical_adapter);
  }
  return std::min(highest, kMost - 1) + 1;
}

/// Another GPU of a link than the first says that it has no MMU of its own: it describes nothing,
/// whatever it answers.
[[nodiscard]] inline bool says_it_has_none(const Trace& trace, std::uint32_t gpu) {
  constexpr std::uint32_t kGpuMmuSupported = 1u << 1;  // of DXGK_PHYSICALADAPTERFLAGS
  if (gpu == 0) return false;
  for (const std::uint32_t index : trace.of<ev::PhysicalAdapterReported>()) {
    const auto said = trace.at<ev::PhysicalAdapterReported>(index);
    if (said.physical_adapter != gpu || !answered(said.status)) continue;
    if ((said.flags & kGpuMmuSupported) == 0) return true;
  }
  return false;
}

class ReportedTables {
 public:
  explicit ReportedTables(const Trace& trace, std::uint32_t gpu = 0) : gpu_(gpu) {
    for (const std::uint32_t index : trace.of<ev::GpuMmuReported>()) {
      const auto said = trace.at<ev::GpuMmuReported>(index);
      if (caps_ != kNone || said.physical_adapter != gpu || !answered(said.status)) continue;
      caps_ = index;
      said_ = said;
    }
    for (const std::uint32_t index : trace.of<ev::PageTableLevelReported>()) {
      const auto said = trace.at<ev::PageTableLevelReported>(index);
      if (said.level >= kMostLevels || said.physical_adapter != gpu || !answered(said.status))
        continue;
      Level& level = levels_[said.level];
      if (level.event == kNone) level = {index, said};
    }
  }

  struct Level {
    std::uint32_t event = kNone;
    ev::PageTableLevelReported said{};
  };
  /// Of which GPU of the link.
  [[nodiscard]] std::uint32_t gpu() const { return gpu_; }
  /// Event of the capabilities; kNone: they were never answered.
  [[nodiscard]] std::uint32_t event() const { return caps_; }
  [[nodiscard]] const ev::GpuMmuReported& caps() const { return said_; }
  /// Null if it was not answered, or is none of the driver's.
  [[nodiscard]] const Level* level(std::uint32_t level) const {
    if (level >= kMostLevels || level >= said_.levels || levels_[level].event == kNone)
      return nullptr;
    return &levels_[level];
  }
  /// Bytes of address space that an entry of a table covers; `large`: of a leaf of 64 KB pages. 0:
  /// more than there are.
  [[nodiscard]] std::uint64_t entry_bytes(std::uint32_t of_level, bool large) const {
    if (of_level == 0) return large ? 65536 : 4096;
    std::uint32_t bits = 12;
    for (std::uint32_t below = 0; below < of_level && below < kMostLevels; ++below) {
      bits += levels_[below].said.index_bits;
    }
    return bits < 64 ? std::uint64_t{1} << bits : 0;
  }
  /// All levels were answered, and their number is a possible one.
  [[nodiscard]] bool complete() const {
    if (caps_ == kNone || said_.levels < 2 || said_.levels > kMostLevels) return false;
    for (std::uint32_t i = 0; i < said_.levels; ++i) {
      if (level(i) == nullptr) return false;
    }
    return true;
  }

 private:
  std::uint32_t gpu_;
  std::uint32_t caps_ = kNone;
  ev::GpuMmuReported said_{};
  std::array<Level, kMostLevels> levels_{};
};

/// A segment of the first GPU that is no aperture.
[[nodiscard]] inline bool is_memory_segment(std::uint32_t segment, const Platform& platform) {
  return segment != 0 && segment <= platform.segments.size() &&
         !platform.segments[segment - 1].flags.aperture();
}

}  // namespace wddm::mmu
