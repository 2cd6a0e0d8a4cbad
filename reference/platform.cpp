// Reads from a trace what the driver said of itself at its first bring-up.
//
// Source: DXGK_DRIVERCAPS, DXGK_VIDSCHCAPS, DXGK_VIDMMCAPS, DXGK_CONTEXTINFO and the segment
// descriptors of d3dkmddi.h. The first answer counts: a driver that answers differently later is
// judged by rules, not believed. Left out: per-node metadata and linked adapters.
#include "reference/platform.h"

#include <algorithm>

#include "reference/trace/trace.h"

namespace wddm {
namespace {

// Limits of the model; what a driver claims beyond them is cut.
constexpr std::uint32_t kMostSegments = 32;
constexpr std::uint32_t kMostNodes = 64;
constexpr std::uint32_t kMostLevels = 6;            // DXGK_MAX_PAGE_TABLE_LEVEL_COUNT
constexpr std::uint32_t kMostLinked = 64;           // that DXGK_PTE::PhysicalAdapterIndex can name
constexpr std::uint32_t kHighestSlotId = 0xffffff;  // SlotId has 24 bits

// DXGK_VIDMMCAPS::VirtualAddressingSupported and DXGK_CONTEXTINFO_CAPS::NoPatchingRequired.
constexpr std::uint32_t kVirtualAddressingSupported = 1u << 5;
constexpr std::uint32_t kIoMmuSupported = 1u << 0;  // of DXGK_PHYSICALADAPTERFLAGS
constexpr std::uint32_t kGpuMmuAlone = 1u << 6, kIoMmuAlone = 1u << 7;  // of DXGK_VIDMMCAPS
constexpr std::uint32_t kWddm2_0 = static_cast<std::uint32_t>(InterfaceVersion::Wddm2_0);
constexpr std::uint32_t kWddm2_9 = 0xE003;  // DXGKDDI_INTERFACE_VERSION_WDDM2_9
constexpr std::uint32_t kIoMmuSecureModeSupported = 1u << 11;
constexpr std::uint32_t kMapAperture2Supported = 1u << 14;
constexpr std::uint32_t kNoPatchingRequired = 1u << 0;
constexpr std::uint32_t kComputeOnly = 1u << 3;  // of MiscCaps
// Of ev::CapsReported::more.
constexpr std::uint32_t kRuntimePower = 1, kRemovableInHibernation = 2, kRemovable = 4;

// NT_SUCCESS: the sign bit is clear.
bool succeeded(std::uint32_t status) {
  return (status & 0x80000000u) == 0;
}

// DXGK_WDDMVERSION spells the version in hex digits: 0x1200 is 1.2, 0x2105 is 2.1.5. The digits are
// kept as a decimal number. Values below 0x1000 are no DXGK_WDDMVERSION and stay as they are (0 is
// what drivers older than the member leave); a version with other digits is unknown, 0.
std::uint32_t decimal_version(std::uint32_t version) {
  if (version < 0x1000) return version;
  if (version > 0x9999) return 0;
  std::uint32_t result = 0;
  for (int shift = 12; shift >= 0; shift -= 4) {
    const std::uint32_t digit = version >> shift & 15;
    if (digit > 9) return 0;
    result = result * 10 + digit;
  }
  return result;
}

void read_plug_ins(const Trace& trace, Platform& platform) {
  const auto lacks = trace.of<ev::DeviceLacks>();
  if (!lacks.empty()) {
    platform.device_lacks = trace.at<ev::DeviceLacks>(lacks.front()).missing;
  }
  const auto loaded = trace.of<ev::PlugInsLoaded>();
  if (loaded.empty()) return;
  const auto plug_ins = trace.at<ev::PlugInsLoaded>(loaded.front());
  platform.has_device = plug_ins.device != 0;
  platform.has_device_log = platform.has_device && plug_ins.device_log != 0;
  platform.has_scramble = platform.has_device && plug_ins.scramble != 0;
  platform.has_client = plug_ins.client != 0;
  platform.has_decoder = platform.has_client && plug_ins.decoder != 0;
  platform.has_entry_decoder = platform.has_client && plug_ins.entry_decoder != 0;
  platform.has_escapes = platform.has_client && plug_ins.escapes != 0;
  platform.has_package = !trace.of<ev::PackageRead>().empty();
}

void read_caps(const Trace& trace, Platform& platform) {
  for (const std::uint32_t index : trace.of<ev::CapsReported>()) {
    const auto caps = trace.at<ev::CapsReported>(index);
    if (!succeeded(caps.status)) continue;
    platform.has_caps = true;
    platform.interface_version = caps.interface_version;
    platform.wddm_version = decimal_version(caps.wddm_version);
    platform.slots = std::min(caps.slots, kHighestSlotId);
    platform.nodes = std::min(caps.nodes, kMostNodes);
    platform.graphics_preemption = caps.graphics_preemption;
    platform.compute_preemption = caps.compute_preemption;
    platform.scheduling.value = caps.scheduling;
    platform.map_aperture2 =
        caps.interface_version >= kWddm2_9 && (caps.memory & kMapAperture2Supported) != 0;
    platform.io_mmu = caps.interface_version >= kWddm2_0 &&
                      (caps.memory & (kGpuMmuAlone | kIoMmuAlone)) == kIoMmuAlone;
    platform.virtual_addressing = (caps.memory & kVirtualAddressingSupported) != 0;
    platform.compute_only = (caps.misc & kComputeOnly) != 0;
    platform.runtime_power = (caps.more & kRuntimePower) != 0;
    platform.removable = (caps.more & kRemovable) != 0;
    platform.removable_in_hibernation = (caps.more & kRemovableInHibernation) != 0;
    platform.secure_mode = (caps.memory & kIoMmuSecureModeSupported) != 0;
    return;
  }
}

void read_gpu_mmu(const Trace& trace, Platform& platform) {
  for (const std::uint32_t index : trace.of<ev::GpuMmuReported>()) {
    const auto caps = trace.at<ev::GpuMmuReported>(index);
    if (!succeeded(caps.status) || caps.physical_adapter != 0) continue;
    platform.gpu_mmu = true;
    platform.gpu_mmu_caps.value = caps.caps;
    platform.page_table_levels = std::min(caps.levels, kMostLevels);
    platform.update_mode = caps.update_mode;
    platform.leaf_64kb_bytes = caps.leaf_64kb_bytes;
    return;
  }
}

// Beside a GPU MMU, of any GPU of a link; that there is one alone is one of the caps.
void read_io_mmu(const Trace& trace, Platform& platform) {
  if (!platform.gpu_mmu) return;
  for (const std::uint32_t index : trace.of<ev::PhysicalAdapterReported>()) {
    const auto said = trace.at<ev::PhysicalAdapterReported>(index);
    if (!succeeded(said.status) || said.round != 0) continue;
    platform.io_mmu |= (said.flags & kIoMmuSupported) != 0;
  }
}

// Those that the host has enumerated.
void read_link(const Trace& trace, Platform& platform) {
  std::uint32_t adapters = 0;
  for (const std::uint32_t index : trace.of<ev::DeviceLinked>()) {
    const auto linked = trace.at<ev::DeviceLinked>(index);
    if (succeeded(linked.status) && linked.physical_adapter < kMostLinked) {
      adapters = std::max(adapters, linked.physical_adapter + 1);
    }
  }
  if (adapters > 1) platform.linked_adapters = adapters;
}

// Displays belong to the adapter that all others of a link follow.
void read_sources(const Trace& trace, Platform& platform) {
  for (const std::uint32_t index : trace.of<ev::DeviceStarted>()) {
    const auto started = trace.at<ev::DeviceStarted>(index);
    if (!succeeded(started.status) || started.physical_adapter != 0) continue;
    // kNone: it did not say, and nobody makes anything of sources then.
    platform.sources = started.sources == kNone ? 0 : started.sources;
    return;
  }
}

// What DxgkInitialize was handed decides; the caps only repeat it.
void read_interface_version(const Trace& trace, Platform& platform) {
  for (const std::uint32_t index : trace.of<ev::EntryReturned>()) {
    const auto entry = trace.at<ev::EntryReturned>(index);
    if (entry.initialize_calls == 0 || entry.version == 0) continue;
    platform.interface_version = entry.version;
    return;
  }
}

void read_ddis(const Trace& trace, Platform& platform) {
  const auto filled = trace.of<ev::DdisFilled>();
  if (filled.empty()) return;
  platform.absent_ddis.value.set();
  for (const std::uint32_t ddi : trace.blob<std::uint32_t>(trace.events()[filled.front()])) {
    if (ddi < kDdis) platform.absent_ddis.value.reset(ddi);
  }
}

void read_segments(const Trace& trace, Platform& platform) {
  std::uint64_t seen = 0;
  for (const std::uint32_t index : trace.of<ev::SegmentReported>()) {
    const auto reported = trace.at<ev::SegmentReported>(index);
    if (reported.physical_adapter != 0) continue;  // of another GPU of a link
    if (reported.round != 0 || reported.segment == 0 || reported.segment > kMostSegments) continue;
    const std::uint64_t bit = std::uint64_t{1} << reported.segment;
    if ((seen & bit) != 0) continue;
    seen |= bit;
    if (platform.segments.size() < reported.segment) platform.segments.resize(reported.segment);
    PlatformSegment& segment = platform.segments[reported.segment - 1];
    segment.base = reported.base;
    // A segment never reaches around the end of the address space.
    segment.size = std::min(reported.size, ~reported.base);
    segment.commit_limit = reported.commit_limit;
    segment.flags.value = reported.flags;
  }
}

void read_contexts(const Trace& trace, Platform& platform) {
  for (const std::uint32_t index : trace.of<ev::ContextCreated>()) {
    const auto context = trace.at<ev::ContextCreated>(index);
    const bool can_render =
        succeeded(context.status) && context.dma_bytes != 0 && context.patches != 0;
    if (can_render && (context.caps & kNoPatchingRequired) == 0) platform.patch_list_model = true;
  }
}

}  // namespace

Platform platform_of(const Trace& trace) {
  Platform platform;
  platform.started = !trace.of<ev::Running>().empty();
  read_plug_ins(trace, platform);
  read_caps(trace, platform);
  read_interface_version(trace, platform);
  read_ddis(trace, platform);
  read_segments(trace, platform);
  read_gpu_mmu(trace, platform);
  read_io_mmu(trace, platform);
  read_link(trace, platform);
  read_sources(trace, platform);
  read_contexts(trace, platform);
  return platform;
}

}  // namespace wddm
