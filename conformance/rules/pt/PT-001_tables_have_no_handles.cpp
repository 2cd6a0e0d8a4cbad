// PT-001: page tables are implicit allocations without driver handles.

#include "conformance/rules/pt/altered_updates.h"
#include "conformance/rules/pt/table_scenarios.h"
#include "conformance/rules/pt/table_updates.h"

namespace wddm::pt_001 {
namespace {

// Too little space, and an allocation that is busy, are answers that need no handle (PT-013).
bool may_be_answered(std::uint32_t status) {
  const auto answer = static_cast<NTSTATUS>(status);
  return answer == STATUS_SUCCESS || answer == STATUS_GRAPHICS_INSUFFICIENT_DMA_BUFFER ||
         answer == STATUS_GRAPHICS_ALLOCATION_BUSY;
}

void check(const Trace& trace, const Platform&, Judgement& judgement) {
  for (const std::uint32_t index : trace.of<ev::TableUpdated>()) {
    const auto update = trace.at<ev::TableUpdated>(index);
    if (update.allocation != kNone || update.has_buffer == 0) continue;  // PT-011 judges those
    if (update.status == 0) judgement.reached(index);
    if (may_be_answered(update.status)) continue;
    judgement.reached(index);
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
    .note =
        "That no handle is asked for is judged here, by what is answered; what such updates write "
        "is judged by their flags and entries (PT-004, PTE-001). The first half binds Windows.",
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
}  // namespace wddm::pt_001
