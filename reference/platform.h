// One record of what the driver under test says it is: WDDM version, caps, segments, limits.
//
// Filled from a trace (the answers of QueryAdapterInfo as the host saw them) and validated once;
// rules decide with it whether they apply.
#pragma once

#include <cstdint>
#include <vector>

namespace wddm {

class Trace;

/// `DXGK_VIDSCHCAPS` bits.
struct SchedulingCaps {
  std::uint32_t value = 0;
  [[nodiscard]] bool multi_engine_aware() const { return value & 1; }
  [[nodiscard]] bool preemption_aware() const { return value & 4; }
  [[nodiscard]] bool no_dma_patching() const { return value & 8; }
  [[nodiscard]] bool cancel_command_aware() const { return value & 16; }
};

/// `DXGK_SEGMENTFLAGS` bits.
struct SegmentFlags {
  std::uint32_t value = 0;
  [[nodiscard]] bool aperture() const { return value & 1; }
  [[nodiscard]] bool agp() const { return value & 2; }
  [[nodiscard]] bool cpu_visible() const { return value & 4; }
  [[nodiscard]] bool use_banking() const { return value & 8; }
  [[nodiscard]] bool cache_coherent() const { return value & 16; }
  [[nodiscard]] bool pitch_alignment() const { return value & 32; }
};

struct PlatformSegment {
  std::uint64_t base = 0;
  std::uint64_t size = 0;
  std::uint64_t commit_limit = 0;
  SegmentFlags flags;
};

struct Platform {
  bool started = false;                 ///< bring-up got as far as running
  bool has_caps = false;                ///< DRIVERCAPS was answered
  bool has_device = false;              ///< a device plug-in is present
  bool has_device_log = false;          ///< ... and it offers log()
  bool has_scramble = false;            ///< ... and it offers scramble()
  bool has_client = false;              ///< a client plug-in is present
  bool has_decoder = false;             ///< ... and it offers decode()
  bool patch_list_model = false;        ///< some context has no NoPatchingRequired and can render
  bool virtual_addressing = false;      ///< contexts use GPU virtual addresses
  bool compute_only = false;            ///< DXGK_DRIVERCAPS::MiscCaps.ComputeOnly
  std::uint32_t interface_version = 0;  ///< DRIVER_INITIALIZATION_DATA::Version
  std::uint32_t wddm_version = 0;       ///< DXGK_DRIVERCAPS::WDDMVersion, as 1200 = 1.2
  std::uint32_t slots = 0;              ///< MaxAllocationListSlotId
  std::uint32_t nodes = 0;
  SchedulingCaps scheduling;
  std::vector<PlatformSegment> segments;  ///< index = SegmentId - 1

  [[nodiscard]] bool wddm2() const { return wddm_version >= 2000; }
};

/// What the trace says of the platform. Values out of range are clamped, never trusted.
[[nodiscard]] Platform platform_of(const Trace& trace);

}  // namespace wddm
