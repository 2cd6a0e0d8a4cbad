// PAGE-005: a Transfer copies exactly the requested bytes, in every direction.

#include "conformance/host/interposer.h"
#include "conformance/rules/differing_memory.h"
#include "conformance/rules/page/operation.h"
#include "conformance/rules/scratch.h"

namespace wddm::page_005 {
namespace {

// Comparisons behind a Transfer with Swizzle or Unswizzle.
ScratchSet<std::uint32_t> behind_conversions(const Trace& trace) {
  ScratchSet<std::uint32_t> events;
  const page::CheckedOperations& checked = trace.ledger<page::CheckedOperations>();
  for (const page::CheckedOperations::Found& found : checked.found()) {
    if (page::converts(checked.of(found))) events.insert(found.event);
  }
  return events;
}

void check(const Trace& trace, const Platform&, Judgement& judgement) {
  const ScratchSet<std::uint32_t> converted = behind_conversions(trace);
  for (const std::uint32_t index : trace.of<ev::MemoryChecked>()) {
    const auto checked = trace.at<ev::MemoryChecked>(index);
    if (checked.cause == static_cast<std::uint32_t>(MemoryCause::Paging) &&
        checked.operation == DXGK_OPERATION_TRANSFER && !converted.contains(index)) {
      judgement.reached(index);
    }
  }
  for (const std::uint32_t index : trace.of<ev::MemoryDiffers>()) {
    const auto differs = trace.at<ev::MemoryDiffers>(index);
    if (differs.cause != static_cast<std::uint32_t>(MemoryCause::Paging) ||
        differs.operation != DXGK_OPERATION_TRANSFER) {
      continue;
    }
    if (differs.inside != 0 && converted.contains(index)) continue;  // PAGE-010
    judgement.fail(index,
                   differs.inside != 0 ? "the destination holds the bytes of the source"
                                       : "no byte outside of the destination changes",
                   difference_text(differs));
  }
}

// A driver that rounds TransferSize up to the next page but one.
class RoundsUp final : public Interposer {
 public:
  NTSTATUS BuildPagingBuffer(HANDLE adapter, DXGKARG_BUILDPAGINGBUFFER* build) override {
    const bool to_segment = build->Operation == DXGK_OPERATION_TRANSFER &&
                            build->Transfer.Destination.SegmentId != 0 &&
                            build->Transfer.Source.SegmentId != 0;
    if (to_segment) build->Transfer.TransferSize += 4096;
    const NTSTATUS status = Interposer::BuildPagingBuffer(adapter, build);
    if (to_segment) build->Transfer.TransferSize -= 4096;
    return status;
  }
};

const Rule kRule{
    .id = "PAGE-005",
    .aliases = "PAGE-009",
    .title = "Transfer copies exactly the requested bytes in every direction",
    .evidence = Evidence::Memory,
    .rule =
        "After a Transfer has executed, TransferSize bytes of the destination equal those of "
        "the source and no other byte of any segment or system page has changed: between "
        "segments, within one, from a segment to an MDL and back.",
    .sources =
        "nc-d3dkmddi-dxgkddi_buildpagingbuffer.md # Transfer\n"
        "ns-d3dkmddi-_dxgkarg_buildpagingbuffer.md # Transfer",
    .note =
        "A driver whose segments are all apertures is asked for no Transfer from or to an MDL: "
        "what lies there has its content in system memory. Judged are those within apertures.",
    .applies = page::by_segments,
    .check = check,
    .scenario = R"(
about: a page in each direction, out of an aperture and within one too, beside pages with patterns of their own
ops:
- create_allocation: {allocation: 0, place: local}
- create_allocation: {allocation: 1, pages: 2, place: local}
- create_allocation: {allocation: 2, place: local}
- make_resident: {allocation: 0}
- make_resident: {allocation: 1}
- make_resident: {allocation: 2}
- fill_memory: {allocation: 0, pattern: 0x11223344}
- fill_memory: {allocation: 1, pattern: 0x55667788}
- fill_memory: {allocation: 2, pattern: 0x99aabbcc}
- transfer_places: {source: local, destination: local, source_page: 0, page: 2, pages: 1}
- map_aperture: {page: 5, pages: 2}
- transfer_places: {source: local, destination: aperture, source_page: 0, page: 5, pages: 2}
- transfer_places: {source: aperture, destination: local, source_page: 6, page: 3, pages: 1}
- map_aperture: {page: 9, pages: 2}
- transfer_places: {source: aperture, destination: aperture, source_page: 5, page: 9, pages: 2}
- evict: {allocation: 0}
- make_resident: {allocation: 0}
- idle
# To the last page of the segment, and out of it: what is said to be there is.
- move: {allocation: 0, highest: true}
- fill_memory: {allocation: 0, pattern: 0x13579bdf}
- evict: {allocation: 0}
- make_resident: {allocation: 0}
- move: {allocation: 1, highest: true, direct: true}
- evict: {allocation: 1}
- make_resident: {allocation: 1}
- idle
- create_allocation: {allocation: 3, place: aperture}
- make_resident: {allocation: 3}
- move: {allocation: 3, highest: true}
- create_context: {context: 0}
- render: {context: 0}
- bind: {slot: 0, allocation: 3}
- fill: {slot: 0, value: 0x2468ace0}
- idle
)",
    .control = R"(
about: a Fill is no Transfer
ops:
- create_allocation: {allocation: 0, place: local}
- make_resident: {allocation: 0}
- fill_memory: {allocation: 0, pattern: 0x11223344}
- idle
)",
    .fault = {.about = "a transfer between segments is one page longer than asked",
              .interposer = [] { return std::unique_ptr<Interposer>(new RoundsUp); },
              .also_fires = "SUBMIT-017"}};

WDDM_RULE(kRule);

}  // namespace
}  // namespace wddm::page_005
