// MCDM-017: who says that his device can be given to virtual machines.

#include "conformance/rules/mcdm/caps_with_entries.h"
#include "conformance/rules/mcdm/compute_only.h"

namespace wddm::mcdm_017 {
namespace {

using entries::Entry;

constexpr Entry kQueryInterface = WDDM_TABLE_ENTRY(QueryInterface);
constexpr Entry kSetMachineData = WDDM_TABLE_ENTRY(SetVirtualMachineData);

// The interface of partitions is had by QueryInterface alone. Whether a driver that has the
// function hands it out nothing tells; without SetVirtualMachineData it is MCDM-003 that is not
// kept.
void check(const Trace& trace, const Platform&, Judgement& judgement) {
  const auto judge = [&](std::uint32_t index, const DXGK_DRIVERCAPS& caps, std::uint32_t filled) {
    const entries::Filled functions(trace, filled);
    if (!caps.MemoryManagementCaps.GpuMmuSupported) return;
    if (functions.has(kQueryInterface) || !functions.has(kSetMachineData)) return;
    judgement.reached(index);
    if (caps.MemoryManagementCaps.ParavirtualizationSupported) return;
    judgement.fail(index, "ParavirtualizationSupported, as the driver partitions nothing", "0",
                   {filled});
  };
  compute::for_each_caps_with_entries(trace, judge);
}

void alter(DXGK_DRIVERCAPS& caps) {
  caps.MemoryManagementCaps.ParavirtualizationSupported = 0;
}

NotApplicable virtualizing(const Platform& platform) {
  if (const NotApplicable reason = compute::only(platform)) return reason;
  return gpu_mmu(platform);
}

const Rule kRule{
    .id = "MCDM-017",
    .title = "ParavirtualizationSupported follows the partitioning role",
    .level = Level::Should,
    .rule =
        "ParavirtualizationSupported of DXGK_VIDMMCAPS is 0 in a driver that hands out partitions "
        "of its device to virtual machines, and 1 in every other: on machines without partitions, "
        "and inside of a machine that was given one.",
    .sources =
        "mcdm-implementation-guidelines.md # MemoryManagementCaps requirements\n"
        "ns-d3dkmddi-_dxgk_vidmmcaps.md # ParavirtualizationSupported\n"
        "gpu-paravirtualization.md # Driver requirements",
    .note =
        "Judged is a driver that surely hands out nothing, since it has no QueryInterface; of one "
        "that has it nothing is said. Two pages tie the bit to all functions of "
        "paravirtualization "
        "and to a GPU MMU, so that a driver of an IOMMU alone, and one that lacks a function, is "
        "not accused.",
    .unreached =
        "the driver has DxgkDdiQueryInterface, by which it may hand out what partitions need",
    .applies = virtualizing,
    .check = check,
    .played_in = compute::kPlayedIn,
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
    .fault = {.about = "ParavirtualizationSupported is left 0",
              .interposer = answers::alters_caps<alter>}};

WDDM_RULE(kRule);

}  // namespace
}  // namespace wddm::mcdm_017
