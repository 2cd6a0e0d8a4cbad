// PT-011: updates by the CPU are immediate, and need no buffer.

#include "conformance/rules/pt/altered_updates.h"
#include "conformance/rules/pt/table_scenarios.h"
#include "conformance/rules/pt/table_updates.h"

namespace wddm::pt_011 {
namespace {

void check(const Trace& trace, const Platform& platform, Judgement& judgement) {
  for (const std::uint32_t index : trace.of<ev::TableUpdated>()) {
    const auto update = trace.at<ev::TableUpdated>(index);
    if (update.mode != update_mode::kCpuVirtual || update.has_buffer != 0) continue;
    judgement.reached(index);
    if (update.status == 0) continue;
    judgement.fail(index, "STATUS_SUCCESS for an update by the CPU, with pDmaBuffer NULL",
                   status_name(update.status) + " for " + pt::text_of(update));
  }
  // Where the driver declares another mode, PT-010 says what becomes of the first updates; those
  // that make entries invalid are judged by PTE-002.
  pt::judge_entries(
      trace, judgement,
      [&](const pt::CarriedOut& one) {
        return platform.update_mode == update_mode::kCpuVirtual &&
               pt::writes(trace, one, pt::is_valid);
      },
      [](const pt::CarriedOut& one, const EntryDifference&) { return one.never_came(); });
}

// A driver that looks for room first.
class WantsRoom final : public Interposer {
 public:
  NTSTATUS BuildPagingBuffer(HANDLE adapter, DXGKARG_BUILDPAGINGBUFFER* build) override {
    return build->pDmaBuffer == nullptr ? STATUS_GRAPHICS_INSUFFICIENT_DMA_BUFFER
                                        : Interposer::BuildPagingBuffer(adapter, build);
  }
};

const Rule kRule{
    .id = "PT-011",
    .title = "Updates by the CPU are immediate, and need no buffer",
    .evidence = Evidence::Memory,
    .rule =
        "An update in the mode CPU_VIRTUAL is in the table when DxgkDdiBuildPagingBuffer "
        "returns STATUS_SUCCESS. Where pDmaBuffer is NULL the driver touches neither it nor "
        "the private data, and never asks for more room.",
    .sources =
        "ns-d3dkmddi-_dxgk_buildpagingbuffer_updatepagetable.md # UpdateMode\n"
        "system-paging-process.md\n"
        "tile-resources.md # CPU_VIRTUAL page table update mode",
    .applies = page_tables,
    .check = check,
    .played_in = {Configured::GpuVirtual, Configured::FourLevels},
    .scenario = pt::kPagesComeAndGo,
    .control = pt::kSystemProcessAlone,
    .fault = {.about = "more room is asked for where there is no buffer",
              .interposer = [] { return std::unique_ptr<Interposer>(new WantsRoom); }}};

WDDM_RULE(kRule);

}  // namespace
}  // namespace wddm::pt_011
