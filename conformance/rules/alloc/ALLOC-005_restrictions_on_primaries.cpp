// ALLOC-005: what a primary may not be.

#include <algorithm>
#include <cstdint>
#include <cstring>
#include <string>
#include <vector>

#include "conformance/host/interposer.h"
#include "conformance/rules/alloc/shared_primary.h"

namespace wddm::alloc_005 {
namespace {

// The same bits in DXGK_ALLOCATIONINFOFLAGS and DXGK_ALLOCATIONINFOFLAGS_WDDM2_0.
struct Forbidden {
  std::uint32_t bit;
  const char* name;
};
constexpr Forbidden kForbidden[] = {{1u << 1, "PermanentSysMem"},
                                    {1u << 2, "Cached"},
                                    {1u << 3, "Protected"},
                                    {1u << 4, "ExistingSysMem"},
                                    {1u << 5, "ExistingKernelSysMem"}};

// DXGK_VIDMMCAPS::NonCpuVisiblePrimary, of WDDM 2.0.
constexpr std::uint32_t kNonCpuVisiblePrimary = 1u << 9;
// DXGK_SEGMENTFLAGS.
constexpr std::uint32_t kFromSystemMemory = 1u << 6;  // PopulatedFromSystemMemory
constexpr std::uint32_t kHostAperture = 1u << 13;     // SupportsCpuHostAperture

std::string forbidden_in(std::uint32_t flags) {
  std::string names;
  for (const Forbidden& flag : kForbidden) {
    if ((flags & flag.bit) == 0) continue;
    if (!names.empty()) names += ", ";
    names += flag.name;
  }
  return names;
}

// Apertures are made of system memory, which the CPU has anyway, and so are some segments.
bool cpu_reaches(const SegmentFlags& flags) {
  return flags.aperture() || flags.agp() || flags.cpu_visible() ||
         (flags.value & (kFromSystemMemory | kHostAperture)) != 0;
}

// The first segment of the set that the CPU does not reach; 0: there is none. Those that do not
// exist are ALLOC-002's.
std::uint32_t out_of_reach(const Platform& platform, std::uint32_t set) {
  for (std::uint32_t i = 0; i < platform.segments.size() && i < 32; ++i) {
    if ((set >> i & 1) != 0 && !cpu_reaches(platform.segments[i].flags)) return i + 1;
  }
  return 0;
}

bool may_be_hidden(const Trace& trace, const Platform& platform) {
  if (!platform.wddm2()) return false;
  const auto& reported = trace.of<ev::CapsReported>();
  return std::any_of(reported.begin(), reported.end(), [&trace](std::uint32_t index) {
    return (trace.at<ev::CapsReported>(index).memory & kNonCpuVisiblePrimary) != 0;
  });
}

void check(const Trace& trace, const Platform& platform, Judgement& judgement) {
  const bool hidden = may_be_hidden(trace, platform);
  for (const std::uint32_t index : trace.of<ev::AllocationGroup>()) {
    const auto group = trace.at<ev::AllocationGroup>(index);
    if (group.standard != D3DKMDT_STANDARDALLOCATION_SHAREDPRIMARYSURFACE) continue;
    if (!NT_SUCCESS(static_cast<NTSTATUS>(group.status))) continue;
    judgement.reached(index);
    const std::string names = forbidden_in(group.flags);
    if (!names.empty()) {
      judgement.fail(index,
                     "Flags of a primary without PermanentSysMem, Cached, Protected, "
                     "ExistingSysMem and ExistingKernelSysMem",
                     names);
    }
    const std::uint32_t segment = hidden ? 0 : out_of_reach(platform, group.write_set);
    if (segment == 0) continue;
    judgement.fail(index, "a SupportedWriteSegmentSet of segments that the CPU can access",
                   "segment " + std::to_string(segment) + " is none");
  }
}

// A driver that has its primary read by the CPU, and read fast.
class CachesPrimary final : public Interposer {
 public:
  NTSTATUS GetStandardAllocationDriverData(HANDLE adapter,
                                           DXGKARG_GETSTANDARDALLOCATIONDRIVERDATA* data) override {
    const NTSTATUS status = Interposer::GetStandardAllocationDriverData(adapter, data);
    const auto* const bytes = static_cast<const std::uint8_t*>(data->pAllocationPrivateDriverData);
    if (data->StandardAllocationType == D3DKMDT_STANDARDALLOCATION_SHAREDPRIMARYSURFACE &&
        NT_SUCCESS(status) && bytes != nullptr) {
      primary_.assign(bytes, bytes + data->AllocationPrivateDriverDataSize);
    }
    return status;
  }
  NTSTATUS CreateAllocation(HANDLE adapter, DXGKARG_CREATEALLOCATION* create) override {
    const NTSTATUS status = Interposer::CreateAllocation(adapter, create);
    for (UINT i = 0; i < create->NumAllocations; ++i) {
      DXGK_ALLOCATIONINFO& info = create->pAllocationInfo[i];
      if (!is_primary(info)) continue;
      info.Flags.CpuVisible = 1;
      info.Flags.Cached = 1;
    }
    return status;
  }

 private:
  [[nodiscard]] bool is_primary(const DXGK_ALLOCATIONINFO& info) const {
    return !primary_.empty() && info.PrivateDriverDataSize == primary_.size() &&
           std::memcmp(info.pPrivateDriverData, primary_.data(), primary_.size()) == 0;
  }

  std::vector<std::uint8_t> primary_;
};

const Rule kRule{
    .id = "ALLOC-005",
    .title = "Restrictions on primaries",
    .rule =
        "CreateAllocation of a primary sets none of PermanentSysMem, Cached, Protected, "
        "ExistingSysMem and ExistingKernelSysMem. Without NonCpuVisiblePrimary every segment of "
        "its SupportedWriteSegmentSet can be accessed by the CPU.",
    .sources =
        "ns-d3dukmdt-_d3dddi_allocationinfo2.md # Remarks\n"
        "ns-d3dkmddi-_dxgk_allocationinfoflags.md # PermanentSysMem, Cached, Protected, "
        "ExistingSysMem, ExistingKernelSysMem",
    .note =
        "Judged is the shared primary, which Dxgkrnl itself describes; no primary of user mode is "
        "made. DXGK_VIDMMCAPS::NonCpuVisiblePrimary is described for GDI's allocations alone; by "
        "its name it is taken as what lifts the second sentence. An aperture, and what is "
        "PopulatedFromSystemMemory, is accessed as the system memory that it is made of, and a "
        "segment with a CPU host aperture through that.",
    .applies = with_shared_primary,
    .check = check,
    .played_in = {Configured::Display},
    .scenario = R"(
about: the shared primary comes and goes
ops:
- requery: {allocations: 1, standard: 1}
)",
    .control = R"(
about: the shared primary, and a staging surface, which may be cached
ops:
- requery: {allocations: 1, standard: 3}
- requery: {allocations: 1, standard: 1}
)",
    .fault = {.about = "the primary is CpuVisible and Cached",
              .interposer = [] { return std::unique_ptr<Interposer>(new CachesPrimary); }}};

WDDM_RULE(kRule);

}  // namespace
}  // namespace wddm::alloc_005
