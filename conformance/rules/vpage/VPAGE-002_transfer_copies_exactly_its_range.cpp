// VPAGE-002: a TransferVirtual copies exactly its range, which its two addresses alone begin.

#include <algorithm>

#include "conformance/host/interposer.h"
#include "conformance/rules/page/operation.h"

namespace wddm {
namespace {

void check(const Trace& trace, const Platform&, Judgement& judgement) {
  page::judge_memory(trace, judgement,
                     "TransferSizeInBytes bytes are copied between the given addresses, no other "
                     "byte changes",
                     [](const page::CheckedOperation& operation) {
                       return operation.done.operation == DXGK_OPERATION_VIRTUAL_TRANSFER;
                     });
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

const Rule kRule{
    .id = "VPAGE-002",
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
    .applies = page_tables,
    .check = check,
    .played_in = {Configured::GpuVirtual, Configured::FourLevels},
    .scenario = R"(
about: contents that differ from part to part, brought in, taken out and brought in again
ops:
- create_allocation: {allocation: 0, pages: 40, place: local}
- cpu_write: {allocation: 0, offset: 0, value: 0x01010101}
- cpu_write: {allocation: 0, offset: 65536, value: 0x02020202}
- cpu_write: {allocation: 0, offset: 131076, value: 0x03030303}
- cpu_write: {allocation: 0, offset: 163836, value: 0x04040404}
- make_resident: {allocation: 0}
- evict: {allocation: 0}
- make_resident: {allocation: 0}
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
              .also_fires = "VPAGE-003 VPAGE-005"}};

WDDM_RULE(kRule);

}  // namespace
}  // namespace wddm
