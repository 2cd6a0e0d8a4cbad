// PT-013: what BuildPagingBuffer answers and how it uses its buffer, with GPU virtual addresses.

#include <algorithm>

#include "conformance/host/interposer.h"
#include "conformance/rules/page/begun_anew.h"
#include "conformance/rules/page/operation.h"
#include "conformance/rules/pt/copied_ranges.h"
#include "conformance/rules/pt/table_updates.h"

namespace wddm::pt_013 {
namespace {

bool is_of_gpu_virtual(std::uint32_t operation) {
  return operation == DXGK_OPERATION_VIRTUAL_TRANSFER || operation == DXGK_OPERATION_VIRTUAL_FILL ||
         operation == DXGK_OPERATION_UPDATE_PAGE_TABLE || operation == DXGK_OPERATION_FLUSH_TLB ||
         operation == DXGK_OPERATION_COPY_PAGE_TABLE_ENTRIES;
}

std::string name_of(std::uint32_t operation) {
  return "operation " + std::to_string(operation);
}

void judge_call(const Trace& trace, std::uint32_t index, Judgement& judgement) {
  const auto call = trace.at<ev::PagingBuilt>(index);
  const auto status = static_cast<NTSTATUS>(call.status);
  judgement.reached(index);
  const bool known = status == STATUS_SUCCESS ||
                     status == STATUS_GRAPHICS_INSUFFICIENT_DMA_BUFFER ||
                     status == STATUS_GRAPHICS_ALLOCATION_BUSY;
  if (!known) {
    judgement.fail(index, "STATUS_SUCCESS, too little space, or a busy allocation",
                   name_of(call.operation) + " returned " + status_name(call.status));
  } else if (call.used < 0 || static_cast<std::uint32_t>(call.used) > call.given) {
    judgement.fail(index, "pDmaBuffer stays within DmaSize bytes",
                   name_of(call.operation) + " moved it by " + std::to_string(call.used) + " of " +
                       std::to_string(call.given) + " bytes");
  }
}

void judge_guards(const Trace& trace, Judgement& judgement) {
  for (const std::uint32_t index : trace.of<ev::GuardDamaged>()) {
    const auto damaged = trace.at<ev::GuardDamaged>(index);
    if (static_cast<GuardArea>(damaged.area) != GuardArea::PagingBuffer) continue;
    if (!is_of_gpu_virtual(damaged.object)) continue;
    judgement.fail(index, "nothing is written outside of DmaSize bytes from pDmaBuffer on",
                   name_of(damaged.object) + " changed " + std::to_string(damaged.bytes) +
                       " bytes from " + std::to_string(damaged.first) + " on");
  }
}

// A buffer of the size that the driver asked for is enough to get on with.
void judge_progress(const Trace& trace, Judgement& judgement) {
  std::uint32_t asked = 0;
  for (const std::uint32_t index : trace.of<ev::SegmentsReported>()) {
    asked = std::max(asked, trace.at<ev::SegmentsReported>(index).paging_bytes);
  }
  std::uint32_t last = kNone;
  for (const std::uint32_t index : trace.of_any<ev::PagingBuilt, ev::PagingDone>()) {
    if (trace.events()[index].kind == EventKind::PagingBuilt) {
      last = index;
      continue;
    }
    const auto done = trace.at<ev::PagingDone>(index);
    if (done.gave_up == 0 || last == kNone || !is_of_gpu_virtual(done.operation)) continue;
    const auto call = trace.at<ev::PagingBuilt>(last);
    const bool wants_more =
        static_cast<NTSTATUS>(call.status) == STATUS_GRAPHICS_INSUFFICIENT_DMA_BUFFER;
    if (!wants_more || call.given < asked) continue;
    judgement.fail(index, "each call with an empty buffer makes progress",
                   "after " + std::to_string(done.passes) + " calls it asks for more space",
                   {last});
  }
}

// The call that has built the last part of an update comes right before its TableUpdated.
std::uint32_t last_call(const Trace& trace, std::uint32_t built) {
  const auto calls = trace.of<ev::PagingBuilt>();
  const auto behind = std::upper_bound(calls.begin(), calls.end(), built);
  return behind == calls.begin() ? kNone : *(behind - 1);
}

// One that comes behind a part of another, which a reset of the adapter or a removal of the device
// has ended, is whole as well.
void judge_updates_in_parts(const Trace& trace, Judgement& judgement) {
  const ScratchSet<std::uint32_t> anew = page::begun_anew(trace);
  pt::for_each_carried_out(trace, [&](const pt::CarriedOut& one) {
    const std::uint32_t call = last_call(trace, one.built);
    if (!one.read() || call == kNone) return;
    if (trace.at<ev::PagingBuilt>(call).pass == 0 && !anew.contains(call)) return;
    judgement.reached(one.event);
    if (one.compared.wrong == 0 && one.compared.outside == 0) return;
    judgement.fail(one.event, "the buffers of one update together write exactly its entries",
                   std::to_string(one.compared.wrong) + " of " +
                       std::to_string(one.compared.decoded) + " are others, and " +
                       std::to_string(one.compared.outside) + " bytes beside them changed, by " +
                       pt::text_of(one.update),
                   {call});
  });
}

// What a copy has done is told when it has been executed, behind the call that built its last part.
void judge_copies_in_parts(const Trace& trace, Judgement& judgement) {
  for (const std::uint32_t index : trace.of<ev::EntriesCopied>()) {
    const auto copied = trace.at<ev::EntriesCopied>(index);
    const std::uint32_t call = last_call(trace, index);
    if (copied.read == 0 || call == kNone) continue;
    const auto built = trace.at<ev::PagingBuilt>(call);
    if (built.operation != DXGK_OPERATION_COPY_PAGE_TABLE_ENTRIES || built.pass == 0) continue;
    judgement.reached(index);
    if (copied.unlike == 0 && copied.outside == 0) continue;
    judgement.fail(index,
                   "the buffers of one copy together copy " + pt::asked_of(copied) +
                       " of the source, and no others",
                   pt::seen_of(copied), {call});
  }
}

void check(const Trace& trace, const Platform&, Judgement& judgement) {
  for (const std::uint32_t index : trace.of<ev::PagingBuilt>()) {
    if (is_of_gpu_virtual(trace.at<ev::PagingBuilt>(index).operation)) {
      judge_call(trace, index, judgement);
    }
  }
  judge_guards(trace, judgement);
  judge_progress(trace, judgement);
  judge_updates_in_parts(trace, judgement);
  judge_copies_in_parts(trace, judgement);
  page::judge_memory(trace, judgement,
                     "the buffers of one operation together do exactly the whole operation",
                     [](const page::CheckedOperation& operation) {
                       return operation.done.passes > 1 && !operation.disturbed &&
                              is_of_gpu_virtual(operation.done.operation);
                     });
}

// A driver that begins an update anew in each buffer, and counts down what is left.
class BeginsAnew final : public Interposer {
 public:
  NTSTATUS BuildPagingBuffer(HANDLE adapter, DXGKARG_BUILDPAGINGBUFFER* build) override {
    if (build->Operation != DXGK_OPERATION_UPDATE_PAGE_TABLE || build->MultipassOffset == 0) {
      return Interposer::BuildPagingBuffer(adapter, build);
    }
    const UINT asked = build->UpdatePageTable.NumPageTableEntries;
    build->MultipassOffset = 0;
    build->UpdatePageTable.NumPageTableEntries = 1;
    const NTSTATUS status = Interposer::BuildPagingBuffer(adapter, build);
    build->UpdatePageTable.NumPageTableEntries = asked;
    return status;
  }
};

const Rule kRule{
    .id = "PT-013",
    .title = "Paging buffers of page table operations: answers and accounts",
    .evidence = Evidence::Memory,
    .rule =
        "BuildPagingBuffer answers STATUS_SUCCESS, STATUS_GRAPHICS_INSUFFICIENT_DMA_BUFFER or "
        "STATUS_GRAPHICS_ALLOCATION_BUSY. pDmaBuffer moves past what was written, which is DmaSize "
        "bytes at most. Where an operation needs more, MultipassOffset says how far it has come: "
        "the buffers together do it exactly once, each of them a part. Where a reset of the "
        "adapter, "
        "or a removal of the device, ends an operation in its middle, the next one begins anew.",
    .sources =
        "nc-d3dkmddi-dxgkddi_buildpagingbuffer.md # Return value, Remarks\n"
        "ns-d3dkmddi-_dxgkarg_buildpagingbuffer.md # pDmaBuffer, MultipassOffset",
    .note =
        "What PAGE-001, PAGE-002 and PAGE-003 ask of all operations, for updates of page tables, "
        "TLB flushes, and fills and transfers by virtual address. Whether a driver gets on in less "
        "than it asked for, nobody can demand.",
    .applies = page_tables,
    .check = check,
    .played_in = {Configured::FourLevels, Configured::Pages64K, Configured::GpuVirtualUpdates,
                  Configured::Pairs, Configured::PairedRoot},
    .scenario = R"(
about: the largest update of page tables needs one word more than there is, and so do fills and transfers, with and without others in the same buffer
ops:
- paging_buffer: {measure: needed_minus, bytes: 4, packed: true}
- create_context: {context: 1}
- create_allocation: {allocation: 1, pages: 40, place: local}
- make_resident: {allocation: 1}
- evict: {allocation: 1}
- make_resident: {allocation: 1}
- idle
# A GPU may want one command for each page of a fill or a transfer, or for so many: then these are
# short by some of them.
- fill_memory: {allocation: 1, pattern: 0x61626364}
- fill_memory: {allocation: 1, pattern: 0x71727374}
- cpu_write: {allocation: 1, offset: 163836}
- evict: {allocation: 1}
- make_resident: {allocation: 1}
- idle
- paging_buffer: {measure: needed_minus, bytes: 40, packed: true}
- fill_memory: {allocation: 1, pattern: 0x51525354}
- evict: {allocation: 1}
- make_resident: {allocation: 1}
- idle
- paging_buffer: {measure: needed_minus, bytes: 160, packed: true}
- fill_memory: {allocation: 1, pattern: 0x41424344}
- evict: {allocation: 1}
- make_resident: {allocation: 1}
- idle
)",
    .control = R"(
about: buffers of the size that the driver asked for, and updates that a reset of the adapter ends in their middle
ops:
- create_context: {context: 1}
- create_allocation: {allocation: 1, pages: 40, place: local}
- make_resident: {allocation: 1}
- evict: {allocation: 1}
- idle
# An update is the first that it takes to come back. Of several buffers the first is at the engine,
# and the next has not been asked for.
- await_paging
- paging_buffer: {measure: needed_minus, bytes: 4, packed: true}
- make_resident: {allocation: 1}
- time_out: {node: 0, adapter: true}
- paging_buffer
- create_context: {context: 1}
- create_allocation: {allocation: 1, pages: 40, place: local}
- make_resident: {allocation: 1}
- fill_memory: {allocation: 1, pattern: 0x65656565}
- idle
# Of a process without tables the first is the one that initializes its root.
- create_device: {device: 1, process: 1}
- create_context: {context: 2, device: 1}
- time_out: {node: 0, adapter: true}
- create_device: {device: 1, process: 1}
- create_context: {context: 2, device: 1}
- create_allocation: {allocation: 2, device: 1, pages: 40, place: local}
- make_resident: {allocation: 2}
- fill_memory: {allocation: 2, pattern: 0x75757575}
- idle
)",
    .fault = {.about = "each further buffer of an update begins with its first entry",
              .interposer = [] { return std::unique_ptr<Interposer>(new BeginsAnew); },
              .also_fires = "MMU-019 PTE-001"}};

WDDM_RULE(kRule);

}  // namespace
}  // namespace wddm::pt_013
