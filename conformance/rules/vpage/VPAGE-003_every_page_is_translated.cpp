// VPAGE-003: virtual paging operations translate every page that they reach.

#include "conformance/host/interposer.h"
#include "conformance/rules/page/operation.h"
#include "conformance/rules/vpage/across_leaves.h"

namespace wddm::vpage_003 {
namespace {

constexpr UINT64 kPage = 4096;

bool crosses_pages(const page::CheckedOperation& operation) {
  if (operation.done.packet == kNone) return false;  // no command was made for it
  if (operation.disturbed) return false;
  const bool is_virtual = operation.done.operation == DXGK_OPERATION_VIRTUAL_TRANSFER ||
                          operation.done.operation == DXGK_OPERATION_VIRTUAL_FILL;
  return is_virtual && operation.arguments.scattered != 0 && operation.arguments.size > kPage;
}

void check(const Trace& trace, const Platform&, Judgement& judgement) {
  page::judge_memory(trace, judgement, "each page of the range is where its own entry leads",
                     crosses_pages);
}

// A driver that looks up the source once, and takes every page from there.
class TranslatesOnce final : public Interposer {
 public:
  NTSTATUS BuildPagingBuffer(HANDLE adapter, DXGKARG_BUILDPAGINGBUFFER* build) override {
    if (build->Operation != DXGK_OPERATION_VIRTUAL_TRANSFER ||
        build->TransferVirtual.TransferSizeInBytes > kMost * kPage) {
      return Interposer::BuildPagingBuffer(adapter, build);
    }
    auto& transfer = build->TransferVirtual;
    const auto asked = transfer;
    BYTE* const start = static_cast<BYTE*>(build->pDmaBuffer);
    const UINT room = build->DmaSize;
    NTSTATUS status = STATUS_SUCCESS;
    for (UINT64 at = 0; at < asked.TransferSizeInBytes && NT_SUCCESS(status); at += kPage) {
      transfer.DestinationVirtualAddress = asked.DestinationVirtualAddress + at;
      transfer.TransferSizeInBytes = kPage;
      build->DmaSize = room - static_cast<UINT>(static_cast<BYTE*>(build->pDmaBuffer) - start);
      build->MultipassOffset = 0;
      status = Interposer::BuildPagingBuffer(adapter, build);
    }
    transfer = asked;
    build->DmaSize = room;
    return status;
  }

 private:
  static constexpr UINT64 kMost = 3;  // pages whose commands fit any paging buffer
};

// Three pages and forty. Those in the middle are the ones beside a border of leaf tables.
// clang-format off
#define PAGES_THAT_LIE_APART \
  "- create_allocation: {allocation: 0, pages: 3, place: local}\n" \
  "- cpu_write: {allocation: 0, offset: 0, value: 0x01010101}\n" \
  "- cpu_write: {allocation: 0, offset: 4096, value: 0x02020202}\n" \
  "- cpu_write: {allocation: 0, offset: 12284, value: 0x03030303}\n" \
  "- make_resident: {allocation: 0}\n" \
  "- evict: {allocation: 0}\n" \
  "- create_allocation: {allocation: 1, pages: 40, place: local}\n" \
  "- cpu_write: {allocation: 1, offset: 4096, value: 0x08080808}\n" \
  "- cpu_write: {allocation: 1, offset: 77824, value: 0x07070707}\n" \
  "- cpu_write: {allocation: 1, offset: 81920, value: 0x04040404}\n" \
  "- cpu_write: {allocation: 1, offset: 86016, value: 0x05050505}\n" \
  "- cpu_write: {allocation: 1, offset: 135168, value: 0x09090909}\n" \
  "- cpu_write: {allocation: 1, offset: 163836, value: 0x06060606}\n" \
  "- make_resident: {allocation: 1}\n" \
  "- evict: {allocation: 1}\n" \
  "- idle\n"
// clang-format on

const Rule kRule{
    .id = "VPAGE-003",
    .title = "Virtual paging works on scattered pages",
    .evidence = Evidence::Memory,
    .rule =
        "TransferVirtual and FillVirtual translate source and destination page by page when they "
        "execute. Neither a first page nor the size of pages says where the next one lies.",
    .sources =
        "ns-d3dkmddi-_dxgk_buildpagingbuffer_transfervirtual.md\n"
        "ns-d3dkmddi-_dxgk_transfervirtualflags.md\n"
        "gpu-segments.md # System Memory Segments",
    .note =
        "Only pages of system memory lie apart here: this host gives allocations one piece of a "
        "memory segment.",
    .unreached = page::kNoCommandSeen,
    .applies = page_tables,
    .check = check,
    .played_in = {Configured::GpuVirtual, Configured::FourLevels, Configured::GpuVirtualUpdates,
                  Configured::SmallLeaves},
    .scenario = R"(
about: pages of system memory that lie apart, three and then many, each with contents of its own, by addresses in one leaf table and across two
ops:
)" PAGES_THAT_LIE_APART WDDM_SHOWS_ACROSS_LEAVES PAGES_THAT_LIE_APART,
    .control = R"(
about: two pages with equal contents
ops:
- create_allocation: {allocation: 0, pages: 2, place: local}
- cpu_write: {allocation: 0, offset: 0, value: 0x01010101}
- cpu_write: {allocation: 0, offset: 4096, value: 0x01010101}
- make_resident: {allocation: 0}
- idle
)",
    .fault = {.about = "every page of a transfer comes from the first one",
              .interposer = [] { return std::unique_ptr<Interposer>(new TranslatesOnce); },
              .also_fires = "VPAGE-002"}};

#undef PAGES_THAT_LIE_APART

WDDM_RULE(kRule);

}  // namespace
}  // namespace wddm::vpage_003
