// MCDM-015: what of memory a device that only computes does not claim.

#include "conformance/rules/mcdm/compute_only.h"

namespace wddm::mcdm_015 {
namespace {

void check(const Trace& trace, const Platform&, Judgement& judgement) {
  compute::judge_caps(trace, judgement,
                      "0 in OutOfOrderLock, DedicatedPagingEngine, PagingEngineCanSwizzle, "
                      "SectionBackedPrimary, ReplicateGdiContent and NonCpuVisiblePrimary",
                      [](const DXGK_DRIVERCAPS& caps, compute::Listed& listed) {
                        const DXGK_VIDMMCAPS& memory = caps.MemoryManagementCaps;
                        listed.add(memory.OutOfOrderLock, "OutOfOrderLock");
                        listed.add(memory.DedicatedPagingEngine, "DedicatedPagingEngine");
                        listed.add(memory.PagingEngineCanSwizzle, "PagingEngineCanSwizzle");
                        listed.add(memory.SectionBackedPrimary, "SectionBackedPrimary");
                        listed.add(memory.ReplicateGdiContent, "ReplicateGdiContent");
                        listed.add(memory.NonCpuVisiblePrimary, "NonCpuVisiblePrimary");
                      });
}

void alter(DXGK_DRIVERCAPS& caps) {
  caps.MemoryManagementCaps.NonCpuVisiblePrimary = 1;
}

const Rule kRule{
    .id = "MCDM-015",
    .title = "MemoryManagementCaps that must be clear are clear",
    .rule =
        "OutOfOrderLock, DedicatedPagingEngine, PagingEngineCanSwizzle, SectionBackedPrimary, "
        "ReplicateGdiContent and NonCpuVisiblePrimary of DXGK_VIDMMCAPS are 0.",
    .sources =
        "mcdm-implementation-guidelines.md # MemoryManagementCaps requirements\n"
        "ns-d3dkmddi-_dxgk_vidmmcaps.md # fields",
    .note = "Members that came after the guidelines are not judged.",
    .applies = compute::only,
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
    .fault = {.about = "NonCpuVisiblePrimary is set, though there is no primary",
              .interposer = answers::alters_caps<alter>}};

WDDM_RULE(kRule);

}  // namespace
}  // namespace wddm::mcdm_015
