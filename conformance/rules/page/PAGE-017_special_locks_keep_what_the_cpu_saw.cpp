// PAGE-017: SpecialLockTransfer keeps what the CPU saw through the swizzling range.

#include "conformance/host/interposer.h"
#include "conformance/rules/page/operation.h"
#include "reference/types.h"

namespace wddm::page_017 {
namespace {

void check(const Trace& trace, const Platform&, Judgement& judgement) {
  page::judge_memory(trace, judgement,
                     "at the alternate address what the CPU saw before, in the segment again what "
                     "stands there by now, and nothing else changed",
                     [](const page::CheckedOperation& operation) {
                       return operation.done.operation == DXGK_OPERATION_SPECIAL_LOCK_TRANSFER;
                     });
}

// A driver that tells it from a Transfer by nothing: where that has MdlOffset, here stands the
// number of the range.
class TakesItForATransfer final : public Interposer {
 public:
  NTSTATUS BuildPagingBuffer(HANDLE adapter, DXGKARG_BUILDPAGINGBUFFER* build) override {
    if (build->Operation != DXGK_OPERATION_SPECIAL_LOCK_TRANSFER) {
      return Interposer::BuildPagingBuffer(adapter, build);
    }
    const auto asked = build->SpecialLockTransfer;
    auto& transfer = build->Transfer;
    build->Operation = DXGK_OPERATION_TRANSFER;
    transfer.MdlOffset = asked.SwizzlingRangeId;
    // What an MDL has no pages for is left out: what lies behind it is anything.
    const SIZE_T left_out = asked.SwizzlingRangeId * kPageSize;
    transfer.TransferSize = left_out < asked.TransferSize ? asked.TransferSize - left_out : 0;
    const NTSTATUS status = Interposer::BuildPagingBuffer(adapter, build);
    build->Operation = DXGK_OPERATION_SPECIAL_LOCK_TRANSFER;
    build->SpecialLockTransfer = asked;
    return status;
  }
};

NotApplicable swizzling_ranges(const Platform& platform) {
  if (const NotApplicable reason = paging(platform)) return reason;
  if (platform.wddm2()) return "WDDM 2: there are no swizzling ranges any more";
  return needs(platform, DdiId::AcquireSwizzlingRange);
}

const Rule kRule{
    .id = "PAGE-017",
    .title = "Special-lock transfers use the alternate view",
    .evidence = Evidence::Memory,
    .rule =
        "When an allocation is evicted while the CPU sees it at an alternate address, "
        "SpecialLockTransfer brings to the pages behind that address every byte as it was seen "
        "through the swizzling range. When it is paged in, what stands at the alternate address "
        "by then comes into the segment. TransferOffset counts on the segment side alone, and the "
        "MDL, for which there is no MdlOffset, begins with the first page that is transferred.",
    .sources =
        "nc-d3dkmddi-dxgkddi_buildpagingbuffer.md # Special-lock transfer, and the note behind it\n"
        "ns-d3dkmddi-_dxgkarg_buildpagingbuffer.md # SpecialLockTransfer\n"
        "nc-d3dkmddi-dxgkddi_acquireswizzlingrange.md # Remarks\n"
        "ns-d3dukmdt-_d3dddicb_lockflags.md # UseAlternateVA",
    .note =
        "Only the primary is evicted so, and only with UseAlternateVA: of what else a user-mode "
        "driver would lock by an alternate address nothing tells this host. A driver without "
        "displays has no primary. Where the range shows the bytes as they stand in the segment, "
        "both ways are judged; where it does not, how the driver stores them is its own affair, "
        "and evictions are judged alone, in one part. Memory of a BAR shows the CPU what stands in "
        "it and no other order: an allocation that is Swizzled and seen so is not judged. What "
        "else than success the operation may end with is PAGE-002.",
    .applies = swizzling_ranges,
    .check = check,
    .played_in = {Configured::AlternateView},
    .scenario = R"(
about: the CPU writes to a primary before, while and after it is evicted
ops:
- create_primary: {allocation: 0, rows: 3}
- make_resident: {allocation: 0}
- fill_memory: {allocation: 0, pattern: 0x11223344}
- cpu_write: {allocation: 0, offset: 4096}
- cpu_write: {allocation: 0, offset: 8200, value: 0x66778899}
- evict_locked: {allocation: 0}
- cpu_write: {allocation: 0, offset: 4}
- make_resident: {allocation: 0}
- cpu_write: {allocation: 0, offset: 12284}
- evict_locked: {allocation: 0}
- make_resident: {allocation: 0}
# In parts, of which the last one is shorter.
- transfer_chunk: {pages: 2}
- evict_locked: {allocation: 0}
- make_resident: {allocation: 0}
- idle
)",
    .control = R"(
about: while nobody has it locked it goes by a Transfer; under a lock it may take several buffers
ops:
- create_primary: {allocation: 0, rows: 3}
- make_resident: {allocation: 0}
- fill_memory: {allocation: 0, pattern: 0x11223344}
- cpu_write: {allocation: 0, offset: 4096}
- evict: {allocation: 0}
- make_resident: {allocation: 0}
- paging_buffer: {measure: needed_minus, bytes: 4, packed: true}
- evict_locked: {allocation: 0}
- make_resident: {allocation: 0}
- idle
)",
    .fault = {.about = "it is taken for a Transfer, so that the number of the range is MdlOffset",
              .interposer = [] { return std::unique_ptr<Interposer>(new TakesItForATransfer); }}};

WDDM_RULE(kRule);

}  // namespace
}  // namespace wddm::page_017
