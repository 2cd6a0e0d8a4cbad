// APER-006: a change of the CPU host aperture reaches the pages that it lists, and no others.

#include <vector>

#include "conformance/host/interposer.h"
#include "conformance/rules/aper/aperture_segments.h"

namespace wddm::aper_006 {
namespace {

const char* expected(ApertureChange change) {
  switch (change) {
    case ApertureChange::Unmapped:
      return "pages that UnmapCpuHostAperture does not list show what they showed before";
    case ApertureChange::MappedAnew:
      return "a page that is mapped to another page of the segment shows that one, and what is "
             "written there arrives nowhere else";
    case ApertureChange::OtherGpu:
      return "the aperture of a GPU is as it was when one of another GPU has changed";
  }
  return "the CPU host aperture shows what was mapped";
}

// That the calls succeed at all is PT-021.
void check(const Trace& trace, const Platform&, Judgement& judgement) {
  for (const std::uint32_t index : trace.of<ev::HostApertureChanged>()) {
    const auto changed = trace.at<ev::HostApertureChanged>(index);
    if (changed.compared == 0) continue;
    judgement.reached(index);
    if (changed.wrong == 0) continue;
    judgement.fail(index, expected(static_cast<ApertureChange>(changed.change)),
                   std::to_string(changed.wrong) + " of " + std::to_string(changed.compared) +
                       " bytes are others, first at aperture page " +
                       std::to_string(changed.first_wrong) + " of segment " +
                       std::to_string(changed.segment) + " of GPU " +
                       std::to_string(changed.physical_adapter));
  }
}

// A driver that clears all of the aperture's page table.
class UnmapsAll final : public Interposer {
 public:
  NTSTATUS MapCpuHostAperture(HANDLE adapter, const DXGKARG_MAPCPUHOSTAPERTURE* map) override {
    for (UINT64 i = 0; i < map->NumberOfPages; ++i)
      mapped_.push_back(map->pCpuHostAperturePages[i]);
    return Interposer::MapCpuHostAperture(adapter, map);
  }
  NTSTATUS UnmapCpuHostAperture(HANDLE adapter,
                                const DXGKARG_UNMAPCPUHOSTAPERTURE* unmap) override {
    DXGKARG_UNMAPCPUHOSTAPERTURE all = *unmap;
    all.NumberOfPages = mapped_.size();
    all.pCpuHostAperturePages = mapped_.data();
    const NTSTATUS status = Interposer::UnmapCpuHostAperture(adapter, &all);
    mapped_.clear();
    return status;
  }

 private:
  std::vector<UINT32> mapped_;
};

const Rule kRule{
    .id = "APER-006",
    .title = "Mapping and unmapping a CPU host aperture reaches the listed pages only",
    .evidence = Evidence::Memory,
    .rule =
        "UnmapCpuHostAperture takes away the pages that it lists, of the segment and the GPU that "
        "it names; all others go on showing what they showed. A page that is mapped again shows "
        "its new page of the segment alone.",
    .sources =
        "ns-d3dkmddi-_dxgkarg_unmapcpuhostaperture.md\n"
        "ns-d3dkmddi-_dxgkarg_mapcpuhostaperture.md\n"
        "cpu-host-aperature.md",
    .note =
        "What an unmapped page shows no document says: it is not looked at. Judged where mapping "
        "works (PT-021), of segments of at least four pages.",
    .applies = aper::changing_host_aperture,
    .check = check,
    .played_in = {Configured::Services, Configured::HostAperture64K,
                  Configured::LinkedHostAperture},
    .scenario = R"(
about: the adapter starts, twice
ops:
- start
- stop
- start
)",
    .control = R"(
about: the same, with work afterwards
ops:
- create_context: {context: 1}
- create_allocation: {allocation: 1, place: local}
- render: {context: 1}
- bind: {slot: 1, allocation: 1}
- fill: {slot: 1, offset: 0, size: 4096, value: 0x11111111}
- idle
)",
    .fault = {.about = "UnmapCpuHostAperture takes all pages away",
              .interposer = [] { return std::unique_ptr<Interposer>(new UnmapsAll); }}};

WDDM_RULE(kRule);

}  // namespace
}  // namespace wddm::aper_006
