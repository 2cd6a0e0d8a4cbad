// ALLOC-004: allocation flag combinations are legal.

#include <algorithm>

#include "conformance/rules/alloc/altered_allocations.h"
#include "conformance/rules/alloc/descriptions.h"
#include "conformance/rules/rule.h"

namespace wddm::alloc_004 {
namespace {

// DXGK_ALLOCATIONINFOFLAGS and, from WDDM 2.0 on, DXGK_ALLOCATIONINFOFLAGS_WDDM2_0, by bit.
constexpr std::uint32_t kCpuVisible = 1u << 0, kPermanentSysMem = 1u << 1, kCached = 1u << 2,
                        kProtected = 1u << 3, kExistingSysMem = 1u << 4,
                        kExistingKernelSysMem = 1u << 5, kUseAlternateVA = 1u << 10,
                        kMapApertureCpuVisible = 1u << 13, kAccessedPhysically = 1u << 15,
                        kExplicitResidency = 1u << 16, kHistoryBuffer = 1u << 14,
                        kCpuVisibleOnDemand = 1u << 18, kReserved = ~((1u << 19) - 1),
                        kReservedInWddm2 = 3u << 11,
                        kReservedBeforeWddm2 = 15u << 15;  // there since Windows 10

// Segments are those of any GPU.
bool has_coherent_aperture(const Platform& platform) {
  constexpr std::uint32_t kAperture = 1u << 0, kCacheCoherent = 1u << 4;  // DXGK_SEGMENTFLAGS
  return std::any_of(platform.segments.begin(), platform.segments.end(),
                     [](const PlatformSegment& segment) {
                       constexpr std::uint32_t kBoth = kAperture | kCacheCoherent;
                       return (segment.flags.value & kBoth) == kBoth;
                     });
}

constexpr const char* kLegal = "a legal combination of allocation flags";

// What is wrong whatever else is set.
const char* wrong_alone(std::uint32_t flags, const Platform& platform) {
  const bool wddm2 = platform.wddm2();
  if ((flags & (kReserved | (wddm2 ? kReservedInWddm2 : kReservedBeforeWddm2))) != 0) {
    return "reserved bits";
  }
  if (wddm2 && !platform.map_aperture2 && (flags & kMapApertureCpuVisible) != 0) {
    return "MapApertureCpuVisible without MapAperture2Supported";
  }
  return nullptr;
}

const char* wrong(std::uint32_t flags, const Platform& platform, bool primary, bool coherent) {
  const auto has = [flags](std::uint32_t bits) { return (flags & bits) != 0; };
  const bool wddm2 = platform.wddm2();
  const bool visible = has(kCpuVisible) || (wddm2 && has(kCpuVisibleOnDemand));
  if (has(kCached) && !visible) return "Cached without CpuVisible";
  if (has(kPermanentSysMem) && !visible) return "PermanentSysMem without CpuVisible";
  if (has(kHistoryBuffer) && !has(kCpuVisible)) return "HistoryBuffer without CpuVisible";
  if (has(kHistoryBuffer) && (flags & ~(kHistoryBuffer | kCpuVisible | kCached)) != 0) {
    return "HistoryBuffer with a flag other than CpuVisible and Cached";
  }
  if (has(kHistoryBuffer) && coherent && !has(kCached)) {
    return "HistoryBuffer without Cached, beside a cache-coherent aperture";
  }
  const std::uint32_t memory =
      flags & (kPermanentSysMem | kProtected | kExistingSysMem | kExistingKernelSysMem);
  if ((memory & (memory - 1)) != 0) {
    return "more than one of PermanentSysMem, Protected, ExistingSysMem, ExistingKernelSysMem";
  }
  if (!wddm2 && !primary && has(kUseAlternateVA)) {
    return "UseAlternateVA on an allocation that is no primary";
  }
  if (wddm2 && has(kExplicitResidency) && !has(kAccessedPhysically)) {
    return "ExplicitResidencyNotification without AccessedPhysically";
  }
  return wrong_alone(flags, platform);
}

void check(const Trace& trace, const Platform& platform, Judgement& judgement) {
  const bool coherent = has_coherent_aperture(platform);
  alloc::for_each_description(trace, [&](const alloc::Description& said) {
    judgement.reached(said.index);
    const char* const what = wrong(said.info.flags, platform, said.info.primary != 0, coherent);
    if (what == nullptr) return;
    judgement.fail(said.index, kLegal, what + said.whose());
  });
}

// A driver that calls every allocation cached.
void call_it_cached(DXGK_ALLOCATIONINFO& info) {
  info.Flags.CpuVisible = 0;
  info.Flags.Cached = 1;
}

const Rule kRule{
    .id = "ALLOC-004",
    .title = "Allocation flag combinations are legal",
    .rule =
        "Cached and PermanentSysMem require CpuVisible; at most one of "
        "PermanentSysMem, Protected, ExistingSysMem and ExistingKernelSysMem is "
        "set; UseAlternateVA only on the primary; ExplicitResidencyNotification "
        "requires AccessedPhysically; HistoryBuffer requires CpuVisible and goes with "
        "no other flag but Cached, which it has where an aperture is CacheCoherent; "
        "MapApertureCpuVisible requires MapAperture2Supported; reserved bits are 0.",
    .sources =
        "ns-d3dkmddi-_dxgk_allocationinfoflags.md\n"
        "ns-d3dkmddi-_dxgk_allocationinfoflags_wddm2_0.md",
    .note =
        "The bit of MapApertureCpuVisible is reserved in interfaces that do not have it, and none "
        "of them has MapAperture2Supported. CpuVisibleOnDemand counts as CpuVisible, which it is "
        "said to be "
        "like. Reserved bits 'should' be 0; judged as a duty, because later versions "
        "of Windows give them meanings. AccessedPhysically, ExplicitResidencyNotification, "
        "HardwareProtected and CpuVisibleOnDemand came with Windows 10: before WDDM 2.0 their bits "
        "are reserved.",
    .applies = paging,
    .check = check,
    .played_in = kBothAddressings,
    .scenario = R"(
about: the smallest allocation in a local segment
ops:
- create_allocation: {allocation: 0, place: local}
)",
    .control = R"(
about: a texture, a staging surface and one that may live anywhere; then several at once
ops:
- create_allocation: {allocation: 0, place: local}
- create_allocation: {allocation: 1, place: aperture, cpu_visible: true}
- create_allocation: {allocation: 2}
# Several of one resource, and a surface that Dxgkrnl describes.
- requery: {allocations: 3}
- requery: {allocations: 1, standard: 3}
)",
    .fault = {.about = "Cached is set and CpuVisible cleared",
              .interposer = alters_allocations<call_it_cached>,
              .also_fires = "ALLOC-012"}};

WDDM_RULE(kRule);

}  // namespace
}  // namespace wddm::alloc_004
