// MCDM-007: what a reported capability needs is supplied.

#include "conformance/rules/mcdm/caps_with_entries.h"
#include "conformance/rules/mcdm/compute_only.h"
#include "conformance/rules/mcdm/power_component.h"

namespace wddm::mcdm_007 {
namespace {

using entries::Entry;

constexpr Entry kGpuVirtual[] = {WDDM_TABLE_ENTRY(CreateProcess), WDDM_TABLE_ENTRY(DestroyProcess),
                                 WDDM_TABLE_ENTRY(SubmitCommandVirtual)};
constexpr Entry kPageTables[] = {WDDM_TABLE_ENTRY(GetRootPageTableSize),
                                 WDDM_TABLE_ENTRY(SetRootPageTable)};
constexpr Entry kPhysical[] = {WDDM_TABLE_ENTRY(Patch), WDDM_TABLE_ENTRY(Render),
                               WDDM_TABLE_ENTRY(SubmitCommand)};
constexpr Entry kHostAperture[] = {WDDM_TABLE_ENTRY(MapCpuHostAperture),
                                   WDDM_TABLE_ENTRY(UnmapCpuHostAperture)};
constexpr Entry kIsolation[] = {WDDM_TABLE_ENTRY(BeginExclusiveAccess),
                                WDDM_TABLE_ENTRY(EndExclusiveAccess)};
constexpr Entry kSurprise[] = {WDDM_TABLE_ENTRY(NotifySurpriseRemoval)};
constexpr Entry kCancel[] = {WDDM_TABLE_ENTRY(CancelCommand)};
constexpr Entry kPower[] = {WDDM_TABLE_ENTRY(PowerRuntimeControlRequest)};
constexpr Entry kFStates[] = {WDDM_TABLE_ENTRY(SetPowerComponentFState)};
constexpr Entry kHardwareScheduling[] = {
    WDDM_TABLE_ENTRY(CreateHwContext),        WDDM_TABLE_ENTRY(CreateHwQueue),
    WDDM_TABLE_ENTRY(DestroyHwContext),       WDDM_TABLE_ENTRY(DestroyHwQueue),
    WDDM_TABLE_ENTRY(ResetHwEngine),          WDDM_TABLE_ENTRY(ResumeContext),
    WDDM_TABLE_ENTRY(ResumeHwEngine),         WDDM_TABLE_ENTRY(SetContextSchedulingProperties),
    WDDM_TABLE_ENTRY(SetSchedulingLogBuffer), WDDM_TABLE_ENTRY(SetupPriorityBands),
    WDDM_TABLE_ENTRY(SignalMonitoredFence),   WDDM_TABLE_ENTRY(SubmitCommandToHwQueue),
    WDDM_TABLE_ENTRY(SuspendContext),         WDDM_TABLE_ENTRY(SwitchToHwContextList),
    WDDM_TABLE_ENTRY(UpdateHwContextState)};

// DXGK_SEGMENTFLAGS, DXGK_NODEMETADATA_FLAGS.
constexpr std::uint32_t kSupportsCpuHostAperture = 1u << 13, kContextScheduling = 1u << 0;

class Needs {
 public:
  Needs(const entries::Filled& filled, std::string& missing) : filled_(filled), missing_(missing) {}

  template <std::size_t kCount>
  void when(bool condition, const Entry (&needed)[kCount]) {
    if (!condition) return;
    for (const Entry& entry : needed) {
      if (!filled_.has(entry)) entries::append(missing_, entry);
    }
  }

