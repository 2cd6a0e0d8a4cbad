// PT-004: an initial update is written in full, whatever the memory held.

#include "conformance/rules/pt/altered_updates.h"
#include "conformance/rules/pt/table_scenarios.h"
#include "conformance/rules/pt/table_updates.h"

namespace wddm::pt_004 {
namespace {

void check(const Trace& trace, const Platform&, Judgement& judgement) {
  pt::judge_entries(
      trace, judgement, [](const pt::CarriedOut& one) { return one.has(pt::kInitialUpdate); },
      [](const pt::CarriedOut&, const EntryDifference&) { return true; });
}

// A driver that takes new memory to be zero, and zero entries to be invalid.
class TrustsZeros final : public pt::AltersUpdates {
  bool alter(DXGK_BUILDPAGINGBUFFER_UPDATEPAGETABLE& update) override {
    const bool all_invalid = update.Flags.Repeat && !update.pPageTableEntries[0].Valid;
    return !(update.Flags.InitialUpdate && all_invalid);
  }
};

const Rule kRule{
    .id = "PT-004",
    .title = "An initial update is written in full, whatever the memory held",
    .evidence = Evidence::Memory,
    .rule =
        "An update with InitialUpdate is written for its whole range, whatever bytes the "
        "memory held before and whatever the driver remembers of an earlier table there.",
    .sources =
        "gpu-virtual-address.md # Creation of page table allocations\n"
        "ns-d3dkmddi-_dxgk_updatepagetableflags.md # InitialUpdate",
    .applies = page_tables_and_decoder,
    .check = check,
    .played_in = {Configured::GpuVirtual, Configured::FourLevels, Configured::GpuVirtualUpdates},
    .scenario = R"(
about: pages of an allocation are mapped and taken away; tables leave and come back, and another process gets tables where one had them
ops:
- transfer_chunk: {pages: 16}
- create_allocation: {allocation: 1, pages: 24, place: local}
- make_resident: {allocation: 1}
- idle
- move: {allocation: 1}
- evict: {allocation: 1}
- make_resident: {allocation: 1}
- idle
- create_device: {device: 1, process: 1}
- create_context: {context: 1, device: 1}
- create_allocation: {allocation: 2, place: local, device: 1}
- render: {context: 1}
- bind: {slot: 1, allocation: 2}
- fill: {slot: 1, offset: 0, size: 4096, value: 0x11223344}
- idle
- evict_tables: {device: 1}
- render: {context: 1}
- bind: {slot: 1, allocation: 2}
- add: {slot: 1, offset: 0, value: 1}
- idle
- destroy_device: {device: 1}
- create_device: {device: 2, process: 2}
- create_context: {context: 2, device: 2}
- create_allocation: {allocation: 3, place: local, device: 2}
- make_resident: {allocation: 3}
- map_address: {allocation: 3, at: bit, bit: 23}
- render: {context: 2}
- bind: {slot: 1, allocation: 3}
- fill: {slot: 1, offset: 0, size: 4096, value: 0x55667788}
- idle
)",
    .control = pt::kSystemProcessAlone,
    .fault = {.about = "initial updates that make all entries invalid are left out",
              .interposer = [] { return std::unique_ptr<Interposer>(new TrustsZeros); }}};

WDDM_RULE(kRule);

}  // namespace
}  // namespace wddm::pt_004
