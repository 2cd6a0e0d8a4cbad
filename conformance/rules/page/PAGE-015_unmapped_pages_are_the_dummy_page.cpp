// PAGE-015: unmapped aperture pages refer to the dummy page.

#include "conformance/rules/page/aperture_faults.h"
#include "conformance/rules/page/operation.h"

namespace wddm::page_015 {
namespace {

void check(const Trace& trace, const Platform& platform, Judgement& judgement) {
  page::judge_aperture(trace, platform, judgement, page::AperturePages::Unmapped,
                       "what the GPU writes to unmapped pages arrives in the dummy page");
  page::judge_access(trace, platform, judgement,
                     "the GPU can still access pages that were unmapped",
                     [](const page::ApertureFaults::Fault& fault) { return !page::maps(fault); });
}

// A driver with a command for each page, or for so many, needs several buffers. What the GPU writes
// there fits into one, and is the same in all pages.
#define UNMAPPED_WITH_LESS(count)                                                        \
  "- paging_buffer: {measure: needed_minus, bytes: " #count                              \
  ", packed: true}\n"                                                                    \
  "- map_aperture: {page: 9, pages: 24}\n"                                               \
  "- unmap_aperture: {page: 9}\n"                                                        \
  "- idle\n"                                                                             \
  "- paging_buffer: {packed: false}\n"                                                   \
  "- fill_memory: {allocation: 2, pattern: 0x77" #count                                  \
  "}\n"                                                                                  \
  "- transfer_places: {source: local, destination: aperture, source_page: 40, page: 9, " \
  "pages: 24}\n"                                                                         \
  "- idle\n"

// Mapped and unmapped by buffers of the size asked for: that an operation does not fit into what is
// left of one says little, for the next is whole. Written are pages from the middle on: buffers of
// drivers that want them in an aperture lie at its end.
#define UNMAPPED_AT_ONCE(count, middle)                                                       \
  "- map_aperture: {page: 16, pages: " #count                                                 \
  "}\n"                                                                                       \
  "- unmap_aperture: {page: 16}\n"                                                            \
  "- idle\n"                                                                                  \
  "- fill_memory: {allocation: 2, pattern: 0x88" #count                                       \
  "}\n"                                                                                       \
  "- transfer_places: {source: local, destination: aperture, source_page: 40, page: " #middle \
  ", pages: 16}\n"                                                                            \
  "- idle\n"

const Rule kRule{
    .id = "PAGE-015",
    .title = "Unmapped aperture pages point to the dummy page and stay accessible",
    .evidence = Evidence::Memory,
    .rule =
        "UnmapApertureSegment redirects each of the NumberOfPages entries from "
        "OffsetInPages on to DummyPage; "
        "the GPU can still access the range, and does not reach the former pages.",
    .sources =
        "nc-d3dkmddi-dxgkddi_buildpagingbuffer.md # Unmap aperture segment\n"
        "ns-d3dkmddi-_dxgkarg_buildpagingbuffer.md # UnmapApertureSegment.DummyPage",
    .note =
        "The public samples write 0 instead. Where the GPU writes several pages "
        "that all lead to DummyPage, any may be last: then it is judged only if "
        "they are written the same.",
    .applies = paging,
    .check = check,
    .played_in = kPatchListConfigurations |
                 ConfigurationSet{Configured::PhysicalAccess, Configured::MapAperture2},
    .scenario = R"(
about: the GPU writes through two pages that were unmapped, in a second life of the adapter; then through many, by buffers that are too short for all
ops:
- map_aperture: {page: 5, pages: 2}
- unmap_aperture: {page: 5}
- idle
- stop
- start
- create_allocation: {allocation: 0, pages: 2, place: local}
- create_allocation: {allocation: 1, place: aperture}
- make_resident: {allocation: 0}
- fill_memory: {allocation: 0, pattern: 0x11223344}
- map_aperture: {page: 5, pages: 2}
- unmap_aperture: {page: 5}
- idle
- transfer_places: {source: local, destination: aperture, source_page: 0, page: 5, pages: 2}
- idle
# Where page tables lie at the start of memory, what lies behind them is as good.
- create_allocation: {allocation: 2, pages: 64, place: local}
- make_resident: {allocation: 2}
- fill_memory: {allocation: 2, pattern: 0x55667788}
- transfer_places: {source: local, destination: aperture, source_page: 48, page: 5, pages: 2}
- idle
)" UNMAPPED_WITH_LESS(16) UNMAPPED_WITH_LESS(120) UNMAPPED_WITH_LESS(240),
    .control = R"(
about: the range is mapped again before it is written; then as many pages as there may be are unmapped at once
ops:
# Who does not read this has room for more, and as many pages as an aperture of its own.
- configure: {setting: PagingBufferSize, value: 64}
- create_allocation: {allocation: 0, pages: 2, place: local}
- create_allocation: {allocation: 1, place: aperture}
- make_resident: {allocation: 0}
- fill_memory: {allocation: 0, pattern: 0x11223344}
- map_aperture: {page: 5, pages: 2}
- unmap_aperture: {page: 5}
- map_aperture: {page: 5, pages: 2}
- transfer_places: {source: local, destination: aperture, source_page: 0, page: 5, pages: 2}
- idle
- create_allocation: {allocation: 2, pages: 64, place: local}
- make_resident: {allocation: 2}
)" UNMAPPED_AT_ONCE(1000, 500) UNMAPPED_AT_ONCE(200, 150) UNMAPPED_AT_ONCE(60, 56),
    .fault = {.about = "the entries are cleared instead of redirected",
              .seat = FaultSeat::Variant,
              .variant = 4,
              .also_fires = "PAGE-005 SUBMIT-017"}};

#undef UNMAPPED_WITH_LESS
#undef UNMAPPED_AT_ONCE

WDDM_RULE(kRule);

}  // namespace
}  // namespace wddm::page_015
