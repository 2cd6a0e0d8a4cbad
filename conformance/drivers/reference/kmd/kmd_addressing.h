// How commands name memory: by addresses that Patch fills in, or by GPU virtual addresses; and
// whether they belong to contexts, or to devices.
//
// One image knows all of them. Which one it offers is settled in DriverEntry, by the registry value
// "Addressing" of the service key, since the table of DDIs depends on it, and so are its version, by
// "MapAperture2" and "KernelModeTesting", what displays need, by "ComputeOnly", and whose page tables
// there are, by "IoMmu"; everything else asks here.
#pragma once

#include "kmd_driver.h"

namespace reference_kmd {

enum class Addressing : ULONG {
  PatchLists = 0,   // WDDM 1.3
  GpuVirtual = 1,   // WDDM 2.6, 3.0 or 3.2, GpuMmu model
  PatchLists2 = 2,  // patch lists in WDDM 2.0
  Contextless = 3,  // patch lists in WDDM 1.3, of devices that have no contexts
};

/// A GPU reaches the memory of one other.
constexpr ULONG kMostLinked = 2;

/// Called by DriverEntry before it fills the table.
void choose_addressing(PUNICODE_STRING service_key);
/// GPUs of the link that every GPU is one of; 1: there are no links. From the registry value
/// "LinkedAdapters".
ULONG gpus_of_link();
/// With GPU virtual addresses: the aperture is mapped by MapApertureSegment2, so that the driver is
/// one of WDDM 3.0.
bool maps_by_address_lists();
/// With GPU virtual addresses: every node takes test commands that the driver builds, so that it is
/// one of WDDM 3.2. From the registry value "KernelModeTesting".
bool tests_in_kernel_mode();
/// From WDDM 2.0 on: there is nothing to draw with, so that what belongs to displays is
/// neither offered nor claimed. From the registry value "ComputeOnly".
bool computes_only();
/// Of a device that only computes: SupportRuntimePowerManagement, SupportSurpriseRemoval,
/// IoMmuSecureModeSupported. From the registry values "PowerComponents", "SurpriseRemoval" and
/// "SecureMode".
bool manages_power();
bool can_be_pulled_out();
bool can_be_isolated();
/// With GPU virtual addresses: the IOMMU translates all of them, and there are no page tables of the
/// driver's. From the registry value "IoMmu", if that is 2.
bool io_mmu_alone();
/// The one in force.
Addressing addressing();
/// MultiEngineAware. Else a device is what its work belongs to, and all of it runs on node 0.
inline bool has_contexts() {
  return addressing() != Addressing::Contextless;
}
/// Structures have the members of WDDM 2.0.
inline bool is_wddm_2() {
  return has_contexts() && addressing() != Addressing::PatchLists;
}
inline bool uses_gpu_virtual_addresses() {
  return addressing() == Addressing::GpuVirtual;
}

}  // namespace reference_kmd
