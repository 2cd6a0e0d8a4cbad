// LDA-005: an update changes the table of the GPU in whose context it is executed, and no other.

#include "conformance/rules/lda/link.h"
#include "conformance/rules/lda/link_scenarios.h"
#include "conformance/rules/pt/table_updates.h"

namespace wddm::lda_005 {
namespace {

void judge(std::uint32_t index, const ev::TableUpdated& update, std::uint32_t elsewhere,
           std::initializer_list<std::uint32_t> because, Judgement& judgement) {
  judgement.reached(index);
  if (elsewhere == 0) return;
  judgement.fail(index,
                 "the table of GPU " + std::to_string(update.physical_adapter) +
                     " alone to change: " + pt::text_of(update),
                 std::to_string(elsewhere) + " bytes changed of the same table on other GPUs",
                 because);
}

void check(const Trace& trace, const Platform&, Judgement& judgement) {
  for (const std::uint32_t index : trace.of<ev::TableUpdated>()) {
    const auto update = trace.at<ev::TableUpdated>(index);
    judge(index, update, update.elsewhere, {}, judgement);
  }
  pt::for_each_carried_out(trace, [&](const pt::CarriedOut& one) {
    judge(one.event, one.update, one.compared.elsewhere, {one.built}, judgement);
  });
}

const Rule kRule{
    .id = "LDA-005",
    .title = "Page tables are updated on each GPU of a link for itself",
    .evidence = Evidence::Memory,
    .rule =
        "An UpdatePageTable that is executed in the system context of one GPU changes the table of "
        "that GPU. The instances of the table on other GPUs of the link stay as they are: they "
        "have updates of their own.",
    .sources =
        "gpu-virtual-address.md # Creation of page table allocations\n"
        "nc-d3dumddi-pfnd3dddi_mapgpuvirtualaddresscb.md # remarks\n"
        "linked-display-adapter.md",
    .note =
        "Looked at are instances of page tables that the CPU sees. That a FlushTlb reaches the TLB "
        "of one GPU only is not: flushing more is allowed.",
    .applies = lda::linked_page_tables,
    .check = check,
    .played_in = {Configured::Linked, Configured::LinkedVirtualUpdates},
    .scenario = lda::kBothReadOneAddress,
    .control = lda::kLinkAlone,
    .fault = {.about = "updates of a GPU are copied to the tables of the other",
              .seat = FaultSeat::Variant,
              .variant = 12,
              .also_fires = "SUBMIT-015 VPAGE-001"}};

WDDM_RULE(kRule);

}  // namespace
}  // namespace wddm::lda_005
