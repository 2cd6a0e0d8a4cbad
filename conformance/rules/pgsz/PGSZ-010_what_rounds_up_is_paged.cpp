// PGSZ-010: what rounds an allocation up to whole pages of 64 KB is filled and transferred with it.
//
// The driver's half of PGSZ-003. Judged is memory behind the Size that the driver gave; what it
// does in front of that, VPAGE-001 and VPAGE-002 judge.

#include <algorithm>
#include <utility>
#include <vector>

#include "conformance/host/interposer.h"
#include "conformance/rules/page/operation.h"

namespace wddm::pgsz_010 {
namespace {

constexpr std::uint32_t kSegmentUses64KBPages = 1u << 11;  // of DXGK_SEGMENTFLAGS

std::uint32_t segments_of_large_pages(const Platform& platform) {
  std::uint32_t set = 0;
  for (std::size_t i = 0; i < platform.segments.size() && i < 32; ++i) {
    if ((platform.segments[i].flags.value & kSegmentUses64KBPages) != 0) set |= 1u << i;
  }
  return set;
}

bool moves_contents(std::uint32_t operation) {
  return operation == DXGK_OPERATION_VIRTUAL_FILL || operation == DXGK_OPERATION_VIRTUAL_TRANSFER;
}

// The Size of each allocation that may lie in such a segment, as it is at some event. Lives within
// one check; is asked in the order of the trace.
class Sizes {
 public:
  Sizes(const Trace& trace, const Platform& platform)
      : trace_(trace),
        created_(trace.of<ev::AllocationCreated>()),
        large_(segments_of_large_pages(platform)) {}
  /// None if there is no such allocation.
  [[nodiscard]] const std::uint64_t* of(std::uint32_t allocation, std::uint32_t event) {
    for (; next_ < created_.size() && created_[next_] < event; ++next_) {
      const auto created = trace_.at<ev::AllocationCreated>(created_[next_]);
      sizes_.erase(created.allocation);
      if ((created.write_set & large_) != 0) sizes_[created.allocation] = created.size;
    }
    const auto found = sizes_.find(allocation);
    return found == sizes_.end() ? nullptr : &found->second;
  }

 private:
  const Trace& trace_;
  std::span<const std::uint32_t> created_;
  std::uint32_t large_;
  std::size_t next_ = 0;
  ScratchMap<std::uint32_t, std::uint64_t> sizes_;
};

void check(const Trace& trace, const Platform& platform, Judgement& judgement) {
  Sizes sizes(trace, platform);
  const page::CheckedOperations& checked = trace.ledger<page::CheckedOperations>();
  for (const page::CheckedOperations::Found& found : checked.found()) {
    const page::CheckedOperation& operation = checked.of(found);
    if (!moves_contents(operation.done.operation)) continue;
    const std::uint64_t* const size = sizes.of(operation.done.allocation, operation.built);
    const PagingArguments& part = operation.arguments;
    if (size == nullptr || part.offset + part.size <= *size) continue;
    judgement.reached(found.event);
    if (trace.events()[found.event].kind != EventKind::MemoryDiffers) continue;
    const auto differs = trace.at<ev::MemoryDiffers>(found.event);
    const bool behind = differs.where == static_cast<std::uint32_t>(MemoryPlace::Allocation) &&
                        differs.object == operation.done.allocation &&
                        differs.offset + std::uint64_t{differs.length} > *size;
    if (!behind) continue;
    page::fail_found(trace, found, operation, judgement,
                     "all of the range, behind the allocation's Size of " + std::to_string(*size) +
                         " bytes as well");
  }
}

NotApplicable large_segments(const Platform& platform) {
  if (const NotApplicable reason = page_tables(platform)) return reason;
  return segments_of_large_pages(platform) != 0 ? nullptr : "no segment has 64 KB pages";
}

// A driver that knows how large its allocations are, and leaves what is behind them alone.
class EndsAtSize final : public Interposer {
 public:
  NTSTATUS CreateAllocation(HANDLE adapter, DXGKARG_CREATEALLOCATION* create) override {
    const NTSTATUS status = Interposer::CreateAllocation(adapter, create);
    for (UINT i = 0; NT_SUCCESS(status) && i < create->NumAllocations; ++i) {
      const DXGK_ALLOCATIONINFO& info = create->pAllocationInfo[i];
      std::erase_if(sizes_, [&info](const auto& one) { return one.first == info.hAllocation; });
      sizes_.emplace_back(info.hAllocation, info.Size);
    }
    return status;
  }
  NTSTATUS BuildPagingBuffer(HANDLE adapter, DXGKARG_BUILDPAGINGBUFFER* build) override {
    const DXGKARG_BUILDPAGINGBUFFER asked = *build;
    if (build->Operation == DXGK_OPERATION_VIRTUAL_FILL) {
      auto& fill = build->FillVirtual;
      cut(fill.hAllocation, fill.AllocationOffsetInBytes, &fill.FillSizeInBytes);
    } else if (build->Operation == DXGK_OPERATION_VIRTUAL_TRANSFER) {
      auto& transfer = build->TransferVirtual;
      cut(transfer.hAllocation, transfer.AllocationOffsetInBytes, &transfer.TransferSizeInBytes);
    }
    const NTSTATUS status = Interposer::BuildPagingBuffer(adapter, build);
    if (build->Operation == DXGK_OPERATION_VIRTUAL_FILL) {
      build->FillVirtual = asked.FillVirtual;
    } else if (build->Operation == DXGK_OPERATION_VIRTUAL_TRANSFER) {
      build->TransferVirtual = asked.TransferVirtual;
    }
    return status;
  }

