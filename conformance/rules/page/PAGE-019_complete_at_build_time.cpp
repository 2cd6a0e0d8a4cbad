// PAGE-019: paging buffers are complete when they are built.

#include "conformance/rules/page/operation.h"

namespace wddm::page_019 {
namespace {

void check(const Trace& trace, const Platform&, Judgement& judgement) {
  page::judge_memory(trace, judgement, "the buffer does its work, and Patch was not called for it",
                     [](const page::CheckedOperation& operation) {
                       return operation.done.packet != kNone && operation.done.patched == 0 &&
                              !operation.disturbed;
                     });
}

const Rule kRule{.id = "PAGE-019",
                 .title = "Paging buffers are complete at build time",
                 .level = Level::Should,
                 .grade = Grade::UndocumentedReliance,
                 .evidence = Evidence::Memory,
                 .rule =
                     "All addresses in a paging buffer are final when BuildPagingBuffer returns: "
                     "it executes correctly "
                     "whether or not Patch is called for it.",
                 .sources =
                     "submitting-a-command-buffer.md # step 5\n"
                     "nc-d3dkmddi-dxgkddi_buildpagingbuffer.md # Remarks (Note)",
                 .note =
                     "One page says that the scheduler need not call Patch for paging buffers, "
                     "another that VidMm calls it, and a third lets a driver write the fence in "
                     "Patch alone. Read as: a driver works both ways, and as pages "
                     "differ it should, no more. What Patch would not have mended either fires "
                     "here too, beside the clause on the operation.",
                 .unreached = page::kNoCommandSeen,
                 .applies = paging,
                 .check = check,
                 .played_in = kBothAddressings | ConfigurationSet{Configured::FourLevels},
                 .scenario = R"(
about: pages filled, sent out and brought back without Patch
ops:
- patch_paging: {on: false}
- create_allocation: {allocation: 0, pages: 2, place: local}
- make_resident: {allocation: 0}
- fill_memory: {allocation: 0, pattern: 0x11223344}
- evict: {allocation: 0}
- make_resident: {allocation: 0}
- idle
)",
                 .control = R"(
about: the same with Patch
ops:
- patch_paging: {on: true}
- create_allocation: {allocation: 0, pages: 2, place: local}
- make_resident: {allocation: 0}
- fill_memory: {allocation: 0, pattern: 0x11223344}
- evict: {allocation: 0}
- make_resident: {allocation: 0}
- idle
)",
                 .fault = {.about = "addresses are resolved in Patch",
                           .seat = FaultSeat::Variant,
                           .variant = 8,
                           .also_fires = "PAGE-005 PAGE-012 SUBMIT-017"}};

WDDM_RULE(kRule);

}  // namespace
}  // namespace wddm::page_019
