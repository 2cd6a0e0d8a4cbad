// VPAGE-005: a TLB flush takes effect behind the update before it and ahead of what follows.

#include <optional>

#include "conformance/host/interposer.h"
#include "conformance/rules/page/behind_the_range.h"
#include "conformance/rules/page/operation.h"
#include "conformance/rules/scratch.h"

namespace wddm::vpage_005 {
namespace {

bool is_virtual(std::uint32_t operation) {
  return operation == DXGK_OPERATION_VIRTUAL_TRANSFER || operation == DXGK_OPERATION_VIRTUAL_FILL;
}

// Which calls of BuildPagingBuffer use an address that an earlier one has used, with a flush in
// between: what they reach is right only if that flush has come at its time. Lives within one
// check.
class UsedAgain {
 public:
  explicit UsedAgain(const Trace& trace) {
    for (const std::uint32_t index : trace.of<ev::PagingBuilt>()) {
      const Event& event = trace.events()[index];
      const auto call = Trace::as<ev::PagingBuilt>(event);
      if (call.operation == DXGK_OPERATION_FLUSH_TLB) {
        for (auto& [address, flushed] : flushed_since_) flushed = true;
      }
      const auto arguments = trace.blob<PagingArguments>(event);
      if (!is_virtual(call.operation) || arguments.empty()) continue;
      use(index, arguments.front().source_address);
      use(index, arguments.front().destination_address);
    }
  }
  [[nodiscard]] bool has(std::uint32_t call) const { return calls_.contains(call); }

 private:
  void use(std::uint32_t call, std::uint64_t address) {
    if (address == 0) return;  // a fill has no source
    const auto [used, is_new] = flushed_since_.emplace(address, false);
    if (!is_new && used->second) calls_.insert(call);
    used->second = false;
  }
  ScratchMap<std::uint64_t, bool> flushed_since_;  // by an address that was used
  ScratchSet<std::uint32_t> calls_;
};

void check(const Trace& trace, const Platform&, Judgement& judgement) {
  const UsedAgain used_again(trace);
  const page::CheckedOperations& checked = trace.ledger<page::CheckedOperations>();
  // Operations that went wrong without an old entry for their addresses: no flush mends them.
  ScratchSet<std::uint32_t> wrong_anyway;
  for (const page::CheckedOperations::Found& found : checked.found()) {
    const page::CheckedOperation& operation = checked.of(found);
    const std::uint32_t kind = operation.done.operation;
    if (!is_virtual(kind) || operation.disturbed) continue;
    const bool differs = trace.events()[found.event].kind == EventKind::MemoryDiffers;
    if (differs &&
        page::begins_behind_the_range(operation, trace.at<ev::MemoryDiffers>(found.event))) {
      continue;
    }
    if (differs && !used_again.has(operation.built)) wrong_anyway.insert(kind);
    if (!used_again.has(operation.built) || wrong_anyway.contains(kind)) continue;
    page::judge_found(trace, found, operation, judgement,
                      "what comes behind a flush uses the entries before it");
  }
}

// A driver that remembers one flush, and does it behind the next operation on virtual addresses.
class FlushesLate final : public Interposer {
 public:
  NTSTATUS BuildPagingBuffer(HANDLE adapter, DXGKARG_BUILDPAGINGBUFFER* build) override {
    if (build->Operation == DXGK_OPERATION_FLUSH_TLB) {
      late_ = build->FlushTlb;
      return STATUS_SUCCESS;
    }
    const UINT room = build->DmaSize;
    const auto* const start = static_cast<const BYTE*>(build->pDmaBuffer);
    const NTSTATUS status = Interposer::BuildPagingBuffer(adapter, build);
    if (!late_ || !is_virtual(build->Operation) || status != STATUS_SUCCESS) return status;
    DXGKARG_BUILDPAGINGBUFFER flush = *build;
    flush.Operation = DXGK_OPERATION_FLUSH_TLB;
    flush.FlushTlb = *late_;
    flush.MultipassOffset = 0;
    flush.DmaSize = room - static_cast<UINT>(static_cast<const BYTE*>(flush.pDmaBuffer) - start);
    static_cast<void>(Interposer::BuildPagingBuffer(adapter, &flush));
    build->pDmaBuffer = flush.pDmaBuffer;
    build->pDmaBufferPrivateData = flush.pDmaBufferPrivateData;
    late_.reset();
    return status;
  }