 private:
  template <class Size>
  void cut(HANDLE allocation, UINT64 offset, Size* size) const {
    for (const auto& [handle, bytes] : sizes_) {
      if (handle != allocation || offset >= bytes) continue;
      *size = std::min<Size>(*size, static_cast<Size>(bytes - offset));
    }
  }
  std::vector<std::pair<HANDLE, UINT64>> sizes_;
};

const Rule kRule{
    .id = "PGSZ-010",
    .title = "What rounds an allocation up to 64 KB is paged with it",
    .evidence = Evidence::Memory,
    .rule =
        "An allocation that may lie in a segment with Use64KBPages takes whole pages of 64 KB, "
        "whatever Size its driver gave. A FillVirtual or TransferVirtual of it that goes beyond "
        "that Size is carried out to its end.",
    .sources =
        "gpu-virtual-address.md # Physical page size\n"
        "ns-d3dkmddi-_dxgk_buildpagingbuffer_fillvirtual.md\n"
        "ns-d3dkmddi-_dxgk_buildpagingbuffer_transfervirtual.md",
    .note =
        "The driver's half of PGSZ-003. Derived: allocations are sized to multiples of 64 KB by "
        "Windows, and the operations name their range in bytes; no page says that a driver may "
        "stop at its Size.",
    .unreached = "every Size was whole pages of 64 KB already, or memory was not seen",
    .applies = large_segments,
    .check = check,
    .played_in = {Configured::Pages64K, Configured::Pairs},
    .scenario = R"(
about: allocations that end within a page of 64 KB come, go, and are filled
ops:
- create_allocation: {allocation: 1, pages: 2, place: local}
- create_allocation: {allocation: 2, pages: 17, place: local}
- make_resident: {allocation: 1}
- make_resident: {allocation: 2}
- fill_memory: {allocation: 1, pattern: 0x04030201}
- idle
- evict: {allocation: 1}
- idle
- fill_memory: {allocation: 2, pattern: 0x14131211}
- idle
- evict: {allocation: 2}
- idle
)",
    .control = R"(
about: an allocation of whole pages
ops:
- create_allocation: {allocation: 1, pages: 16, place: local}
- make_resident: {allocation: 1}
- fill_memory: {allocation: 1, pattern: 0x04030201}
- idle
)",
    .fault = {.about = "fills and transfers end where the Size of their allocation does",
              .interposer = [] { return std::unique_ptr<Interposer>(new EndsAtSize); },
              .also_fires = "PGSZ-012 VPAGE-001 VPAGE-002 VPAGE-003 VPAGE-005"}};

WDDM_RULE(kRule);

}  // namespace
}  // namespace wddm::pgsz_010
