// MMU-007: the index of an entry is cut from the address as the level descriptors say.
//
// Judged by the device's own log of the entries that it reads. Where it lies in a table the entry
// has the index that the descriptors give, or its hardware cuts addresses in another way.

#include "conformance/host/interposer.h"
#include "conformance/rules/mmu/astray_walks.h"
#include "conformance/rules/rule.h"

namespace wddm::mmu_007 {
namespace {

void check(const Trace& trace, const Platform&, Judgement& judgement) {
  mmu::judge_walks(trace, AstrayWalk::OtherIndex,
                   "the entry that PageTableIndexBitCount of its level cuts from the address",
                   judgement);
}

// A driver that gives the leaf a bit less than its hardware, and the root a bit more.
class OneBitLess final : public Interposer {
 public:
  NTSTATUS QueryAdapterInfo(HANDLE adapter, const DXGKARG_QUERYADAPTERINFO* query) override {
    const NTSTATUS status = Interposer::QueryAdapterInfo(adapter, query);
    if (query->Type != DXGKQAITYPE_PAGETABLELEVELDESC || !NT_SUCCESS(status)) return status;
    const auto& asked = *static_cast<const DXGK_QUERYPAGETABLELEVELDESCIN*>(query->pInputData);
    auto& level = *static_cast<DXGK_PAGE_TABLE_LEVEL_DESC*>(query->pOutputData);
    if (asked.LevelIndex == 0) --level.PageTableIndexBitCount;
    if (asked.LevelIndex == 1) ++level.PageTableIndexBitCount;
    return status;
  }
};

const Rule kRule{
    .id = "MMU-007",
    .title = "Index fields are cut from the address as the descriptors say",
    .evidence = Evidence::DeviceLog,
    .rule =
        "The index of a level is the address shifted by 12 and the index bits of all levels below, "
        "masked to its own; the root of two levels takes all that are left up to "
        "VirtualAddressBitCount. Addresses that differ in a bit from 12 on never share a leaf "
        "entry.",
    .sources = "gpu-virtual-address.md # introduction",
    .note = "A device that does not log its walks is not judged.",
    .applies = virtual_rendering,
    .check = check,
    .played_in = {Configured::GpuVirtual, Configured::FourLevels},
    .scenario = R"(
about: addresses that differ in one bit each
ops:
- create_context: {context: 1}
- create_allocation: {allocation: 1, place: local}
- create_allocation: {allocation: 2, place: local}
- create_allocation: {allocation: 3, place: local}
- create_allocation: {allocation: 4, place: local}
- map_address: {allocation: 2, at: bit, bit: 13}
- map_address: {allocation: 3, at: bit, bit: 22}
- map_address: {allocation: 4, at: bit, bit: 29}
- render: {context: 1}
- bind: {slot: 1, allocation: 1}
- bind: {slot: 2, allocation: 2}
- bind: {slot: 3, allocation: 3}
- bind: {slot: 4, allocation: 4}
- fill: {slot: 1, offset: 0, size: 4096, value: 0x11111111}
- fill: {slot: 2, offset: 0, size: 4096, value: 0x22222222}
- fill: {slot: 3, offset: 0, size: 4096, value: 0x33333333}
- fill: {slot: 4, offset: 0, size: 4096, value: 0x44444444}
- idle
)",
    .control = R"(
about: one address
ops:
- create_context: {context: 1}
- create_allocation: {allocation: 1, place: local}
- render: {context: 1}
- bind: {slot: 1, allocation: 1}
- fill: {slot: 1, offset: 0, size: 4096, value: 0x11111111}
- idle
)",
    .fault = {.about = "the leaf is described with a bit less than the hardware has",
              .interposer = [] { return std::unique_ptr<Interposer>(new OneBitLess); },
              .also_fires = "MMU-019"},
    .device_fault = {.about = "the level above the leaf takes a bit less for its index",
                     .seat = FaultSeat::Device,
                     .variant = 3,
                     .also_fires = "SUBMIT-015"}};

WDDM_RULE(kRule);

}  // namespace
}  // namespace wddm::mmu_007
