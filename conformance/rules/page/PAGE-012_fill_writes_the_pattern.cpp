// PAGE-012: a Fill writes FillPattern over exactly FillSize bytes.

#include "conformance/host/interposer.h"
#include "conformance/rules/page/operation.h"

namespace wddm::page_012 {
namespace {

void check(const Trace& trace, const Platform&, Judgement& judgement) {
  page::judge_memory(trace, judgement, "FillSize bytes hold FillPattern and no other byte changes",
                     [](const page::CheckedOperation& operation) {
                       return operation.done.operation == DXGK_OPERATION_FILL;
                     });
}

// A driver that takes FillPattern for a byte.
class FillsWithLowByte final : public Interposer {
 public:
  NTSTATUS BuildPagingBuffer(HANDLE adapter, DXGKARG_BUILDPAGINGBUFFER* build) override {
    if (build->Operation == DXGK_OPERATION_FILL) build->Fill.FillPattern &= 0xff;
    return Interposer::BuildPagingBuffer(adapter, build);
  }
};

const Rule kRule{
    .id = "PAGE-012",
    .title = "Fill writes the pattern over exactly FillSize bytes",
    .evidence = Evidence::Memory,
    .rule =
        "After a Fill has executed, the FillSize bytes from Destination.SegmentAddress on (which "
        "includes "
        "the BaseAddress of the segment) hold FillPattern repeated; nothing else has changed.",
    .sources =
        "nc-d3dkmddi-dxgkddi_buildpagingbuffer.md # Fill\n"
        "ns-d3dkmddi-_dxgkarg_buildpagingbuffer.md # Fill",
    .note = "FillPattern is a UINT, read as a little-endian pattern of 32 bits.",
    .applies = page::by_memory_segments,
    .check = check,
    .scenario = R"(
about: three pages with a pattern of four different bytes; then more, by buffers that are too short for all
ops:
- create_allocation: {allocation: 0, pages: 3, place: local}
- make_resident: {allocation: 0}
- create_allocation: {allocation: 1, pages: 1, place: local}
- make_resident: {allocation: 1}
- fill_memory: {allocation: 0, pattern: 0x04030201}
- idle
# Nothing here takes more of a buffer than a fill, be it one command, or one for so many pages.
- create_allocation: {allocation: 2, pages: 96, place: local}
- make_resident: {allocation: 2}
- fill_memory: {allocation: 2, pattern: 0x14131211}
- idle
- paging_buffer: {measure: needed_minus, bytes: 4, packed: true}
- fill_memory: {allocation: 2, pattern: 0x24232221}
- fill_memory: {allocation: 2, pattern: 0x34333231}
- idle
- paging_buffer: {measure: needed_minus, bytes: 40, packed: true}
- fill_memory: {allocation: 2, pattern: 0x44434241}
- fill_memory: {allocation: 2, pattern: 0x54535251}
- idle
- paging_buffer: {measure: needed_minus, bytes: 160, packed: true}
- fill_memory: {allocation: 2, pattern: 0x64636261}
- fill_memory: {allocation: 2, pattern: 0x74737271}
- idle
# More than a megabyte, where there is so much.
- paging_buffer: {packed: true}
- create_allocation: {allocation: 3, pages: 400, place: local}
- make_resident: {allocation: 3}
- fill_memory: {allocation: 3, pattern: 0x0a0b0c0d}
- idle
- evict: {allocation: 3}
- idle
)",
    .control = R"(
about: a pattern of zeros; then a MB, more than one, and 16 MB, as far as there is memory
ops:
- create_allocation: {allocation: 0, pages: 3, place: local}
- make_resident: {allocation: 0}
- fill_memory: {allocation: 0, pattern: 0}
- idle
- destroy_allocation: {allocation: 0}
# Sizes that a field of 20 bits of a command, or of 24, does not hold. What is larger than the
# driver's memory is not made.
- create_allocation: {allocation: 1, pages: 256, place: local}
- make_resident: {allocation: 1}
- fill_memory: {allocation: 1, pattern: 0x11223344}
- idle
- destroy_allocation: {allocation: 1}
- create_allocation: {allocation: 2, pages: 300, place: local}
- make_resident: {allocation: 2}
- fill_memory: {allocation: 2, pattern: 0x55667788}
- idle
- destroy_allocation: {allocation: 2}
- create_allocation: {allocation: 3, pages: 4096, place: local}
- make_resident: {allocation: 3}
- fill_memory: {allocation: 3, pattern: 0x99aabbcc}
- idle
)",
    .fault = {.about = "only the low byte of FillPattern is used",
              .interposer = [] { return std::unique_ptr<Interposer>(new FillsWithLowByte); },
              .also_fires = "PAGE-003"}};

WDDM_RULE(kRule);

}  // namespace
}  // namespace wddm::page_012
