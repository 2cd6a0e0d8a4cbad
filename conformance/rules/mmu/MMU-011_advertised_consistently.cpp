// MMU-011: support for GPU virtual addresses is advertised consistently.

#include <span>

#include "conformance/rules/caps/answered_caps.h"
#include "conformance/rules/mmu/reported_tables.h"
#include "conformance/rules/vpage/met_while_invalid.h"

namespace wddm::mmu_011 {
namespace {

// DXGK_VIDMMCAPS.
constexpr std::uint32_t kVirtualAddressing = 1u << 5, kGpuMmu = 1u << 6, kIoMmu = 1u << 7;

constexpr DdiId kNeeded[] = {DdiId::CreateProcess, DdiId::DestroyProcess,
                             DdiId::SubmitCommandVirtual};
constexpr DdiId kNeededForTables[] = {DdiId::SetRootPageTable};

std::string missing_of(std::span<const DdiId> needed, const Platform& platform) {
  for (const DdiId ddi : needed) {
    if (!platform.has(ddi)) return std::string("no ") + ddi_name(static_cast<std::uint32_t>(ddi));
  }
  return {};
}

std::string wrong(std::uint32_t memory, const Platform& platform) {
  const bool addressing = (memory & kVirtualAddressing) != 0;
  const bool gpu = (memory & kGpuMmu) != 0, io = (memory & kIoMmu) != 0;
  if (gpu && io) return "both GpuMmuSupported and IoMmuSupported";
  if (addressing && !gpu && !io) return "VirtualAddressingSupported with neither MMU";
  if (!addressing && (gpu || io)) return "an MMU without VirtualAddressingSupported";
  if (!addressing) return {};
  if (std::string missing = missing_of(kNeeded, platform); !missing.empty()) return missing;
  if (!gpu) return {};
  if (std::string missing = missing_of(kNeededForTables, platform); !missing.empty()) {
    return missing;
  }
  // Where roots have one size, nobody asks for it.
  const bool size_is_asked = platform.compute_only || platform.page_table_levels == 2;
  if (size_is_asked && !platform.has(DdiId::GetRootPageTableSize)) {
    return "no DxgkDdiGetRootPageTableSize";
  }
  return !platform.gpu_mmu ? "DXGKQAITYPE_GPUMMUCAPS is not answered" : std::string{};
}

void check(const Trace& trace, const Platform& platform, Judgement& judgement) {
  for (const std::uint32_t index : trace.of<ev::CapsReported>()) {
    const auto caps = trace.at<ev::CapsReported>(index);
    if (!mmu::answered(caps.status)) continue;
    judgement.reached(index);
    if (const std::string what = wrong(caps.memory, platform); !what.empty()) {
      judgement.fail(
          index, "VirtualAddressingSupported with exactly one MMU, its queries and entry points",
          what);
    }
  }
}

NotApplicable from_wddm2(const Platform& platform) {
  constexpr std::uint32_t kInterfaceWddm2_0 = 0x5023;
  if (const NotApplicable reason = needs_caps(platform)) return reason;
  return platform.interface_version >= kInterfaceWddm2_0
             ? nullptr
             : "older than WDDM 2.0: there are no GPU virtual addresses";
}

void name_only_the_mmu(DXGK_DRIVERCAPS& caps) {
  caps.MemoryManagementCaps.Value &= ~kVirtualAddressing;
}

const Rule kRule{
    .id = "MMU-011",
    .title = "Support for GPU virtual addresses is advertised consistently",
    .rule =
        "DXGK_VIDMMCAPS.VirtualAddressingSupported is set exactly when one of GpuMmuSupported "
        "and IoMmuSupported is, and never both are. With it the driver has DxgkDdiCreateProcess, "
        "DestroyProcess and SubmitCommandVirtual, and with GpuMmuSupported SetRootPageTable as "
        "well, and an answer to DXGKQAITYPE_GPUMMUCAPS; GetRootPageTableSize where tables have two "
        "levels, or the device only computes.",
    .sources =
        "ns-d3dkmddi-_dxgk_vidmmcaps.md # VirtualAddressingSupported\n"
        "mcdm-implementation-guidelines.md # GPU virtual addressing support\n"
        "nc-d3dkmddi-dxgkddi_getrootpagetablesize.md # Remarks",
    .note =
        "Overviews allow both models at once; the page of DXGK_VIDMMCAPS, which states what is "
        "checked, does not. The guidelines ask all drivers that only compute for "
        "GetRootPageTableSize; its own page has it called with two levels alone, so of others it "
        "is not asked.",
    .applies = from_wddm2,
    .check = check,
    .played_in = {Configured::GpuVirtual, Configured::Pairs, Configured::IoMmuAlone},
    .scenario = R"(
about: the adapter starts
ops:
- start
)",
    // GPUs of several forms of tables keep to what is advertised of their TLBs.
    .control = vpage::kMetWhileInvalid,
    .fault = {.about = "GpuMmuSupported without VirtualAddressingSupported",
              .interposer = answers::alters_caps<name_only_the_mmu>}};

WDDM_RULE(kRule);

}  // namespace
}  // namespace wddm::mmu_011
