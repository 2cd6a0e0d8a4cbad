// ALLOC-001: CreateAllocation fills in what it must.

#include "conformance/rules/alloc/altered_allocations.h"
#include "conformance/rules/alloc/descriptions.h"
#include "conformance/rules/rule.h"

namespace wddm::alloc_001 {
namespace {

void check(const Trace& trace, const Platform&, Judgement& judgement) {
  alloc::for_each_description(trace, [&judgement](const alloc::Description& said) {
    const ev::AllocationCreated& info = said.info;
    judgement.reached(said.index);
    const auto fail = [&](const char* expected, const std::string& seen) {
      judgement.fail(said.index, expected, seen + said.whose());
    };
    if (info.has_handle == 0) fail("hAllocation is not NULL", "NULL");
    if (info.size == 0) fail("Size greater than 0", "0");
    if (info.priority == 0) {
      fail("AllocationPriority is not 0 (D3DDDI_ALLOCATIONPRIORITY_NORMAL)", "0");
    }
    if (info.pitch_size != 0 && info.pitch_size < info.size) {
      fail("PitchAlignedSize is 0 or at least Size",
           std::to_string(info.pitch_size) + " below Size " + std::to_string(info.size));
    }
  });
}

// A driver that leaves AllocationPriority at 0.
void leave_priority_out(DXGK_ALLOCATIONINFO& info) {
  info.AllocationPriority = 0;
}

const Rule kRule{.id = "ALLOC-001",
                 .title = "Mandatory outputs of DxgkDdiCreateAllocation",
                 .rule =
                     "For each allocation that CreateAllocation made, hAllocation is not NULL, "
                     "Size is greater than 0, AllocationPriority is not 0, and PitchAlignedSize "
                     "is 0 or at least Size.",
                 .sources =
                     "ns-d3dkmddi-_dxgk_allocationinfo.md # hAllocation, Size, PitchAlignedSize, "
                     "AllocationPriority",
                 .applies = paging,
                 .check = check,
                 .played_in = kBothAddressings | ConfigurationSet{Configured::Display},
                 .scenario = R"(
about: a texture, a staging surface and one that may live anywhere
ops:
- create_allocation: {allocation: 0, place: local}
- create_allocation: {allocation: 1, place: aperture, cpu_visible: true}
- create_allocation: {allocation: 2}
)",
                 .control = R"(
about: the smallest allocation in a local segment, several at once, and a surface that Dxgkrnl describes
ops:
- create_allocation: {allocation: 0, place: local}
- requery: {allocations: 3}
- requery: {allocations: 1, standard: 3}
# The primary, where there are displays.
- requery: {allocations: 1, standard: 1}
)",
                 .fault = {.about = "AllocationPriority is left 0",
                           .interposer = alters_allocations<leave_priority_out>}};

WDDM_RULE(kRule);

}  // namespace
}  // namespace wddm::alloc_001
