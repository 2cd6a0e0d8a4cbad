// MMU-006: bits 0 to 11 of an address are the byte in the page.
//
// Judged by memory, after operations that begin or end inside pages. Where the entries of the pages
// are as they were asked for, the offset was lost in the command or in the hardware; where they are
// not, the clauses of entries say so. What is written behind the end of an operation is no matter
// of its offset: VPAGE-001 and VPAGE-002.

#include "conformance/host/interposer.h"
#include "conformance/rules/mmu/entries_in_memory.h"
#include "conformance/rules/page/behind_the_range.h"
#include "conformance/rules/page/operation.h"
#include "conformance/rules/rule.h"
#include "conformance/rules/vpage/across_leaves.h"

namespace wddm::mmu_006 {
namespace {

constexpr std::uint64_t kPage = 4096;

bool inside_pages(const page::CheckedOperation& operation) {
  if (operation.done.packet == kNone) return false;  // no command was made for it
  const bool transfer = operation.done.operation == DXGK_OPERATION_VIRTUAL_TRANSFER;
  if (!transfer && operation.done.operation != DXGK_OPERATION_VIRTUAL_FILL) return false;
  const PagingArguments& range = operation.arguments;
  const std::uint64_t source = transfer ? range.source_address : 0;
  return ((source | range.destination_address | range.size) % kPage) != 0;
}

// What the tables of the paging process say of the pages of an operation.
mmu::Entries entries_of(const mmu::EntriesInMemory& tables,
                        const page::CheckedOperation& operation) {
  using mmu::Entries;
  const PagingArguments& range = operation.arguments;
  const bool transfer = operation.done.operation == DXGK_OPERATION_VIRTUAL_TRANSFER;
  const Entries to = tables.of_pages(range.destination_address, range.size);
  const Entries from = transfer ? tables.of_pages(range.source_address, range.size) : to;
  const auto is_wrong = [](Entries one) { return one == Entries::Wrong || one == Entries::Beside; };
  if (is_wrong(from) || is_wrong(to)) return Entries::Wrong;
  return from == to ? from : Entries::Unread;
}

std::string text_of(const page::CheckedOperation& operation) {
  const PagingArguments& range = operation.arguments;
  std::string text = std::to_string(range.size) + " bytes to byte " +
                     std::to_string(range.destination_address % kPage) + " of a page";
  if (operation.done.operation == DXGK_OPERATION_VIRTUAL_TRANSFER) {
    text += ", from byte " + std::to_string(range.source_address % kPage) + " of one";
  }
  return text;
}

void check(const Trace& trace, const Platform&, Judgement& judgement) {
  const page::CheckedOperations& checked = trace.ledger<page::CheckedOperations>();
  for (const page::CheckedOperations::Found& found : checked.found()) {
    const page::CheckedOperation& operation = checked.of(found);
    if (!inside_pages(operation)) continue;
    if (trace.events()[found.event].kind == EventKind::MemoryChecked) {
      judgement.reached(found.event);
      continue;
    }
    const auto differs = trace.at<ev::MemoryDiffers>(found.event);
    if (page::begins_behind_the_range(operation, differs)) continue;
    const mmu::EntriesInMemory tables(trace, kSystemProcessNumber, mmu::EntriesInMemory::kAnyGpu,
                                      operation.built);
    const mmu::Entries entries = entries_of(tables, operation);
    if (entries == mmu::Entries::Wrong) continue;
    std::string more;
    if (entries == mmu::Entries::Right) {
      more = std::string(mmu::kEntriesAreRight) + ", or its command names another byte";
    }
    page::fail_found(trace, found, operation, judgement, text_of(operation) + ", and no other byte",
                     more.c_str());
  }
}

// A driver whose commands begin where 64 bytes do.
class AlignsDown final : public Interposer {
 public:
  NTSTATUS BuildPagingBuffer(HANDLE adapter, DXGKARG_BUILDPAGINGBUFFER* build) override {
    if (build->Operation != DXGK_OPERATION_VIRTUAL_TRANSFER) {
      return Interposer::BuildPagingBuffer(adapter, build);
    }
    auto& transfer = build->TransferVirtual;
    const auto asked = transfer;
    transfer.SourceVirtualAddress &= ~UINT64{63};
    transfer.DestinationVirtualAddress &= ~UINT64{63};
    const NTSTATUS status = Interposer::BuildPagingBuffer(adapter, build);
    transfer = asked;
    return status;
  }
};

// clang-format off
#define BYTES_ACROSS_PAGES \
  "- create_allocation: {allocation: 1, pages: 4, place: aperture}\n" \
  "- create_allocation: {allocation: 2, pages: 4, place: local}\n" \
  "- create_allocation: {allocation: 3, pages: 4, place: aperture}\n" \
  "- cpu_write: {allocation: 1, offset: 4088, value: 0x04030201}\n" \
  "- cpu_write: {allocation: 1, offset: 4092, value: 0x08070605}\n" \
  "- cpu_write: {allocation: 1, offset: 4096, value: 0x0c0b0a09}\n" \
  "- cpu_write: {allocation: 1, offset: 4100, value: 0x100f0e0d}\n" \
  "- cpu_write: {allocation: 1, offset: 4104, value: 0x14131211}\n" \
  "- make_resident: {allocation: 1}\n" \
  "- make_resident: {allocation: 2}\n" \
  "- make_resident: {allocation: 3}\n" \
  "- transfer_bytes: {allocation: 2, source: 1, offset: 4089, source_offset: 4089, size: 16}\n" \
  "- transfer_bytes: {allocation: 3, source: 2, offset: 8183, source_offset: 4089, size: 16}\n" \
  "- transfer_bytes: {allocation: 3, source: 1, offset: 4093, source_offset: 4090, size: 11}\n" \
  "- fill_memory: {allocation: 2, pattern: 0x5a5a5a5a, offset: 4089, size: 16}\n" \
  "- fill_memory: {allocation: 2, pattern: 0x11223344, offset: 12236, size: 100}\n" \
  "- idle\n"
// clang-format on

const Rule kRule{
    .id = "MMU-006",
    .title = "Bits 0 to 11 of the address are the byte offset in the page",
    .evidence = Evidence::Memory,
    .rule =
        "The low 12 bits of an address pass through translation as they are and choose no entry, "
        "for accesses of any size and alignment. What begins inside a page and ends in the next "
        "goes on at the first byte of the page that the next entry leads to.",
    .sources =
        "gpu-virtual-address.md # bits of an address of two levels\n"
        "ns-d3dkmddi-_dxgk_buildpagingbuffer_transfervirtual.md\n"
        "ns-d3dkmddi-_dxgk_buildpagingbuffer_fillvirtual.md",
    .note =
        "Sizes and addresses of virtual paging operations are in bytes, and no document promises "
        "more of them. Of a fill that does not begin at a multiple of 4 only patterns of equal "
        "bytes are judged.",
    .unreached = page::kNoCommandSeen,
    .applies = page_tables,
    .check = check,
    .played_in = {Configured::GpuVirtual, Configured::FourLevels, Configured::Pages64K,
                  Configured::GpuVirtualUpdates, Configured::HighMemory},
    .scenario = R"(
about: bytes across two pages that lie apart, read, written and filled, by addresses in one leaf table and across two
ops:
)" BYTES_ACROSS_PAGES WDDM_SHOWS_ACROSS_LEAVES BYTES_ACROSS_PAGES,
    .control = R"(
about: whole pages
ops:
- create_allocation: {allocation: 1, pages: 2, place: aperture}
- create_allocation: {allocation: 2, pages: 2, place: local}
- cpu_write: {allocation: 1, offset: 4092, value: 0x08070605}
- make_resident: {allocation: 1}
- make_resident: {allocation: 2}
- transfer_bytes: {allocation: 2, source: 1, offset: 0, source_offset: 0, size: 8192}
- idle
)",
    .fault = {.about = "transfers begin at multiples of 64 bytes",
              .interposer = [] { return std::unique_ptr<Interposer>(new AlignsDown); },
              .also_fires = "VPAGE-002"},
    .device_fault = {.about = "copies of paging go to where 64 bytes begin",
                     .seat = FaultSeat::Device,
                     .variant = 2,
                     .also_fires = "VPAGE-002"}};

#undef BYTES_ACROSS_PAGES

WDDM_RULE(kRule);

}  // namespace
}  // namespace wddm::mmu_006
