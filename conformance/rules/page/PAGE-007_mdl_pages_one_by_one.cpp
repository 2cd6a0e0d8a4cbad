// PAGE-007: the pages of an MDL are used one by one.

#include "conformance/rules/page/operation.h"

namespace wddm::page_007 {
namespace {

void check(const Trace& trace, const Platform&, Judgement& judgement) {
  page::judge_memory(trace, judgement, "page k is the frame MdlOffset + k of the MDL",
                     page::scattered_transfer);
}

const Rule kRule{
    .id = "PAGE-007",
    .title = "MDL pages are used one by one",
    .evidence = Evidence::Memory,
    .rule =
        "System memory behind an MDL is scattered: page k of an operation is the frame MdlOffset + "
        "k of its "
        "array. A driver neither assumes that frames follow each other nor starts at the first.",
    .sources =
        "ns-d3dkmddi-_dxgkarg_buildpagingbuffer.md # Transfer.MdlOffset, "
        "MapApertureSegment.MdlOffset",
    .note = "Judged here for Transfer; for MapApertureSegment by PAGE-014.",
    .applies = page::by_memory_segments,
    .check = check,
    .scenario = R"(
about: three pages out and in, with frames that do not follow each other
ops:
- create_allocation: {allocation: 0, pages: 3, place: local}
- make_resident: {allocation: 0}
- fill_memory: {allocation: 0, pattern: 0x11223344}
- cpu_write: {allocation: 0, offset: 4096}
- cpu_write: {allocation: 0, offset: 8192, value: 0x66778899}
- evict: {allocation: 0}
- make_resident: {allocation: 0}
- idle
)",
    .control = R"(
about: one page has no second frame
ops:
- create_allocation: {allocation: 0, pages: 1, place: local}
- make_resident: {allocation: 0}
- fill_memory: {allocation: 0, pattern: 0x11223344}
- evict: {allocation: 0}
- idle
)",
    .fault = {.about = "the first frame is taken and counted up",
              .seat = FaultSeat::Variant,
              .variant = 3,
              .also_fires = "NT-DmaOutsideMemory PAGE-005 SUBMIT-017"}};

WDDM_RULE(kRule);

}  // namespace
}  // namespace wddm::page_007
