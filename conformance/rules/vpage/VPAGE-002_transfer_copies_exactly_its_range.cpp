// VPAGE-002: a TransferVirtual copies exactly its range, which its two addresses alone begin.

#include <algorithm>

#include "conformance/host/interposer.h"
#include "conformance/rules/page/operation.h"
#include "conformance/rules/vpage/across_leaves.h"

namespace wddm::vpage_002 {
namespace {

bool is_in(std::uint64_t address, std::uint64_t first, std::uint64_t bytes) {
  return address - first < bytes;
}

// A packet of paging that faults is compared with nothing. Where it looked for memory at an address
// that its transfer does not have, the transfer is to blame and not the page tables.
void judge_faults(const Trace& trace, Judgement& judgement) {
  std::uint32_t built = kNone, running = kNone;  // the latest PagingBuilt, now and at submission
  ev::Submitted packet{};                        // that of paging which was submitted last
  for (const std::uint32_t index :
       trace.of_any<ev::PagingBuilt, ev::Submitted, ev::AccessFaulted>()) {
    const Event& event = trace.events()[index];
    if (event.kind == EventKind::PagingBuilt) {
      built = index;
    } else if (event.kind == EventKind::Submitted) {
      const auto submitted = trace.at<ev::Submitted>(index);
      running = submitted.paging != 0 ? built : kNone;
      packet = submitted;
    } else if (const auto fault = trace.at<ev::AccessFaulted>(index);
               running != kNone && fault.packet == packet.packet) {
      const Event& operation = trace.events()[running];
      const auto arguments = trace.blob<PagingArguments>(operation);
      const bool transfer =
          trace.at<ev::PagingBuilt>(running).operation == DXGK_OPERATION_VIRTUAL_TRANSFER;
      if (!transfer || arguments.empty()) continue;
      const PagingArguments& asked = arguments.front();
      const bool named = is_in(fault.address, asked.source_address, asked.size) ||
                         is_in(fault.address, asked.destination_address, asked.size) ||
                         is_in(fault.address, packet.address, packet.end);
      if (named || fault.level != 0) continue;
      judgement.fail(index, "accesses between the given addresses and TransferSizeInBytes behind",
                     "one that found no memory, elsewhere in the paging process", {running});
    }
  }
}

void check(const Trace& trace, const Platform&, Judgement& judgement) {
  judge_faults(trace, judgement);
  page::judge_memory(trace, judgement,
                     "TransferSizeInBytes bytes are copied between the given addresses, no other "
                     "byte changes",
                     [](const page::CheckedOperation& operation) {
                       return operation.done.operation == DXGK_OPERATION_VIRTUAL_TRANSFER;
                     });
}

NotApplicable with_memory_segments(const Platform& platform) {
  if (const NotApplicable reason = page_tables(platform)) return reason;
  return paging_of_memory_segments(platform);
}

// A driver that counts its way into the allocation from both addresses on, which stand for that
// place already. The ends stay where they are, so that nothing else is reached.
class StartsAtOffset final : public Interposer {
 public:
  NTSTATUS BuildPagingBuffer(HANDLE adapter, DXGKARG_BUILDPAGINGBUFFER* build) override {
    if (build->Operation != DXGK_OPERATION_VIRTUAL_TRANSFER) {
      return Interposer::BuildPagingBuffer(adapter, build);
    }
    auto& transfer = build->TransferVirtual;
    const auto asked = transfer;
    const UINT64 skipped =
        std::min<UINT64>(transfer.AllocationOffsetInBytes, transfer.TransferSizeInBytes - 4);
    transfer.SourceVirtualAddress += skipped;
    transfer.DestinationVirtualAddress += skipped;
    transfer.TransferSizeInBytes -= skipped;
    const NTSTATUS status = Interposer::BuildPagingBuffer(adapter, build);
    transfer = asked;
    return status;
  }
};

// clang-format off
#define GOES_OUT_AND_COMES_BACK \
  "- create_allocation: {allocation: 0, pages: 100, place: local}\n" \
  "- cpu_write: {allocation: 0, offset: 0, value: 0x01010101}\n" \
  "- cpu_write: {allocation: 0, offset: 131068, value: 0x05050505}\n" \
  "- cpu_write: {allocation: 0, offset: 131072, value: 0x06060606}\n" \
  "- cpu_write: {allocation: 0, offset: 262144, value: 0x02020202}\n" \
  "- cpu_write: {allocation: 0, offset: 327684, value: 0x03030303}\n" \
  "- cpu_write: {allocation: 0, offset: 335872, value: 0x07070707}\n" \
  "- cpu_write: {allocation: 0, offset: 409596, value: 0x04040404}\n" \
  "- make_resident: {allocation: 0}\n" \
  "- evict: {allocation: 0}\n" \
  "- make_resident: {allocation: 0}\n" \
  "- idle\n"
// clang-format on

const Rule kRule{
    .id = "VPAGE-002",
    .aliases = "PAGE-020",
    .title = "TransferVirtual copies exactly the given range",
    .evidence = Evidence::Memory,
    .rule =
        "After a TransferVirtual has executed, TransferSizeInBytes bytes from "
        "DestinationVirtualAddress on equal those from SourceVirtualAddress on, both in the "
        "address space of the paging process, and nothing else has changed. "
        "AllocationOffsetInBytes is added to neither.",
    .sources =
        "ns-d3dkmddi-_dxgk_buildpagingbuffer_transfervirtual.md\n"
        "gpu-segments.md\n"
        "examples.md",
    .note =
        "Memory is copied into a memory segment, out of one and within them: TransferDirection has "
        "no value for system memory on both sides.",
    .applies = with_memory_segments,
    .check = check,
    .played_in = {Configured::GpuVirtual, Configured::FourLevels, Configured::GpuVirtualUpdates,
                  Configured::HighMemory, Configured::SmallLeaves},
    .scenario = R"(
about: contents that differ from part to part, brought in, taken out and brought in again, by addresses in one leaf table and across two
ops:
)" GOES_OUT_AND_COMES_BACK WDDM_SHOWS_ACROSS_LEAVES GOES_OUT_AND_COMES_BACK R"(
# Many pages by one operation.
- create_allocation: {allocation: 2, pages: 240, place: local}
- cpu_write: {allocation: 2, offset: 0, value: 0x11010101}
- cpu_write: {allocation: 2, offset: 262144, value: 0x12020202}
- cpu_write: {allocation: 2, offset: 524284, value: 0x13030303}
- cpu_write: {allocation: 2, offset: 524288, value: 0x14040404}
- cpu_write: {allocation: 2, offset: 786432, value: 0x15050505}
- cpu_write: {allocation: 2, offset: 983036, value: 0x16060606}
- make_resident: {allocation: 2}
- evict: {allocation: 2}
- make_resident: {allocation: 2}
- idle
)",
    .control = R"(
about: one page, which begins its allocation
ops:
- create_allocation: {allocation: 0, place: local}
- cpu_write: {allocation: 0, offset: 4092, value: 0x01010101}
- make_resident: {allocation: 0}
- evict: {allocation: 0}
- idle
)",
    .fault = {.about = "the transfer begins AllocationOffsetInBytes behind its addresses",
              .interposer = [] { return std::unique_ptr<Interposer>(new StartsAtOffset); },
              .also_fires = "PAGE-004 VPAGE-003 VPAGE-005"}};

#undef GOES_OUT_AND_COMES_BACK

WDDM_RULE(kRule);

}  // namespace
}  // namespace wddm::vpage_002
