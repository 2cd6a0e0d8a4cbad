// PGSZ-011: the flags of a TransferVirtual say which pages its ranges are mapped with.

#include "conformance/rules/pgsz/transfer_page_sizes.h"
#include "conformance/rules/rule.h"

namespace wddm::pgsz_011 {
namespace {

// A range whose pages are not all alike has no flag that would be right.
void judge(std::uint32_t index, const char* side, std::uint32_t page, bool said,
           Judgement& judgement) {
  if (page == 0) return;
  judgement.reached(index);
  if (said == (page == pgsz::kLargePage)) return;
  judgement.fail(
      index,
      std::string(side) + (said ? " mapped with pages of 64 KB, as its flag says"
                                : " with its flag for pages of 64 KB"),
      "pages of " + std::to_string(page) + " bytes and the flag " + (said ? "set" : "clear"));
}

void check(const Trace& trace, const Platform&, Judgement& judgement) {
  for (const std::uint32_t index : trace.of<ev::TransferBuilt>()) {
    const auto built = trace.at<ev::TransferBuilt>(index);
    judge(index, "a source", built.source_page, (built.flags & pgsz::kSrc64KBPages) != 0,
          judgement);
    judge(index, "a destination", built.destination_page, (built.flags & pgsz::kDst64KBPages) != 0,
          judgement);
    constexpr std::uint32_t kKnown = pgsz::kSrc64KBPages | pgsz::kDst64KBPages;
    if ((built.flags & ~kKnown) == 0) continue;
    judgement.fail(index, "Reserved of the flags is zero", std::to_string(built.flags));
  }
}

const Rule kRule{
    .id = "PGSZ-011",
    .title = "A TransferVirtual says which pages map its ranges",
    .binds = Binds::Os,
    .evidence = Evidence::Boundary,
    .rule =
        "Src64KBPages and Dst64KBPages of a TransferVirtual are set where its source and its "
        "destination are mapped with pages of 64 KB in the paging process, and clear where they "
        "are mapped with pages of 4 KB. All other bits are zero.",
    .sources =
        "ns-d3dkmddi-_dxgk_transfervirtualflags.md\n"
        "ns-d3dkmddi-_dxgk_buildpagingbuffer_transfervirtual.md # Flags",
    .note =
        "No page says when Windows maps its windows with such pages. Here it does so for what lies "
        "in whole pages of 64 KB of a segment with Use64KBPages, part by part. FillVirtual has no "
        "such flags, so its windows have pages of 4 KB.",
    .applies = pgsz::transfers_in_64kb_pages,
    .check = check,
    .played_in = {Configured::Pages64K, Configured::Pairs},
    .scenario = pgsz::kMovedInLargePages,
    .control = pgsz::kMovedInSmallPages,
    .fault = {.about = "windows of 64 KB pages are passed over in silence",
              .seat = FaultSeat::Oracle,
              .oracle = OracleFault::PageSizesUntold,
              .also_fires = "MMU-019"}};

WDDM_RULE(kRule);

}  // namespace
}  // namespace wddm::pgsz_011
