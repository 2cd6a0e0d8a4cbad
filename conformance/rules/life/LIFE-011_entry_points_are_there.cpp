// LIFE-011: the entry points that every driver needs are there.

#include "conformance/rules/caps/answered_caps.h"
#include "conformance/rules/life/filled_entries.h"

namespace wddm::life_011 {
namespace {

enum class When : std::uint8_t {
  Always,
  MultiEngineAware,
  NoGpuMmu,
  CpuHostAperture,
  SwizzlingRanges,
  NonVga,
};

struct Needed {
  entries::Entry entry;
  InterfaceVersion since;
  When when;
};
constexpr Needed kNeeded[] = {
#define NEEDED(name, since, when) {WDDM_TABLE_ENTRY(name), InterfaceVersion::since, When::when},
#include "conformance/rules/life/entry_points.def"
#undef NEEDED
};

// DXGK_SEGMENTFLAGS.
constexpr std::uint32_t kSupportsCpuHostAperture = 1u << 13;

// With IoMmu alone packets bear virtual addresses too.
bool has_virtual_addresses(const Trace& trace) {
  constexpr std::uint32_t kVirtualAddressing = 1u << 5, kGpuMmu = 1u << 6, kIoMmu = 1u << 7;
  for (const std::uint32_t index : trace.of<ev::CapsReported>()) {
    const auto caps = trace.at<ev::CapsReported>(index);
    if ((caps.memory & (kVirtualAddressing | kGpuMmu | kIoMmu)) != 0) return true;
  }
  return false;
}

bool has_host_aperture(const Platform& platform) {
  for (const PlatformSegment& segment : platform.segments) {
    if ((segment.flags.value & kSupportsCpuHostAperture) != 0) return true;
  }
  return false;
}

// What is said over zeros, once at least.
bool any_caps(const Trace& trace, bool (*say)(const DXGK_DRIVERCAPS&)) {
  for (const std::uint32_t index : trace.of<ev::CapsAnswered>()) {
    DXGK_DRIVERCAPS caps;
    if (!answers::over_zeros(trace, index) || !answers::caps_of(trace, index, caps)) continue;
    if (say(caps)) return true;
  }
  return false;
}

// VidMm hands out what NumberOfSwizzlingRanges announces by the functions that take and give it.
bool has_swizzling_ranges(const DXGK_DRIVERCAPS& caps) {
  return caps.NumberOfSwizzlingRanges != 0;
}

// Another driver is given the display by the function that SupportNonVGA announces.
bool gives_display_up(const DXGK_DRIVERCAPS& caps) {
  return caps.SupportNonVGA != FALSE;
}

bool holds(When when, const Trace& trace, const Platform& platform) {
  switch (when) {
    case When::Always:
      return true;
    case When::MultiEngineAware:
      return platform.has_caps && platform.scheduling.multi_engine_aware();
    case When::NoGpuMmu:
      return platform.has_caps && !has_virtual_addresses(trace);
    case When::CpuHostAperture:
      return has_host_aperture(platform);
    case When::SwizzlingRanges:
      return any_caps(trace, has_swizzling_ranges);
    case When::NonVga:
      return platform.sources != 0 && any_caps(trace, gives_display_up);  // else: MCDM-044
  }
  return false;
}

void check(const Trace& trace, const Platform& platform, Judgement& judgement) {
  for (const std::uint32_t index : trace.of<ev::EntriesFilled>()) {
    const entries::Filled filled(trace, index);
    judgement.reached(index);
    std::string missing;
    for (const Needed& needed : kNeeded) {
      if (filled.version() < static_cast<std::uint32_t>(needed.since)) continue;
      if (filled.has(needed.entry) || !holds(needed.when, trace, platform)) continue;
      entries::append(missing, needed.entry);
    }
    if (missing.empty()) continue;
    judgement.fail(index, "every entry point that a driver of this kind needs",
                   "NULL in DRIVER_INITIALIZATION_DATA: " + missing);
  }
}

void forget(DRIVER_INITIALIZATION_DATA& table) {
  table.DxgkDdiCollectDbgInfo = nullptr;
}

const Rule kRule{
    .id = "LIFE-011",
    .title = "Entry points that every driver needs are there",
    .level = Level::Should,
    .rule =
        "DRIVER_INITIALIZATION_DATA has the functions of the adapter's life, of interrupts, "
        "objects, "
        "allocations, paging, preemption and resets; with MultiEngineAware those of contexts; "
        "without virtual addresses Render, Patch and SubmitCommand; for a segment with a CPU host "
        "aperture those that map it; for swizzling ranges those that acquire and release them; "
        "for displays with SupportNonVGA StopDeviceAndReleasePostDisplayOwnership; "
        "from WDDM 1.3 on GetNodeMetadata.",
    .sources =
        "ns-dispmprt-_driver_initialization_data.md\n"
        "mcdm-implementation-guidelines.md # Minimum required support\n"
        "nc-d3dkmddi-dxgkddi_getnodemetadata.md # Remarks\n"
        "ns-d3dkmddi-_dxgk_vidschcaps.md # MultiEngineAware\n"
        "nc-d3dkmddi-dxgkddi_acquireswizzlingrange.md # Remarks (NumberOfSwizzlingRanges)\n"
        "ns-d3dkmddi-_dxgk_drivercaps.md # SupportNonVGA",
    .note =
        "Which functions are mandatory a page says for drivers that only compute. Others do at "
        "least as much; asked of them is the part of that list that is as old as WDDM. What "
        "belongs "
        "to capabilities stands in CAPS-005, CAPS-010 and MMU-011, what drivers that only compute "
        "need besides in MCDM-003.",
    .applies = always,
    .check = check,
    .played_in = kBothAddressings,
    .scenario = R"(
about: the adapter starts
ops:
- start
)",
    .control = R"(
about: asked again
ops:
- requery
)",
    .fault = {.about = "CollectDbgInfo is NULL", .interposer = entries::alters_table<forget>}};

WDDM_RULE(kRule);

}  // namespace
}  // namespace wddm::life_011
