// MCDM-016: a device that only computes has virtual addresses, or is a prototype.

#include "conformance/rules/mcdm/compute_only.h"

namespace wddm::mcdm_016 {
namespace {

void check(const Trace& trace, const Platform&, Judgement& judgement) {
  compute::judge_caps(
      trace, judgement, "VirtualAddressingSupported and an MMU, or none of them",
      [](const DXGK_DRIVERCAPS& caps, compute::Listed& listed) {
        const DXGK_VIDMMCAPS& memory = caps.MemoryManagementCaps;
        const bool mmu = memory.GpuMmuSupported || memory.IoMmuSupported;
        listed.add(mmu && !memory.VirtualAddressingSupported, "an MMU without virtual addressing");
        listed.add(!mmu && memory.VirtualAddressingSupported, "virtual addressing without an MMU");
      });
}

void alter(DXGK_DRIVERCAPS& caps) {
  caps.MemoryManagementCaps.VirtualAddressingSupported = 0;
}

const Rule kRule{.id = "MCDM-016",
                 .title = "Virtual addressing is supported, or the driver is a prototype",
                 .rule =
                     "VirtualAddressingSupported is set with GpuMmuSupported or IoMmuSupported; a "
                     "device with none "
                     "of the three is a prototype, which one process uses at a time.",
                 .sources =
                     "mcdm-implementation-guidelines.md # Memory Management\n"
                     "mcdm.md # introduction (MMU required, prototype exception)\n"
                     "ns-d3dkmddi-_dxgk_vidmmcaps.md # VirtualAddressingSupported",
                 .note =
                     "A prototype needs Windows 10 2004; this host is that. Whether both MMUs may "
                     "be set is MMU-011.",
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
                 .fault = {.about = "GpuMmuSupported without VirtualAddressingSupported",
                           .interposer = answers::alters_caps<alter>,
                           .also_fires = "MCDM-007 MMU-011"}};

WDDM_RULE(kRule);

}  // namespace
}  // namespace wddm::mcdm_016
