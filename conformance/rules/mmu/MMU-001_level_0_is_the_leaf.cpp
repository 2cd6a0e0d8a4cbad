// MMU-001: level 0 is the leaf, and the highest level the root.
//
// Judged by page faults whose level the device logs: a driver that counts from the root reports the
// mirrored one. A report of yet another level is MMU-013.

#include "conformance/host/interposer.h"
#include "conformance/rules/mmu/mirrored_levels.h"
#include "conformance/rules/rule.h"
#include "conformance/rules/scratch.h"

namespace wddm::mmu_001 {
namespace {

constexpr std::uint64_t kPageBytes = 4096;

// An access that the report may be about. Of several in one packet those in its page count, if
// there are any, and of these one of the same level.
std::uint32_t access_of(const Trace& trace, const ev::PageFaultReported& said,
                        const ScratchVector<std::uint32_t>& accesses) {
  std::uint32_t best = kNone;
  int best_rank = 0;
  for (const std::uint32_t index : accesses) {
    const auto access = trace.at<ev::AccessFaulted>(index);
    if (engine_of(access) != engine_of(said) || access.fence != said.fence) continue;
    const bool same_page = access.address / kPageBytes == said.address / kPageBytes;
    const int rank = 1 + (same_page ? 2 : 0) + (access.level == said.level ? 1 : 0);
    if (rank <= best_rank) continue;
    best = index;
    best_rank = rank;
  }
  return best;
}

void judge(const Trace& trace, std::uint32_t index, std::uint32_t logged, std::uint32_t levels,
           Judgement& judgement) {
  const auto said = trace.at<ev::PageFaultReported>(index);
  const auto access = trace.at<ev::AccessFaulted>(logged);
  // The middle of an odd number of levels is the same from both ends.
  if (access.level == mmu::mirrored(access.level, levels)) return;
  judgement.reached(index);
  if (!mmu::is_mirrored(said.level, access.level, levels)) return;
  judgement.fail(index,
                 "PageTableLevel " + std::to_string(access.level) + ", counted from the leaf",
                 "PageTableLevel " + std::to_string(said.level) + " of " + std::to_string(levels) +
                     " levels, as counted from the root",
                 {logged});
}

void check(const Trace& trace, const Platform& platform, Judgement& judgement) {
  ScratchVector<std::uint32_t> accesses;  // that no report was made of
  for (const std::uint32_t index : trace.of_any<ev::AccessFaulted, ev::PageFaultReported>()) {
    if (trace.events()[index].kind == EventKind::AccessFaulted) {
      if (trace.at<ev::AccessFaulted>(index).packet != kNone) accesses.push_back(index);
      continue;
    }
    const auto said = trace.at<ev::PageFaultReported>(index);
    // The levels of the IOMMU's tables are others.
    const bool by_iommu = (said.flags & static_cast<std::uint32_t>(DXGK_PAGE_FAULT_IOMMU)) != 0;
    const bool page_fault =
        said.device_specific == 0 && !by_iommu && said.code == DXGK_GENERAL_ERROR_PAGE_FAULT;
    const std::uint32_t logged = access_of(trace, said, accesses);
    if (page_fault && logged != kNone) {
      judge(trace, index, logged, platform.page_table_levels, judgement);
    }
    std::erase_if(accesses, [&](std::uint32_t at) {
      const auto access = trace.at<ev::AccessFaulted>(at);
      return engine_of(access) == engine_of(said) && access.fence == said.fence;
    });
  }
}

NotApplicable logging_faults(const Platform& platform) {
  if (const NotApplicable reason = virtual_rendering(platform)) return reason;
  return platform.has_device_log ? nullptr : "no device log";
}

// A driver that counts levels as its walks do, from the root on.
class CountsFromTheRoot final : public Interposer {
 public:
  NTSTATUS QueryAdapterInfo(HANDLE adapter, const DXGKARG_QUERYADAPTERINFO* query) override {
    const NTSTATUS status = Interposer::QueryAdapterInfo(adapter, query);
    if (query->Type == DXGKQAITYPE_GPUMMUCAPS && NT_SUCCESS(status)) {
      levels_ = static_cast<const DXGK_GPUMMUCAPS*>(query->pOutputData)->PageTableLevelCount;
    }
    return status;
  }
  void NotifyInterrupt(HANDLE adapter, const DXGKARGCB_NOTIFY_INTERRUPT_DATA* data) override {
    DXGKARGCB_NOTIFY_INTERRUPT_DATA altered = *data;
    if (data->InterruptType == DXGK_INTERRUPT_DMA_PAGE_FAULTED) {
      altered.DmaPageFaulted.PageTableLevel = levels_ - 1 - data->DmaPageFaulted.PageTableLevel;
    }
    Interposer::NotifyInterrupt(adapter, &altered);
  }

 private:
  UINT levels_ = 2;
};

const Rule kRule{
    .id = "MMU-001",
    .title = "Level 0 is the leaf, level PageTableLevelCount - 1 the root",
    .evidence = Evidence::DeviceLog,
    .rule =
        "Wherever a level of page tables is a number, in descriptors, updates and page fault "
        "notifications, 0 is the leaf, whose entries lead to pages, and PageTableLevelCount - 1 "
        "the root.",
    .sources =
        "gpu-virtual-address.md # introduction\n"
        "ns-d3dkmddi-_dxgk_buildpagingbuffer_updatepagetable.md # PageTableLevel",
    .note =
        "Judged by what page faults report beside what the device logs. Descriptors that are taken "
        "for another level, the table sizes show (MMU-005, MMU-008); entries that are written in "
        "the form of another level, PTE-001.",
    .applies = logging_faults,
    .check = check,
    .played_in = {Configured::GpuVirtual, Configured::FourLevels, Configured::Pairs,
                  Configured::GpuVirtualUpdates},
    .scenario = R"(
about: an access that finds no leaf entry, and one that finds no entry of the root
ops:
- create_context: {context: 1}
- create_device: {device: 1, process: 1}
- create_context: {context: 2, device: 1}
- create_allocation: {allocation: 1, place: local}
- create_allocation: {allocation: 2, device: 1, place: local}
- make_resident: {allocation: 1}
- make_resident: {allocation: 2}
- free_address: {allocation: 1}
- map_address: {allocation: 2, at: top, protection: no_access}
- render: {context: 1}
- bind: {slot: 1, allocation: 1}
- fill: {slot: 1, offset: 64, size: 64, value: 0x55667788}
- idle
- render: {context: 2}
- bind: {slot: 1, allocation: 2}
- fill: {slot: 1, offset: 64, size: 64, value: 0x55667788}
- idle
)",
    .control = R"(
about: nothing faults
ops:
- create_context: {context: 1}
- create_allocation: {allocation: 1, place: local}
- make_resident: {allocation: 1}
- render: {context: 1}
- bind: {slot: 1, allocation: 1}
- fill: {slot: 1, offset: 64, size: 64, value: 0x55667788}
- idle
)",
    .fault = {.about = "page faults are reported with levels counted from the root",
              .interposer = [] { return std::unique_ptr<Interposer>(new CountsFromTheRoot); }}};

WDDM_RULE(kRule);

}  // namespace
}  // namespace wddm::mmu_001
