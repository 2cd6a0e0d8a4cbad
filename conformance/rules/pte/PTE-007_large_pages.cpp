// PTE-007: an entry with LargePage leads to all that the table below would cover.

#include "conformance/rules/pt/altered_updates.h"
#include "conformance/rules/pt/table_updates.h"
#include "conformance/rules/va/space_history.h"

namespace wddm::pte_007 {
namespace {

bool is_large(const EntryRecord& entry) {
  return pt::leads_somewhere(entry) && (entry.flags & entry_flag::kLargePage) != 0;
}

// What is read as a table is none, or what the page holds is not what its addresses show.
class Used final : public SpaceObserver {
 public:
  Used(const ScratchMap<std::uint32_t, std::uint32_t>& large, Judgement& judgement)
      : large_(large), judgement_(judgement) {}
  void shown(const SpaceSign& sign) override {
    const auto update = large_.find(sign.packet.process);
    if (update == large_.end() || sign.packet.submitted < update->second) return;
    const bool as_table = sign.kind == SpaceSign::Kind::Walk &&
                          sign.walk.why == static_cast<std::uint32_t>(AstrayWalk::NoTable);
    if (!as_table && sign.kind != SpaceSign::Kind::Memory) return;
    fail_by(sign, judgement_, "the walk ends at the large page, and its bytes follow each other",
            {update->second, sign.packet.submitted});
  }

 private:
  const ScratchMap<std::uint32_t, std::uint32_t>& large_;  // by process: the first such update
  Judgement& judgement_;
};

void check(const Trace& trace, const Platform&, Judgement& judgement) {
  ScratchMap<std::uint32_t, std::uint32_t> large;
  pt::judge_entries(
      trace, judgement,
      [&](const pt::CarriedOut& one) {
        if (one.update.level == 0 || !pt::writes(trace, one, is_large)) return false;
        large.insert({one.update.process, one.built});
        return true;
      },
      [](const pt::CarriedOut&, const EntryDifference& differs) {
        return is_large(differs.expected);
      });
  Used used(large, judgement);
  observe_spaces(trace, used);
}

NotApplicable large_pages(const Platform& platform) {
  if (const NotApplicable reason = page_tables_and_decoder(platform)) return reason;
  return platform.gpu_mmu_caps.large_pages() ? nullptr : "no large pages: LargePageSupported is 0";
}

// A driver that has room for the frame of a page twice as large.
class LosesABit final : public pt::AltersUpdates {
  bool alter(DXGK_BUILDPAGINGBUFFER_UPDATEPAGETABLE& update) override {
    for (UINT i = 0; i < update.NumPageTableEntries; ++i) {
      DXGK_PTE& entry = update.pPageTableEntries[i];
      if (update.PageTableLevel == 0 || !entry.LargePage) continue;
      // Above the offset in the page the lowest bit that is set goes.
      entry.PageAddress = entry.PageAddress & (entry.PageAddress - 1);
    }
    return true;
  }
};

const Rule kRule{
    .id = "PTE-007",
    .title = "Large page entries map the whole range of the lower table",
    .evidence = Evidence::Memory,
    .rule =
        "An entry above level 0 with LargePage ends the walk: it leads to as many bytes, one "
        "behind "
        "the other from PageTableAddress in Segment on, as the table below would cover. Nothing "
        "there is read as a table, and every bit of the address counts.",
    .sources =
        "ns-d3dukmdt-_dxgk_pte.md # LargePage\n"
        "ns-d3dkmddi-_dxgk_gpummucaps.md # LargePageSupported, AllowNonAlignedLargePageAddress\n"
        "ns-d3dkmddi-_dxgk_allocationinfoflags_wddm2_0.md # DisableLargePageMapping",
    .note =
        "This host maps by large pages what is as large and as aligned, where LargePageSupported "
        "is set; addresses that are not, it gives to AllowNonAlignedLargePageAddress alone.",
    .applies = large_pages,
    .check = check,
    .played_in = {Configured::SmallLeaves},
    .scenario = R"(
# With IndexBits 5 the built-in driver's pages are of 4 KB, 128 KB and 4 MB.
about: an allocation of two large pages, written from its first page to its last, and one of larger pages; the first is taken apart, mapped anew and moved
ops:
- configure: {setting: HighSegment, value: 1}
- create_context: {context: 1}
- create_allocation: {allocation: 1, pages: 64, place: local}
- render: {context: 1}
- bind: {slot: 1, allocation: 1}
- fill: {slot: 1, offset: 0, size: 131072, value: 0x11111111}
- fill: {slot: 1, offset: 131072, size: 131072, value: 0x22222222}
- add: {slot: 1, offset: 126976, value: 1}
- add: {slot: 1, offset: 258048, value: 2}
- idle
- create_allocation: {allocation: 2, pages: 1056}
- render: {context: 1}
- bind: {slot: 2, allocation: 2}
- fill: {slot: 2, offset: 0, size: 4096, value: 0x33333333}
- fill: {slot: 2, offset: 1048576, size: 131072, value: 0x44444444}
- add: {slot: 2, offset: 4190208, value: 1}
- add: {slot: 2, offset: 4194304, value: 1}
- idle
# One page of it goes, and what is left needs a table; then there is a large page again. A second
# engine, if there is one, keeps what it has read while the first one pages.
- create_context: {context: 2, node: 1}
- create_context: {context: 2}
- free_address: {allocation: 1, page: 5, pages: 1}
- render: {context: 2}
- bind: {slot: 1, allocation: 1}
- add: {slot: 1, offset: 16384, value: 1}
- add: {slot: 1, offset: 24576, value: 1}
- idle
- free_address: {allocation: 1}
- map_address: {allocation: 1, at: same}
- render: {context: 2}
- bind: {slot: 1, allocation: 1}
- add: {slot: 1, offset: 20480, value: 1}
- idle
- move: {allocation: 1}
- render: {context: 2}
- bind: {slot: 1, allocation: 1}
- add: {slot: 1, offset: 20484, value: 1}
- add: {slot: 1, offset: 131072, value: 1}
- idle
# What may be done there is said of a large page as of any other.
- map_address: {allocation: 1, at: next, protection: read_only}
- map_address: {allocation: 1, at: next, protection: no_execute}
- evict: {allocation: 1}
- idle
)",
    .control = R"(
about: an allocation that is smaller than a large page
ops:
- create_context: {context: 1}
- create_allocation: {allocation: 1, pages: 4, place: local}
- render: {context: 1}
- bind: {slot: 1, allocation: 1}
- fill: {slot: 1, offset: 0, size: 16384, value: 0x11111111}
- idle
)",
    .fault = {.about = "one bit of the address of large pages is lost",
              .interposer = [] { return std::unique_ptr<Interposer>(new LosesABit); },
              .also_fires = "PGSZ-001 PT-005 PT-026 PTE-001 SUBMIT-015 VA-008 VPAGE-004"},
    .device_fault = {.about = "what is written within a large page goes a word behind its place",
                     .seat = FaultSeat::Device,
                     .variant = 7,
                     .also_fires = "PGSZ-001 PT-005 SUBMIT-015 VPAGE-004"}};

WDDM_RULE(kRule);

}  // namespace
}  // namespace wddm::pte_007
