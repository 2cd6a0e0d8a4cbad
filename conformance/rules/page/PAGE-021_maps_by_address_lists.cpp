// PAGE-021: MapApertureSegment2 maps the pages of both forms of an ADL.

#include "conformance/host/interposer.h"
#include "conformance/rules/page/aperture_faults.h"
#include "conformance/rules/page/mapped_again.h"
#include "conformance/rules/page/operation.h"

namespace wddm::page_021 {
namespace {

void check(const Trace& trace, const Platform& platform, Judgement& judgement) {
  page::judge_aperture(trace, platform, judgement, page::AperturePages::MappedByList,
                       "aperture page OffsetInPages + i is page AdlOffset + i of the ADL");
  // In several buffers: PAGE-003.
  page::judge_access(trace, platform, judgement, "the GPU can access pages that were mapped",
                     [](const page::ApertureFaults::Fault& fault) {
                       return fault.passes == 1 &&
                              fault.operation == DXGK_OPERATION_MAP_APERTURE_SEGMENT2;
                     });
}

// A driver that takes the first page of a list for the base of pages that follow each other.
class TakesAllForContiguous final : public Interposer {
 public:
  NTSTATUS BuildPagingBuffer(HANDLE adapter, DXGKARG_BUILDPAGINGBUFFER* build) override {
    if (build->Operation != DXGK_OPERATION_MAP_APERTURE_SEGMENT2 ||
        build->MapApertureSegment2.Adl.Flags.Contiguous) {
      return Interposer::BuildPagingBuffer(adapter, build);
    }
    DXGK_ADL& adl = build->MapApertureSegment2.Adl;
    const DXGK_ADL asked = adl;
    adl.Flags.Contiguous = 1;
    adl.BasePageNumber = asked.Pages[0];
    const NTSTATUS status = Interposer::BuildPagingBuffer(adapter, build);
    adl = asked;
    return status;
  }
};

NotApplicable address_lists(const Platform& platform) {
  if (const NotApplicable reason = paging(platform)) return reason;
  return platform.map_aperture2 ? nullptr
                                : "the aperture is mapped by MDLs: no MapAperture2Supported";
}

// The first is a list, the other in a row.
#define MAPPED_WITH_LESS(count, first)                                                       \
  "- paging_buffer: {measure: needed_minus, bytes: " #count                                  \
  ", packed: true}\n"                                                                        \
  "- map_aperture: {page: " #first                                                           \
  ", pages: 12, mdl_offset: 2}\n"                                                            \
  "- idle\n"                                                                                 \
  "- paging_buffer\n"                                                                        \
  "- transfer_places: {source: local, destination: aperture, source_page: 48, page: " #first \
  ", pages: 12}\n"                                                                           \
  "- idle\n"                                                                                 \
  "- unmap_aperture: {page: " #first                                                         \
  "}\n"                                                                                      \
  "- paging_buffer: {measure: needed_minus, bytes: " #count                                  \
  ", packed: true}\n"                                                                        \
  "- map_aperture: {page: " #first                                                           \
  ", pages: 12, mdl_offset: 2, contiguous: true}\n"                                          \
  "- idle\n"                                                                                 \
  "- paging_buffer\n"                                                                        \
  "- transfer_places: {source: local, destination: aperture, source_page: 48, page: " #first \
  ", pages: 12}\n"                                                                           \
  "- idle\n"

const Rule kRule{
    .id = "PAGE-021",
    .title = "MapApertureSegment2 accepts both forms of an ADL",
    .evidence = Evidence::Memory,
    .rule =
        "For each i below NumberOfPages, aperture page OffsetInPages + i refers to page "
        "BasePageNumber + AdlOffset + i where the flag Contiguous is set, and to page "
        "Pages[AdlOffset + i] where it is not. Each call says which form it has.",
    .sources =
        "iommu-dma-remapping.md # DXGK_OPERATION_MAP_APERTURE_SEGMENT2\n"
        "ns-d3dkmddi-dxgk_adl.md\n"
        "ns-d3dkmddi-_dxgkarg_buildpagingbuffer.md # MapApertureSegment2",
    .note =
        "The aperture is seen as PAGE-014 sees it. CpuVisibleAddress is null here: no allocation "
        "is MapApertureCpuVisible.",
    .applies = address_lists,
    .check = check,
    .played_in = {Configured::MapAperture2},
    .scenario = R"(
about: four pages that lie apart, four in a row, and those of an allocation, written by the GPU; the first again after a reset
ops:
- create_allocation: {allocation: 0, pages: 64, place: local}
- create_allocation: {allocation: 1, pages: 4, place: aperture}
- make_resident: {allocation: 0}
- make_resident: {allocation: 1}
- fill_memory: {allocation: 0, pattern: 0x11223344}
# Of four pages in a row one is unlike the others, wherever the allocation lies near page 0.
- cpu_write: {allocation: 0, offset: 135168, value: 0x21212121}
- cpu_write: {allocation: 0, offset: 147456, value: 0x24242424}
- cpu_write: {allocation: 0, offset: 159744, value: 0x27272727}
- cpu_write: {allocation: 0, offset: 172032, value: 0x2a2a2a2a}
- cpu_write: {allocation: 0, offset: 184320, value: 0x2d2d2d2d}
- cpu_write: {allocation: 0, offset: 196608, value: 0x30303030}
- cpu_write: {allocation: 0, offset: 208896, value: 0x33333333}
- map_aperture: {page: 8, pages: 4, mdl_offset: 1}
- map_aperture: {page: 16, pages: 4, mdl_offset: 1, contiguous: true}
- transfer_places: {source: local, destination: aperture, source_page: 48, page: 8, pages: 4}
- transfer_places: {source: local, destination: aperture, source_page: 48, page: 16, pages: 4}
- transfer_places: {source: local, destination: aperture, source_page: 48, page: 0, pages: 4}
- idle
)" WDDM_MAPS_AGAIN(8, 4, 1),
    .control = R"(
about: one page, of which either form says the same; then more, by buffers that are too short for all
ops:
- create_allocation: {allocation: 0, pages: 64, place: local}
- create_allocation: {allocation: 1, place: aperture}
- make_resident: {allocation: 0}
- make_resident: {allocation: 1}
- fill_memory: {allocation: 0, pattern: 0x11223344}
- transfer_places: {source: local, destination: aperture, source_page: 48, page: 0, pages: 1}
- idle
- cpu_write: {allocation: 0, offset: 159744, value: 0x27272727}
- cpu_write: {allocation: 0, offset: 184320, value: 0x2d2d2d2d}
- cpu_write: {allocation: 0, offset: 208896, value: 0x33333333}
)" MAPPED_WITH_LESS(4, 8) MAPPED_WITH_LESS(40, 24) MAPPED_WITH_LESS(120, 40),
    .fault = {.about = "the first page of a list is taken for the base of contiguous pages",
              .interposer = [] { return std::unique_ptr<Interposer>(new TakesAllForContiguous); },
              .also_fires = "NT-DmaOutsideMemory SUBMIT-017 VPAGE-002 VPAGE-003 VPAGE-005"}};

#undef MAPPED_WITH_LESS

WDDM_RULE(kRule);

}  // namespace
}  // namespace wddm::page_021
