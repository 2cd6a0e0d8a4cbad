// PGSZ-012: a TransferVirtual copies the right bytes where its ranges are mapped with 64 KB pages.

#include <d3dkmddi.h>

#include <algorithm>

#include "conformance/rules/page/operation.h"
#include "conformance/rules/pgsz/transfer_page_sizes.h"

namespace wddm::pgsz_012 {
namespace {

// The TransferBuilt of a call of BuildPagingBuffer: the next one behind it, of the same ranges.
// kNone: of another kind of transfer.
std::uint32_t transfer_of(const Trace& trace, const page::CheckedOperation& operation) {
  if (operation.done.operation != DXGK_OPERATION_VIRTUAL_TRANSFER) return kNone;
  const std::span<const std::uint32_t> all = trace.of<ev::TransferBuilt>();
  const auto found = std::upper_bound(all.begin(), all.end(), operation.built);
  if (found == all.end()) return kNone;
  const auto built = trace.at<ev::TransferBuilt>(*found);
  const bool same = built.source == operation.arguments.source_address &&
                    built.destination == operation.arguments.destination_address;
  return same ? *found : kNone;
}

// What the host says of the pages, and does not get wrong (PGSZ-011).
bool names_large_pages(const ev::TransferBuilt& built) {
  const bool source = (built.flags & pgsz::kSrc64KBPages) != 0;
  const bool destination = (built.flags & pgsz::kDst64KBPages) != 0;
  return (source || destination) && source == (built.source_page == pgsz::kLargePage) &&
         destination == (built.destination_page == pgsz::kLargePage);
}

bool is_in(std::uint64_t address, std::uint64_t first, std::uint64_t bytes) {
  return address - first < bytes;
}

// A packet that faults is compared with nothing. What leads to a leaf of 64 KB pages is written
// when the paging process starts: an access that ends above it has looked for another leaf.
void judge_faults(const Trace& trace, Judgement& judgement) {
  std::uint32_t built = kNone, running = kNone;  // the latest, now and at submission
  std::uint32_t packet = kNone;
  for (const std::uint32_t index :
       trace.of_any<ev::TransferBuilt, ev::Submitted, ev::AccessFaulted>()) {
    const EventKind kind = trace.events()[index].kind;
    if (kind == EventKind::TransferBuilt) {
      built = index;
    } else if (kind == EventKind::Submitted) {
      const auto submitted = trace.at<ev::Submitted>(index);
      running = submitted.paging != 0 ? built : kNone;
      packet = submitted.packet;
    } else if (running != kNone) {
      const auto fault = trace.at<ev::AccessFaulted>(index);
      const auto transfer = trace.at<ev::TransferBuilt>(running);
      if (fault.packet != packet || fault.level == 0 || !names_large_pages(transfer)) continue;
      const bool source = is_in(fault.address, transfer.source, transfer.size);
      const bool destination = is_in(fault.address, transfer.destination, transfer.size);
      if (!source && !destination) continue;
      judgement.fail(index, "accesses through the leaf tables that the flags of the transfer name",
                     std::string("no way to a page of the ") + (source ? "source" : "destination"),
                     {running});
    }
  }
}

void check(const Trace& trace, const Platform&, Judgement& judgement) {
  if (trace.of<ev::TransferBuilt>().empty()) return;
  judge_faults(trace, judgement);
  page::judge_memory(
      trace, judgement,
      "the same bytes behind each other in the destination as in the source, "
      "whatever the size of their pages",
      [&](const page::CheckedOperation& operation) {
        const std::uint32_t transfer = transfer_of(trace, operation);
        return !operation.disturbed && transfer != kNone &&
               names_large_pages(trace.at<ev::TransferBuilt>(transfer));
      },
      page::Differences::Inside);
}

const Rule kRule{
    .id = "PGSZ-012",
    .title = "A TransferVirtual works where its ranges are mapped with 64 KB pages",
    .evidence = Evidence::Memory,
    .rule =
        "A TransferVirtual with Src64KBPages or Dst64KBPages copies exactly its range too: its "
        "source, its destination or both are found through leaf tables of 64 KB pages.",
    .sources =
        "ns-d3dkmddi-_dxgk_transfervirtualflags.md\n"
        "ns-d3dkmddi-_dxgk_buildpagingbuffer_transfervirtual.md # Flags\n"
        "support-for-64kb-pages.md",
    .note =
        "What the hardware needs the flags for is its own affair: a driver whose engine learns "
        "from the tables how large a page is may pass over them. A range that was mapped with "
        "other pages than the flags say is not judged, nor is what changes outside of the "
        "destination, which is the matter of VPAGE-002.",
    .applies = pgsz::transfers_in_64kb_pages,
    .check = check,
    .played_in = {Configured::Pages64K, Configured::Pairs},
    .scenario = pgsz::kMovedInLargePages,
    .control = pgsz::kMovedInSmallPages,
    .fault = {.about = "all pages of the paging process are taken for pages of 4 KB",
              .seat = FaultSeat::Variant,
              .variant = 20,
              .also_fires = "MMU-019"}};

WDDM_RULE(kRule);

}  // namespace
}  // namespace wddm::pgsz_012
