// PGSZ-001: system memory is mapped in pages of 4 KB, each where it lies.
//
// Judged are blocks of 64 KB of addresses whose sixteen pages lie apart: by their entries, and by
// memory, where an entry has more bits than the decoder tells of.

#include "conformance/rules/pt/altered_updates.h"
#include "conformance/rules/pt/table_updates.h"
#include "conformance/rules/va/space_history.h"

namespace wddm::pgsz_001 {
namespace {

constexpr std::uint64_t kPage = 4096;
constexpr std::uint32_t kPagesOfBlock = 16;

std::uint32_t page_in_block(const ev::TableUpdated& update, std::size_t entry) {
  return static_cast<std::uint32_t>((update.first_va / kPage + entry) % kPagesOfBlock);
}

// The first entry of the update behind which a whole block of scattered system pages begins.
bool has_block(const Trace& trace, const pt::CarriedOut& one) {
  if (one.update.level != 0 || one.has(pt::kUse64KBPages)) return false;
  const auto entries = trace.blob<EntryRecord>(trace.events()[one.built]);
  std::uint32_t run = 0;
  bool apart = false;
  for (std::size_t i = 0; i < entries.size(); ++i) {
    if (page_in_block(one.update, i) == 0) run = 0, apart = false;
    const bool ours = pt::leads_somewhere(entries[i]) && pt::is_system(entries[i]);
    if (!ours) run = kPagesOfBlock + 1;
    if (ours && run > 0) apart |= entries[i].address != entries[i - 1].address + kPage;
    if (++run == kPagesOfBlock && apart) return true;
  }
  return false;
}

// The entry is as if one page of 64 KB began at the first of its block, or is left to that one.
bool is_of_the_first(const Trace& trace, const pt::CarriedOut& one,
                     const EntryDifference& differs) {
  const auto entries = trace.blob<EntryRecord>(trace.events()[one.built]);
  const std::uint32_t at = differs.index - one.update.first;
  const std::uint32_t inside = page_in_block(one.update, at);
  if (inside == 0 || inside > at || at >= entries.size() || one.never_came()) return false;
  if (!pt::leads_somewhere(differs.seen)) return true;
  const std::uint64_t next = entries[at - inside].address + inside * kPage;
  return differs.seen.address == next && differs.expected.address != next;
}

// Packets that wrote to the first page of each block, and not to all behind it.
class Written final : public SpaceObserver {
 public:
  Written(const ScratchMap<std::uint32_t, std::uint32_t>& mapped, Judgement& judgement)
      : mapped_(mapped), judgement_(judgement) {}
  void shown(const SpaceSign& sign) override {
    if (sign.kind != SpaceSign::Kind::Memory || sign.packet.context == kNone) return;
    const auto update = mapped_.find(sign.memory.object);
    const bool whose = sign.memory.where == static_cast<std::uint32_t>(MemoryPlace::Allocation) &&
                       update != mapped_.end() && update->second < sign.packet.submitted;
    if (!whose || sign.memory.offset / kPage % kPagesOfBlock == 0) return;
    fail_by(sign, judgement_, "every page of system memory is reached through its own entry",
            {update->second, sign.packet.submitted});
  }

 private:
  const ScratchMap<std::uint32_t, std::uint32_t>& mapped_;
  Judgement& judgement_;
};

void check(const Trace& trace, const Platform&, Judgement& judgement) {
  ScratchMap<std::uint32_t, std::uint32_t> mapped;  // by allocation: update
  const auto concerned = [&](const pt::CarriedOut& one) {
    if (!has_block(trace, one)) return false;
    mapped.insert({one.update.allocation, one.built});
    return true;
  };
  pt::judge_entries(trace, judgement, concerned,
                    [&](const pt::CarriedOut& one, const EntryDifference& differs) {
                      return is_of_the_first(trace, one, differs);
                    });
  Written written(mapped, judgement);
  observe_spaces(trace, written);
}

NotApplicable small_system_pages(const Platform& platform) {
  constexpr std::uint32_t kLargeSystemPages = 1u << 9 | 1u << 11;  // of DXGK_GPUMMUCAPS
  if (const NotApplicable reason = page_tables_and_decoder(platform)) return reason;
  return (platform.gpu_mmu_caps.value & kLargeSystemPages) == 0
             ? nullptr
             : "larger pages of system memory: SysMem64KBPageSupported or SysMemLargePageSupported";
}

// A driver that makes one page of 64 KB of each block that is whole.
class MergesBlocks final : public pt::AltersUpdates {
  bool alter(DXGK_BUILDPAGINGBUFFER_UPDATEPAGETABLE& update) override {
    const UINT64 first = update.FirstPteVirtualAddress / kPage;
    for (UINT i = 0; update.PageTableLevel == 0 && i < update.NumPageTableEntries; ++i) {
      DXGK_PTE& entry = update.pPageTableEntries[i];
      const UINT inside = static_cast<UINT>((first + i) % kPagesOfBlock);
      const bool whole = i >= inside && i - inside + kPagesOfBlock <= update.NumPageTableEntries;
      if (!whole || !entry.Valid || entry.Zero || entry.Segment != 0) continue;
      entry.PageAddress = update.pPageTableEntries[i - inside].PageAddress + inside;
    }
    return true;
  }
};

const Rule kRule{
    .id = "PGSZ-001",
    .title = "System memory is always mapped in 4 KB pages",
    .evidence = Evidence::Memory,
    .rule =
        "System memory behind a range of addresses has one entry for each page of 4 KB, and each "
        "page may lie anywhere. Entries of neighbours are not made one larger page because the "
        "allocation is large, or aligned to 64 KB.",
    .sources =
        "gpu-virtual-address.md # introduction, Physical page size\n"
        "support-for-64kb-pages.md",
    .note =
        "SysMem64KBPageSupported and SysMemLargePageSupported are taken for the wish to get larger "
        "pages, which this host does not give.",
    .applies = small_system_pages,
    .check = check,
    .played_in = {Configured::GpuVirtual, Configured::FourLevels, Configured::Pages64K},
    .scenario = R"(
about: 32 pages of system memory that lie apart, at an address that is a multiple of 64 KB
ops:
- create_context: {context: 1}
- create_allocation: {allocation: 1, pages: 32, place: aperture}
- render: {context: 1}
- bind: {slot: 1, allocation: 1}
- fill: {slot: 1, offset: 0, size: 65536, value: 0x11223344}
- fill: {slot: 1, offset: 65536, size: 65536, value: 0x55667788}
- idle
)",
    .control = R"(
about: fewer pages than a block of 64 KB has
ops:
- create_context: {context: 1}
- create_allocation: {allocation: 1, pages: 15, place: aperture}
- render: {context: 1}
- bind: {slot: 1, allocation: 1}
- fill: {slot: 1, offset: 0, size: 61440, value: 0x11223344}
- idle
)",
    .fault = {.about = "sixteen pages of system memory are taken to follow the first",
              .interposer = [] { return std::unique_ptr<Interposer>(new MergesBlocks); },
              .also_fires = "NT-DmaOutsideMemory PT-014 SUBMIT-015 SUBMIT-017"}};

WDDM_RULE(kRule);

}  // namespace
}  // namespace wddm::pgsz_001
