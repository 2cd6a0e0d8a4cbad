// One record of what the driver under test says it is: WDDM version, caps, segments, limits.
//
// Filled from a trace (the answers of QueryAdapterInfo as the host saw them) and validated once;
// rules decide with it whether they apply.
#pragma once

#include <bitset>
#include <cstdint>
#include <vector>

#include "reference/trace/ddi.h"

namespace wddm {

class Trace;

/// `DXGK_VIDSCHCAPS` bits.
struct SchedulingCaps {
  std::uint32_t value = 0;
  [[nodiscard]] bool multi_engine_aware() const { return value & 1; }
  [[nodiscard]] bool preemption_aware() const { return value & 4; }
  [[nodiscard]] bool no_dma_patching() const { return value & 8; }
  [[nodiscard]] bool cancel_command_aware() const { return value & 16; }
  /// HwQueuePacketCap, of WDDM 2.0; 0: no limit.
  [[nodiscard]] std::uint32_t hardware_queue_cap() const { return value >> 7 & 15; }
  friend bool operator==(const SchedulingCaps&, const SchedulingCaps&) = default;
};

/// Bits of `DXGK_GPUMMUCAPS`.
struct GpuMmuCaps {
  std::uint32_t value = 0;
  [[nodiscard]] bool read_only() const { return value & 1; }
  [[nodiscard]] bool no_execute() const { return value & 2; }
  [[nodiscard]] bool zero_in_pte() const { return value & 4; }
  [[nodiscard]] bool explicit_invalidation() const { return value & 8; }
  [[nodiscard]] bool cache_coherent() const { return value & 16; }
  [[nodiscard]] bool updates_need_idle() const { return value & 32; }
  [[nodiscard]] bool large_pages() const { return value & 64; }
  [[nodiscard]] bool dual_pte() const { return value & 128; }
  [[nodiscard]] bool system_pages_64kb() const { return value & 512; }
  [[nodiscard]] bool invalid_not_cached() const { return value & 1024; }
  friend bool operator==(const GpuMmuCaps&, const GpuMmuCaps&) = default;
};

/// DXGK_PAGETABLEUPDATEMODE.
namespace update_mode {
inline constexpr std::uint32_t kCpuVirtual = 0, kGpuVirtual = 1, kGpuPhysical = 2;
}

/// `DXGK_SEGMENTFLAGS` bits.
struct SegmentFlags {
  std::uint32_t value = 0;
  [[nodiscard]] bool aperture() const { return value & 1; }
  [[nodiscard]] bool agp() const { return value & 2; }
  [[nodiscard]] bool cpu_visible() const { return value & 4; }
  [[nodiscard]] bool use_banking() const { return value & 8; }
  [[nodiscard]] bool cache_coherent() const { return value & 16; }
  [[nodiscard]] bool pitch_alignment() const { return value & 32; }
  [[nodiscard]] bool use_64kb_pages() const { return value & 2048; }
  friend bool operator==(const SegmentFlags&, const SegmentFlags&) = default;
};

/// Entry points that the driver leaves null, by DdiId.
struct AbsentDdis {
  std::bitset<kDdis> value;
  friend bool operator==(const AbsentDdis&, const AbsentDdis&) = default;
};

// The members stand in platform.def.
struct PlatformSegment {
#define WDDM_SEGMENT_FIELDS
#define FIELD(type, name, about) type name{};
#include "reference/platform.def"
#undef FIELD
#undef WDDM_SEGMENT_FIELDS
  friend bool operator==(const PlatformSegment&, const PlatformSegment&) = default;
};

struct Platform {
#define WDDM_PLATFORM_FIELDS
#define FIELD(type, name, about) type name{};
#include "reference/platform.def"
#undef FIELD
#undef WDDM_PLATFORM_FIELDS
  friend bool operator==(const Platform&, const Platform&) = default;

  [[nodiscard]] bool has(DdiId ddi) const {
    return !absent_ddis.value[static_cast<std::size_t>(ddi)];
  }
  /// Contexts have virtual addresses, whichever MMU translates them.
  [[nodiscard]] bool has_virtual_addresses() const {
    return gpu_mmu || io_mmu;
  }
  /// By the interface that the driver was built for. DXGK_DRIVERCAPS::WDDMVersion is reserved from
  /// the one of Windows 7 on, and a driver may leave anything in it.
  [[nodiscard]] bool wddm1_2() const {
    return interface_version >= static_cast<std::uint32_t>(InterfaceVersion::Win8);
  }
  [[nodiscard]] bool wddm2() const {
    return interface_version >= static_cast<std::uint32_t>(InterfaceVersion::Wddm2_0);
  }
};

/// What the trace says of the platform. Values out of range are clamped, never trusted.
[[nodiscard]] Platform platform_of(const Trace& trace);

}  // namespace wddm
