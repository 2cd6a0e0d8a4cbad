// PGSZ-005: a page of 64 KB seen through a table of 4 KB pages is sixteen entries, each of use
// alone.

#include "conformance/rules/pt/altered_updates.h"
#include "conformance/rules/pt/table_updates.h"
#include "conformance/rules/va/space_history.h"

namespace wddm::pgsz_005 {
namespace {

constexpr std::uint32_t kSegmentUses64KBPages = 1u << 11;  // of DXGK_SEGMENTFLAGS
constexpr std::uint32_t kPagesOfBlock = 16;

// An aperture may have the addresses of a memory segment too.
bool in_large_pages(const Platform& platform, const EntryRecord& entry) {
  if (!pt::leads_somewhere(entry) || pt::is_system(entry)) return false;
  for (const PlatformSegment& segment : platform.segments) {
    const bool inside = !segment.flags.aperture() && entry.address - segment.base < segment.size;
    if (inside) return (segment.flags.value & kSegmentUses64KBPages) != 0;
  }
  return false;
}

// Allocations whose pages of 64 KB are seen so, and the updates that say it.
class SmallEntries {
 public:
  SmallEntries(const Trace& trace, const Platform& platform) : trace_(trace), platform_(platform) {}

  // Entries that lead into such pages, or take one of them back.
  bool concerns(const pt::CarriedOut& one) {
    if (one.update.level != 0 || one.has(pt::kUse64KBPages)) return false;
    const bool maps = pt::writes(
        trace_, one, [this](const EntryRecord& entry) { return in_large_pages(platform_, entry); });
    // What is left of a page that was cut names no allocation, nor do buffers of commands.
    if (one.update.allocation == kNone) return maps;
    if (maps) updates_[one.update.allocation] = one.built;
    const bool part =
        one.update.count % kPagesOfBlock != 0 || one.update.first % kPagesOfBlock != 0;
    const bool known = updates_.contains(one.update.allocation);
    if (known && part) updates_[one.update.allocation] = one.built;
    return maps || (known && part && !one.has(pt::kInitialUpdate));
  }
  [[nodiscard]] std::uint32_t update_of(std::uint32_t allocation) const {
    const auto found = updates_.find(allocation);
    return found == updates_.end() ? kNone : found->second;
  }

 private:
  const Trace& trace_;
  const Platform& platform_;
  ScratchMap<std::uint32_t, std::uint32_t> updates_;  // by allocation, the newest
};

// What was not taken back is reached as before.
class Reached final : public SpaceObserver {
 public:
  Reached(const SmallEntries& entries, Judgement& judgement)
      : entries_(entries), judgement_(judgement) {}
  void shown(const SpaceSign& sign) override {
    if (sign.kind != SpaceSign::Kind::Memory || sign.packet.context == kNone) return;
    if (sign.memory.where != static_cast<std::uint32_t>(MemoryPlace::Allocation)) return;
    const std::uint32_t update = entries_.update_of(sign.memory.object);
    if (update == kNone || sign.packet.submitted < update) return;
    fail_by(sign, judgement_, "each page of 4 KB is reached through its own entry",
            {update, sign.packet.submitted});
  }

 private:
  const SmallEntries& entries_;
  Judgement& judgement_;
};

void check(const Trace& trace, const Platform& platform, Judgement& judgement) {
  SmallEntries entries(trace, platform);
  pt::judge_entries(
      trace, judgement, [&](const pt::CarriedOut& one) { return entries.concerns(one); },
      [](const pt::CarriedOut&, const EntryDifference& differs) {
        return pt::leads_elsewhere(differs);
      });
  Reached reached(entries, judgement);
  observe_spaces(trace, reached);
}

NotApplicable large_segments(const Platform& platform) {
  if (const NotApplicable reason = page_tables_and_decoder(platform)) return reason;
  for (const PlatformSegment& segment : platform.segments) {
    if ((segment.flags.value & kSegmentUses64KBPages) != 0) return nullptr;
  }
  return "no segment has 64 KB pages";
}

// A driver for which an entry inside a page of 64 KB says nothing of its own.
class WholePagesOnly final : public pt::AltersUpdates {
  bool alter(DXGK_BUILDPAGINGBUFFER_UPDATEPAGETABLE& update) override {
    const bool inside = update.StartIndex % kPagesOfBlock != 0 &&
                        update.NumPageTableEntries < kPagesOfBlock && update.hAllocation != nullptr;
    return update.PageTableLevel != 0 || update.Flags.Use64KBPages || !inside;
  }
};

const Rule kRule{
    .id = "PGSZ-005",
    .title = "A 64 KB page seen through a 4 KB table is 16 consecutive entries",
    .evidence = Evidence::Memory,
    .rule =
        "Where a segment has pages of 64 KB and the leaf table those of 4 KB, sixteen entries with "
        "frames that follow each other lead to one. Each of them is usable by itself, in whatever "
        "operations they come, and stays so when some are written anew.",
    .sources =
        "gpu-virtual-address.md # Physical page size\n"
        "ns-d3dkmddi-_dxgk_buildpagingbuffer_updatepagetable.md # UpdateMode",
    .note =
        "For hardware whose own pages are larger the structure's page lets drivers program the "
        "entries at their starts alone; its decoder then tells entries inside a page as the page "
        "has them.",
    .applies = large_segments,
    .check = check,
    .played_in = {Configured::Pages64K, Configured::Pairs},
    .scenario = R"(
about: of a page of 64 KB in a table of 4 KB pages one sixteenth is taken back, twice
ops:
- create_context: {context: 1}
- create_allocation: {allocation: 2, pages: 3, place: aperture}
- create_allocation: {allocation: 1, pages: 32, place: local}
- make_resident: {allocation: 2}
- make_resident: {allocation: 1}
- render: {context: 1}
- bind: {slot: 1, allocation: 1}
- fill: {slot: 1, offset: 0, size: 131072, value: 0x11223344}
- idle
- free_address: {allocation: 1, page: 5, pages: 1}
- render: {context: 1}
- bind: {slot: 1, allocation: 1}
- fill: {slot: 1, offset: 16384, size: 4096, value: 0x44444444}
- fill: {slot: 1, offset: 24576, size: 4096, value: 0x66666666}
- idle
# All of it is mapped anew, and the GPU knows it so when the same page goes again.
- free_address: {allocation: 1}
- map_address: {allocation: 1, at: same}
- render: {context: 1}
- bind: {slot: 1, allocation: 1}
- fill: {slot: 1, offset: 16384, size: 12288, value: 0x77777777}
- idle
- free_address: {allocation: 1, page: 5, pages: 1}
- render: {context: 1}
- bind: {slot: 1, allocation: 1}
- fill: {slot: 1, offset: 20480, size: 4096, value: 0x55555555}
- idle
)",
    .control = R"(
about: whole pages of 64 KB
ops:
- create_context: {context: 1}
- create_allocation: {allocation: 2, pages: 3, place: aperture}
- create_allocation: {allocation: 1, pages: 32, place: local}
- make_resident: {allocation: 2}
- make_resident: {allocation: 1}
- idle
)",
    .fault = {.about = "entries inside a page of 64 KB are not written",
              .interposer = [] { return std::unique_ptr<Interposer>(new WholePagesOnly); },
              .also_fires = "MMU-012 PTE-002 RES-002 SUBMIT-015 VA-007"}};

WDDM_RULE(kRule);

}  // namespace
}  // namespace wddm::pgsz_005
