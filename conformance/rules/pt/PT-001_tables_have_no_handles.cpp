// PT-001: page tables are implicit allocations without driver handles.

#include "conformance/rules/pt/altered_updates.h"
#include "conformance/rules/pt/table_scenarios.h"
#include "conformance/rules/pt/table_updates.h"

namespace wddm {
namespace {

void check(const Trace& trace, const Platform&, Judgement& judgement) {
  for (const std::uint32_t index : trace.of<ev::TableUpdated>()) {
    const auto update = trace.at<ev::TableUpdated>(index);
    if (update.allocation != kNone || update.has_buffer == 0) continue;  // PT-011 judges those
    judgement.reached(index);
    if (update.status == 0) continue;
    judgement.fail(index, "STATUS_SUCCESS although hAllocation is NULL",
                   status_name(update.status) + " for " + pt::text_of(update));
  }
}

// A driver that wants to know how the allocation is tiled.
class WantsAnAllocation final : public Interposer {
 public:
  NTSTATUS BuildPagingBuffer(HANDLE adapter, DXGKARG_BUILDPAGINGBUFFER* build) override {
    const bool table_of_tables = build->Operation == DXGK_OPERATION_UPDATE_PAGE_TABLE &&
                                 build->UpdatePageTable.hAllocation == nullptr &&
                                 build->pDmaBuffer != nullptr;
    return table_of_tables ? STATUS_INVALID_PARAMETER
                           : Interposer::BuildPagingBuffer(adapter, build);
  }
};

const Rule kRule{
    .id = "PT-001",
    .title = "Page tables are implicit allocations without driver handles",
    .evidence = Evidence::Boundary,
    .rule =
        "Page tables are never handed to DxgkDdiCreateAllocation or DxgkDdiOpenAllocation. "
        "UpdatePageTable with hAllocation NULL is carried out like any other: what is "
        "mapped then is linear memory.",
    .sources =
        "gpu-virtual-address.md # Creation of page table allocations\n"
        "ns-d3dkmddi-_dxgk_buildpagingbuffer_updatepagetable.md # hAllocation",
    .applies = page_tables,
    .check = check,
    .played_in = {Configured::GpuVirtual, Configured::FourLevels},
    .scenario = pt::kPagesComeAndGo,
    .control = pt::kSystemProcessAlone,
    .fault = {.about = "updates without an allocation are refused",
              .interposer = [] { return std::unique_ptr<Interposer>(new WantsAnAllocation); },
              .also_fires = "PAGE-002 PT-013"}};

WDDM_RULE(kRule);

}  // namespace
}  // namespace wddm
