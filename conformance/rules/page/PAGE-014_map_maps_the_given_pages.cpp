// PAGE-014: MapApertureSegment maps exactly the given pages.

#include "conformance/host/interposer.h"
#include "conformance/rules/page/aperture_faults.h"
#include "conformance/rules/page/mapped_again.h"
#include "conformance/rules/page/operation.h"

namespace wddm::page_014 {
namespace {

void check(const Trace& trace, const Platform& platform, Judgement& judgement) {
  page::judge_aperture(trace, platform, judgement, page::AperturePages::Mapped,
                       "aperture page OffsetInPages + i is the frame MdlOffset + i of the MDL");
  // In several buffers: PAGE-003.
  page::judge_access(trace, platform, judgement, "the GPU can access pages that were mapped",
                     [](const page::ApertureFaults::Fault& fault) {
                       return fault.passes == 1 &&
                              fault.operation == DXGK_OPERATION_MAP_APERTURE_SEGMENT;
                     });
}

// A driver that starts at the first frame of the MDL.
class IgnoresMdlOffset final : public Interposer {
 public:
  NTSTATUS BuildPagingBuffer(HANDLE adapter, DXGKARG_BUILDPAGINGBUFFER* build) override {
    if (build->Operation == DXGK_OPERATION_MAP_APERTURE_SEGMENT) {
      build->MapApertureSegment.MdlOffset = 0;
    }
    return Interposer::BuildPagingBuffer(adapter, build);
  }
};

const Rule kRule{
    .id = "PAGE-014",
    .title = "MapApertureSegment maps exactly the given pages",
    .evidence = Evidence::Memory,
    .rule =
        "For each i below NumberOfPages, aperture page OffsetInPages + i refers to frame MdlOffset "
        "+ i of the "
        "MDL, also with a NULL hAllocation and a NULL hDevice.",
    .sources =
        "nc-d3dkmddi-dxgkddi_buildpagingbuffer.md # Map aperture segment\n"
        "ns-d3dkmddi-_dxgkarg_buildpagingbuffer.md # MapApertureSegment",
    .note =
        "The aperture is seen through the GPU: a Transfer into the mapped pages must arrive in "
        "their frames. With GPU virtual addresses allocations are mapped so that are "
        "AccessedPhysically, and the Transfer is one by entries that name the aperture segment. No "
        "document says that there are such entries: where a driver does not take them, nobody is "
        "judged. Accesses to mapped pages that reach no memory, by the device's log, are judged "
        "whoever makes them.",
    .applies = paging,
    .check = check,
    .played_in = kPatchListConfigurations | ConfigurationSet{Configured::PhysicalAccess},
    .scenario = R"(
about: two pages at offset 5, those of an allocation, and neighbours, written by the GPU; the first again after a reset
ops:
- create_allocation: {allocation: 0, pages: 2, place: local}
- create_allocation: {allocation: 1, pages: 2, place: aperture}
- make_resident: {allocation: 0}
- make_resident: {allocation: 1}
- fill_memory: {allocation: 0, pattern: 0x11223344}
- cpu_write: {allocation: 0, offset: 4096}
- map_aperture: {page: 5, pages: 2, mdl_offset: 3}
- transfer_places: {source: local, destination: aperture, source_page: 0, page: 5, pages: 2}
- transfer_places: {source: local, destination: aperture, source_page: 0, page: 0, pages: 2}
- idle
# Where page tables lie at the start of memory, what lies behind them is as good.
- create_allocation: {allocation: 2, pages: 64, place: local}
- make_resident: {allocation: 2}
- fill_memory: {allocation: 2, pattern: 0x55667788}
- transfer_places: {source: local, destination: aperture, source_page: 48, page: 5, pages: 2}
- transfer_places: {source: local, destination: aperture, source_page: 48, page: 0, pages: 2}
- idle
# Between two neighbours, with pages before and behind in the MDLs.
- map_aperture: {page: 8, pages: 2}
- map_aperture: {page: 12, pages: 2, mdl_offset: 1}
- map_aperture: {page: 10, pages: 2, mdl_offset: 2}
- transfer_places: {source: local, destination: aperture, source_page: 48, page: 8, pages: 2}
- transfer_places: {source: local, destination: aperture, source_page: 48, page: 10, pages: 2}
- transfer_places: {source: local, destination: aperture, source_page: 48, page: 12, pages: 2}
- idle
# They stay where they are when it goes.
- unmap_aperture: {page: 10}
- fill_memory: {allocation: 2, pattern: 0x66778899}
- transfer_places: {source: local, destination: aperture, source_page: 48, page: 8, pages: 2}
- transfer_places: {source: local, destination: aperture, source_page: 48, page: 12, pages: 2}
- idle
)" WDDM_MAPS_AGAIN(5, 2, 3),
    .control = R"(
about: an MDL that is used from its first frame on; then many pages, up to the end of the aperture
ops:
- create_allocation: {allocation: 0, pages: 2, place: local}
- make_resident: {allocation: 0}
- create_allocation: {allocation: 1, place: aperture}
- fill_memory: {allocation: 0, pattern: 0x11223344}
- map_aperture: {page: 5, pages: 2}
- transfer_places: {source: local, destination: aperture, source_page: 0, page: 5, pages: 2}
- idle
# Pages that are unlike, to where two maps meet; over the border of 512 entries, and to the last
# page, where that is mapped.
- create_allocation: {allocation: 2, pages: 64, place: local}
- make_resident: {allocation: 2}
- fill_memory: {allocation: 2, pattern: 0x55667788}
- cpu_write: {allocation: 2, offset: 188424, value: 0x11111111}
- cpu_write: {allocation: 2, offset: 192520, value: 0x22222222}
- cpu_write: {allocation: 2, offset: 196616, value: 0x33333333}
- cpu_write: {allocation: 2, offset: 200712, value: 0x44444444}
- cpu_write: {allocation: 2, offset: 204808, value: 0x55555555}
- cpu_write: {allocation: 2, offset: 208904, value: 0x66666666}
- map_aperture: {page: 10, pages: 2}
- map_aperture: {page: 12, pages: 3, mdl_offset: 1}
- transfer_places: {source: local, destination: aperture, source_page: 48, page: 10, pages: 5}
- idle
- map_aperture: {page: 300, pages: 600}
- transfer_places: {source: local, destination: aperture, source_page: 48, page: 510, pages: 5}
- transfer_places: {source: local, destination: aperture, source_page: 48, page: 895, pages: 5}
- idle
- unmap_aperture: {page: 5}
- unmap_aperture: {page: 10}
- unmap_aperture: {page: 12}
- unmap_aperture: {page: 300}
# As many as the built-in driver's aperture has: the last one ends it. Of a smaller one others leave
# for it, in a larger one they lie where they like.
- create_allocation: {allocation: 3, pages: 128, place: aperture}
- make_resident: {allocation: 3}
- create_allocation: {allocation: 4, pages: 64, place: aperture}
- make_resident: {allocation: 4}
- create_allocation: {allocation: 5, pages: 32, place: aperture}
- make_resident: {allocation: 5}
- create_allocation: {allocation: 6, pages: 16, place: aperture}
- make_resident: {allocation: 6}
- create_allocation: {allocation: 7, pages: 8, place: aperture}
- make_resident: {allocation: 7}
- create_allocation: {allocation: 8, pages: 4, place: aperture}
- make_resident: {allocation: 8}
- create_allocation: {allocation: 9, pages: 2, place: aperture}
- make_resident: {allocation: 9}
- create_allocation: {allocation: 10, place: aperture}
- make_resident: {allocation: 10}
- create_allocation: {allocation: 11, place: aperture}
- make_resident: {allocation: 11}
- transfer_places: {source: local, destination: aperture, from_end: true, source_page: 48, page: 0, pages: 3}
- idle
)",
    .fault = {.about = "MdlOffset is ignored",
              .interposer = [] { return std::unique_ptr<Interposer>(new IgnoresMdlOffset); },
              .also_fires = "PAGE-005"}};

WDDM_RULE(kRule);

}  // namespace
}  // namespace wddm::page_014
