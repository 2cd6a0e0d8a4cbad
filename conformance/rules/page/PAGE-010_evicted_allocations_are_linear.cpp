// PAGE-010: what the CPU may access and is not Swizzled, is linear in system memory.

#include <utility>

#include "conformance/host/interposer.h"
#include "conformance/rules/page/operation.h"
#include "conformance/rules/scratch.h"

namespace wddm {
namespace {

constexpr std::uint32_t kCpuVisible = 1u << 0, kSwizzled = 1u << 7;  // DXGK_ALLOCATIONINFOFLAGS

// From where the CPU sees it to the pages behind it.
bool leaves_what_the_cpu_sees(const page::CheckedOperation& operation, const Platform& platform) {
  const std::uint32_t from = operation.arguments.source_segment;
  if (operation.done.operation != DXGK_OPERATION_TRANSFER) return false;
  if (operation.arguments.destination_segment != 0 || from == 0) return false;
  if (from > platform.segments.size()) return false;
  const SegmentFlags flags = platform.segments[from - 1].flags;
  return flags.cpu_visible() && !flags.aperture();
}

void check(const Trace& trace, const Platform& platform, Judgement& judgement) {
  ScratchMap<std::uint32_t, std::uint32_t> flags;  // by allocation, as it was created last
  std::uint32_t known = 0;                         // of<AllocationCreated>() up to here
  const std::span<const std::uint32_t> all = trace.of<ev::AllocationCreated>();
  const page::CheckedOperations& checked = trace.ledger<page::CheckedOperations>();
  for (const page::CheckedOperations::Found& found : checked.found()) {
    const page::CheckedOperation& operation = checked.of(found);
    for (; known < all.size() && all[known] <= operation.built; ++known) {
      const auto created = trace.at<ev::AllocationCreated>(all[known]);
      flags[created.allocation] = created.flags;
    }
    if (!leaves_what_the_cpu_sees(operation, platform)) continue;
    const auto of = flags.find(operation.done.allocation);
    if (of == flags.end() || (of->second & (kCpuVisible | kSwizzled)) != kCpuVisible) continue;
    const Event& event = trace.events()[found.event];
    if (event.kind == EventKind::MemoryChecked) {
      judgement.reached(found.event);
      continue;
    }
    const auto differs = Trace::as<ev::MemoryDiffers>(event);
    if (differs.inside == 0) continue;  // PAGE-005
    judgement.fail(found.event, "in system memory each byte where the CPU saw it in the segment",
                   std::to_string(differs.length) + " bytes differ from offset " +
                       std::to_string(differs.offset) + " on",
                   {operation.built});
  }
}

// A driver that keeps allocations in an order of its own in system memory: the first two pages
// change places on the way out and on the way back.
class TurnsPagesRound final : public Interposer {
 public:
  NTSTATUS BuildPagingBuffer(HANDLE adapter, DXGKARG_BUILDPAGINGBUFFER* build) override {
    const auto& transfer = build->Transfer;
    const bool asked = build->Operation == DXGK_OPERATION_TRANSFER;
    if (!asked || transfer.hAllocation == nullptr || transfer.TransferSize < 2 * kPageSize) {
      return Interposer::BuildPagingBuffer(adapter, build);
    }
    MDL* mdl = transfer.Source.SegmentId == 0 ? transfer.Source.pMdl : nullptr;
    if (transfer.Destination.SegmentId == 0) mdl = transfer.Destination.pMdl;
    if (mdl == nullptr) return Interposer::BuildPagingBuffer(adapter, build);
    const auto turn = [first = MmGetMdlPfnArray(mdl) + transfer.MdlOffset] {
      std::swap(first[0], first[1]);
    };
    turn();
    const NTSTATUS status = Interposer::BuildPagingBuffer(adapter, build);
    turn();
    return status;
  }
};

NotApplicable without_wddm_2(const Platform& platform) {
  if (const NotApplicable reason = paging(platform)) return reason;
  return platform.wddm2() ? "WDDM 2: no allocation is Swizzled any more" : nullptr;
}

const Rule kRule{
    .id = "PAGE-010",
    .title = "Evicted allocations are linear where the CPU may look",
    .evidence = Evidence::Memory,
    .rule =
        "An allocation that the CPU may access and that is not Swizzled is always stored linearly "
        "in system memory: evicted from a memory segment that the CPU sees, each byte stands "
        "where the CPU saw it there.",
    .sources =
        "locking-swizzled-allocations.md # introduction\n"
        "mapping-virtual-addresses-to-a-memory-segment.md\n"
        "nc-d3dkmddi-dxgkddi_buildpagingbuffer.md # the note behind Special-lock transfer",
    .note =
        "The CPU sees a segment as its memory BAR shows it; a driver that shows it otherwise, by a "
        "swizzling range, is judged by PAGE-017. This host asks for neither Swizzle nor Unswizzle: "
        "both are of allocations that are Swizzled. What changes elsewhere is PAGE-005.",
    .applies = without_wddm_2,
    .check = check,
    .played_in = {Configured::Default},
    .scenario = R"(
about: the CPU writes to each page in turn, and the allocation is evicted and comes back
ops:
- create_allocation: {allocation: 0, pages: 2, place: local, cpu_visible: true}
- make_resident: {allocation: 0}
- fill_memory: {allocation: 0, pattern: 0x11223344}
- cpu_write: {allocation: 0, offset: 8}
- cpu_write: {allocation: 0, offset: 4104, value: 0x66778899}
- evict: {allocation: 0}
- make_resident: {allocation: 0}
- cpu_write: {allocation: 0, offset: 8188}
- evict: {allocation: 0}
- idle
)",
    .control = R"(
about: only a transfer from one place of the segment to another
ops:
- create_allocation: {allocation: 0, pages: 2, place: local, cpu_visible: true}
- make_resident: {allocation: 0}
- cpu_write: {allocation: 0, offset: 8}
- transfer_places: {source: local, destination: local, source_page: 0, page: 4, pages: 2}
- idle
)",
    .fault = {.about = "the first two pages change places in system memory",
              .interposer = [] { return std::unique_ptr<Interposer>(new TurnsPagesRound); },
              .also_fires = "PAGE-005 PAGE-007"}};

WDDM_RULE(kRule);

}  // namespace
}  // namespace wddm
