// MMU-002: translation begins at the root and goes down one level at a time.
//
// Judged by the device's own log: each entry that it reads lies in a page table, and in one of the
// level that it says.

#include "conformance/host/interposer.h"
#include "conformance/rules/mmu/astray_walks.h"
#include "conformance/rules/rule.h"

namespace wddm::mmu_002 {
namespace {

void check(const Trace& trace, const Platform&, Judgement& judgement) {
  mmu::judge_walks(trace, AstrayWalk::OtherLevel,
                   "a walk from the root down, by an entry of the table of each level", judgement);
}

// A driver whose contexts of clients begin one level below the root.
class BeginsBelowTheRoot final : public Interposer {
 public:
  NTSTATUS BuildPagingBuffer(HANDLE adapter, DXGKARG_BUILDPAGINGBUFFER* build) override {
    const auto& update = build->UpdatePageTable;
    if (build->Operation == DXGK_OPERATION_UPDATE_PAGE_TABLE && update.PageTableLevel == 1 &&
        update.StartIndex == 0 && update.pPageTableEntries[0].Valid != 0) {
      const DXGK_PTE& pointer = update.pPageTableEntries[0];
      below_.Address.SegmentId = static_cast<UINT>(pointer.Segment);
      below_.Address.SegmentOffset = pointer.PageTableAddress * 4096;
    }
    return Interposer::BuildPagingBuffer(adapter, build);
  }
  VOID SetRootPageTable(HANDLE adapter, const DXGKARG_SETROOTPAGETABLE* set) override {
    DXGKARG_SETROOTPAGETABLE altered = *set;
    if (++calls_ > kAtFirst) altered.Address = below_.Address;
    Interposer::SetRootPageTable(adapter, &altered);
  }

 private:
  static constexpr int kAtFirst = 3;  // contexts of the system process, and the first of a client
  DXGKARG_SETROOTPAGETABLE below_{};
  int calls_ = 0;
};

const Rule kRule{
    .id = "MMU-002",
    .title = "Translation starts at the root and visits every level",
    .evidence = Evidence::DeviceLog,
    .rule =
        "An access of a context begins at the table that was last set as its root and goes down "
        "one level at each step, to a leaf or to an entry that maps a large page. What it gives "
        "depends on the entries in memory on that way, and on translations not flushed yet.",
    .sources = "gpu-virtual-address.md # introduction",
    .note = "A device that does not log its walks is not judged.",
    .applies = virtual_rendering,
    .check = check,
    .played_in = {Configured::GpuVirtual, Configured::FourLevels, Configured::GpuVirtualUpdates,
                  Configured::SmallLeaves},
    .scenario = R"(
about: the root is set again, below addresses in use; and pages are accessed for the first time from the last one down, across leaf tables
ops:
- create_context: {context: 1}
- create_allocation: {allocation: 1, place: local}
- render: {context: 1}
- bind: {slot: 1, allocation: 1}
- fill: {slot: 1, offset: 0, size: 4096, value: 0x11111111}
- idle
- move_table: {allocation: 1, level: 5}
- render: {context: 1}
- bind: {slot: 1, allocation: 1}
- add: {slot: 1, offset: 0, value: 1}
- idle
# The last page of a leaf table comes when the entry that leads to the next one was read already.
- create_allocation: {allocation: 2, pages: 64, place: local}
- make_resident: {allocation: 2}
- render: {context: 1}
- bind: {slot: 1, allocation: 2}
- fill: {slot: 1, offset: 258048, size: 4096, value: 0x33333333}
- fill: {slot: 1, offset: 192512, size: 4096, value: 0x44444444}
- fill: {slot: 1, offset: 126976, size: 4096, value: 0x55555555}
- fill: {slot: 1, offset: 61440, size: 4096, value: 0x66666666}
- idle
)",
    .control = R"(
about: one packet
ops:
- create_context: {context: 1}
- create_allocation: {allocation: 1, place: local}
- render: {context: 1}
- bind: {slot: 1, allocation: 1}
- fill: {slot: 1, offset: 0, size: 4096, value: 0x11111111}
- idle
)",
    .fault = {.about = "the table below the first entry is taken for the root",
              .interposer = [] { return std::unique_ptr<Interposer>(new BeginsBelowTheRoot); },
              .also_fires = "ROOT-005 ROOT-010 VA-008"},
    .device_fault = {.about = "a leaf is looked for in the table above it too",
                     .seat = FaultSeat::Device,
                     .variant = 1}};

WDDM_RULE(kRule);

}  // namespace
}  // namespace wddm::mmu_002