 private:
  const entries::Filled& filled_;
  std::string& missing_;
};

bool schedules_by_hardware(const Trace& trace) {
  for (const std::uint32_t index : trace.of<ev::NodeAnswered>()) {
    const auto node = trace.at<ev::NodeAnswered>(index);
    const bool counts = node.ordinal < node.nodes && NT_SUCCESS(static_cast<NTSTATUS>(node.status));
    if (counts && (node.flags & kContextScheduling) != 0) return true;
  }
  return false;
}

// Whether some power component has another F-state than F0.
bool has_f_states(const Trace& trace) {
  for (const std::uint32_t index : trace.of<ev::PowerComponentAnswered>()) {
    const auto component = power_component_in(trace, index);
    if (component && component->StateCount > 1) return true;
  }
  return false;
}

// What of others is the matter of LIFE-011, MMU-011, CAPS-005 and MCDM-041.
void of_compute_only(const Trace& trace, const Platform& platform, const DXGK_DRIVERCAPS& caps,
                     Needs& needs) {
  const bool virtual_addresses = caps.MemoryManagementCaps.VirtualAddressingSupported;
  bool host_aperture = false;
  for (const PlatformSegment& segment : platform.segments) {
    host_aperture |= (segment.flags.value & kSupportsCpuHostAperture) != 0;
  }
  const bool io_mmu_alone = caps.MemoryManagementCaps.IoMmuSupported != 0 &&
                            caps.MemoryManagementCaps.GpuMmuSupported == 0;
  needs.when(virtual_addresses, kGpuVirtual);
  needs.when(virtual_addresses && !io_mmu_alone, kPageTables);
  needs.when(!virtual_addresses, kPhysical);
  needs.when(host_aperture, kHostAperture);
  needs.when(caps.MemoryManagementCaps.IoMmuSecureModeSupported, kIsolation);
  needs.when(caps.SchedulingCaps.CancelCommandAware, kCancel);
  needs.when(schedules_by_hardware(trace), kHardwareScheduling);
}

void check(const Trace& trace, const Platform& platform, Judgement& judgement) {
  const auto judge = [&](std::uint32_t index, const DXGK_DRIVERCAPS& caps,
                         std::uint32_t filled_at) {
    judgement.reached(index);
    std::string missing;
    const entries::Filled filled(trace, filled_at);
    Needs needs(filled, missing);
    needs.when(caps.SupportSurpriseRemoval || caps.SupportSurpriseRemovalInHibernation, kSurprise);
    needs.when(caps.SupportRuntimePowerManagement, kPower);
    needs.when(caps.SupportRuntimePowerManagement && has_f_states(trace), kFStates);
    if (platform.compute_only) of_compute_only(trace, platform, caps, needs);
    if (missing.empty()) return;
    judgement.fail(index, "the entry points of every capability that is reported",
                   "NULL: " + missing, {filled_at});
  };
  compute::for_each_caps_with_entries(trace, judge);
}

NotApplicable reporting(const Platform& platform) {
  if (const NotApplicable reason = needs_caps(platform)) return reason;
  const bool claims =
      platform.runtime_power || platform.removable || platform.removable_in_hibernation;
  if (platform.compute_only || claims) return nullptr;
  return "not a device that only computes, and neither power management at run time nor surprise "
         "removal";
}

void alter(DXGK_DRIVERCAPS& caps) {
  caps.SupportSurpriseRemoval = TRUE;
}

const Rule kRule{
    .id = "MCDM-007",
    .title = "Entry points that a reported capability needs are supplied",
    .rule =
        "Surprise removal and runtime power management have their functions, of which "
        "SetPowerComponentFState only where a power component has F-states beside F0. Of a device "
        "that only computes: with virtual addresses the functions of processes and "
        "SubmitCommandVirtual, and of roots unless there is an IOMMU alone, without them Render, "
        "Patch and SubmitCommand; for a CPU host "
        "aperture, IOMMU isolation, CancelCommandAware and hardware scheduling those of each.",
    .sources =
        "mcdm-implementation-guidelines.md # CPU host aperture support .. Cancel support\n"
        "mcdm-implementation-guidelines.md # Hardware scheduling support\n"
        "ns-d3dkmddi-_dxgk_drivercaps.md # SupportRuntimePowerManagement, "
        "SupportSurpriseRemovalInHibernation\n"
        "ns-d3dkmdt-_dxgk_nodemetadata_flags.md # ContextSchedulingSupported",
    .note =
        "Functions without their capability are no violation. The page of the capabilities wants "
        "SetPowerComponentFState in any case; the guidelines are newer and of this class. "
        "PresentToHwQueue and "
        "PowerRuntimeSetDeviceHandle, which lists have and other pages do not, are left out.",
    .applies = reporting,
    .check = check,
    .played_in = compute::kPlayedIn,
    .scenario = R"(
about: capabilities, segments and nodes
ops:
- requery
)",
    .control = R"(
about: the adapter starts
ops:
- start
)",
    .fault = {.about = "SupportSurpriseRemoval, and NotifySurpriseRemoval is NULL",
              .interposer = answers::alters_caps<alter>}};

WDDM_RULE(kRule);

}  // namespace
}  // namespace wddm::mcdm_007