 private:
  std::optional<DXGK_BUILDPAGINGBUFFER_FLUSHTLB> late_;
};

const Rule kRule{
    .id = "VPAGE-005",
    .title = "Flushes keep their place in the paging buffer",
    .evidence = Evidence::Memory,
    .rule =
        "A FlushTlb between an update of page tables and a later operation takes effect when the "
        "update is in memory and before the later operation translates an address: neither while "
        "it is built nor at the end of what is queued.",
    .sources =
        "ns-d3dkmddi-_dxgk_buildpagingbuffer_flushtlb.md\n"
        "gpu-virtual-address.md\n"
        "examples.md # Moving memory",
    .note =
        "Judged by what memory holds where an address is used again after a flush, unless an "
        "operation of the same kind went wrong before by addresses that were new. Where entries "
        "are not written by the CPU, all parts of a transfer are queued one behind the other: a "
        "buffer holds several updates of one entry, each with its flushes and its operation.",
    .applies = page_tables,
    .check = check,
    .played_in = {Configured::GpuVirtual, Configured::FourLevels, Configured::GpuVirtualUpdates},
    .scenario = R"(
about: many allocations through the same addresses of the paging process, each with its contents
ops:
- create_allocation: {allocation: 0, pages: 100, place: local}
- create_allocation: {allocation: 1, pages: 2, place: local}
- cpu_write: {allocation: 0, offset: 0, value: 0x01010101}
- cpu_write: {allocation: 0, offset: 262144, value: 0x02020202}
- cpu_write: {allocation: 0, offset: 393216, value: 0x03030303}
- cpu_write: {allocation: 1, offset: 0, value: 0x04040404}
- cpu_write: {allocation: 1, offset: 4096, value: 0x05050505}
- make_resident: {allocation: 0}
- make_resident: {allocation: 1}
- evict: {allocation: 0}
- evict: {allocation: 1}
- idle
# Page by page: each goes to where the windows led just then.
- queue_depth: {packets: 8}
- transfer_chunk: {pages: 1}
- create_allocation: {allocation: 2, pages: 8, place: local}
- cpu_write: {allocation: 2, offset: 0, value: 0x11111111}
- cpu_write: {allocation: 2, offset: 4096, value: 0x22222222}
- cpu_write: {allocation: 2, offset: 8192, value: 0x33333333}
- cpu_write: {allocation: 2, offset: 12288, value: 0x44444444}
- cpu_write: {allocation: 2, offset: 16384, value: 0x55555555}
- cpu_write: {allocation: 2, offset: 20480, value: 0x66666666}
- cpu_write: {allocation: 2, offset: 24576, value: 0x77777777}
- cpu_write: {allocation: 2, offset: 28672, value: 0x88888888}
- make_resident: {allocation: 2}
- idle
- create_allocation: {allocation: 3, pages: 8, place: local}
- make_resident: {allocation: 3}
- fill_memory: {allocation: 3, pattern: 0x0D0C0B0A}
- evict: {allocation: 2}
- idle
# Parts of several pages: a flush of the first of them is not enough.
- transfer_chunk: {pages: 3}
- create_allocation: {allocation: 4, pages: 8, place: local}
- cpu_write: {allocation: 4, offset: 4096, value: 0x99999999}
- cpu_write: {allocation: 4, offset: 16384, value: 0xAAAAAAAA}
- make_resident: {allocation: 4}
- idle
)",
    .control = R"(
about: brought in and taken out again
ops:
- create_allocation: {allocation: 0, place: local}
- cpu_write: {allocation: 0, offset: 0, value: 0x01010101}
- make_resident: {allocation: 0}
- evict: {allocation: 0}
- idle
)",
    .fault = {
        .about =
            "the latest flush comes behind the operation that needs it, the one before it never",
        .interposer = [] { return std::unique_ptr<Interposer>(new FlushesLate); },
        .also_fires = "PAGE-004 VPAGE-002 VPAGE-003"}};

WDDM_RULE(kRule);

}  // namespace
}  // namespace wddm::vpage_005
