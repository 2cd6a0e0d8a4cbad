// PGSZ-013: where paging shows memory in pages of 64 KB by entries of 4 KB, addresses and pages
// agree in their low 16 bits. What clients get is PGSZ-006.
//
// Judged are windows onto allocations: where page tables lie in such memory is PT-002.

#include <optional>

#include "conformance/rules/hex_text.h"
#include "conformance/rules/pt/table_updates.h"
#include "conformance/rules/rule.h"

namespace wddm::pgsz_013 {
namespace {

constexpr std::uint32_t kSegmentUses64KBPages = 1u << 11;  // of DXGK_SEGMENTFLAGS
constexpr std::uint64_t kPage = 4096, kLargePage = 65536;

// The offset in its segment of what an entry leads to, if that segment has pages of 64 KB. An
// aperture may have the same addresses, and segments of another GPU are not known here.
std::optional<std::uint64_t> place_in_large_pages(const Platform& platform,
                                                  const EntryRecord& entry) {
  std::optional<std::uint64_t> place;
  if (!pt::leads_somewhere(entry) || pt::is_system(entry) || entry.adapter != 0) return place;
  for (const PlatformSegment& segment : platform.segments) {
    const std::uint64_t offset = entry.address - segment.base;
    if (offset >= segment.size) continue;
    if (segment.flags.aperture()) return std::nullopt;
    if ((segment.flags.value & kSegmentUses64KBPages) != 0) place = offset;
  }
  return place;
}

void check(const Trace& trace, const Platform& platform, Judgement& judgement) {
  for (const std::uint32_t index : trace.of<ev::TableUpdated>()) {
    const auto update = trace.at<ev::TableUpdated>(index);
    if (update.process != kSystemProcessNumber || update.allocation == kNone) continue;
    if (update.level != 0 || (update.flags & (pt::kUse64KBPages | pt::kRepeat)) != 0) continue;
    const auto entries = trace.blob<EntryRecord>(trace.events()[index]);
    bool judged = false;
    for (std::size_t i = 0; i < entries.size(); ++i) {
      const auto place = place_in_large_pages(platform, entries[i]);
      if (!place) continue;
      if (!judged) judgement.reached(index);
      judged = true;
      const std::uint64_t address = update.first_va + i * kPage;
      if (address % kLargePage == *place % kLargePage) continue;
      judgement.fail(index, "an address and a page that are alike inside a page of 64 KB",
                     "address " + hex_text(address) + " " + pt::text_of(entries[i]) + ", in " +
                         pt::text_of(update));
      break;
    }
  }
}

NotApplicable large_segments(const Platform& platform) {
  if (const NotApplicable reason = page_tables(platform)) return reason;
  for (const PlatformSegment& segment : platform.segments) {
    if ((segment.flags.value & kSegmentUses64KBPages) != 0) return nullptr;
  }
  return "no segment has 64 KB pages";
}

const Rule kRule{
    .id = "PGSZ-013",
    .title = "Paging sees memory in 64 KB pages at its place inside of them",
    .binds = Binds::Os,
    .evidence = Evidence::Boundary,
    .rule =
        "Where the paging process maps a part of an allocation in pages of 64 KB by entries of 4 "
        "KB, each address has the low 16 bits of the page that it leads to, wherever in such a "
        "page the part begins.",
    .sources = "gpu-virtual-address.md # Physical page size",
    .note =
        "A driver may make one entry of sixteen such. Where user mode has chosen the address it "
        "may be any (PGSZ-006), so that is asked of VidMm's own windows alone.",
    .applies = large_segments,
    .check = check,
    .played_in = {Configured::Pages64K, Configured::Pairs},
    .scenario = R"(
about: an allocation in 64 KB pages leaves and comes back in parts that begin anywhere in a page
ops:
- create_context: {context: 1}
- create_allocation: {allocation: 1, pages: 32, place: local}
- make_resident: {allocation: 1}
- render: {context: 1}
- bind: {slot: 1, allocation: 1}
- fill: {slot: 1, offset: 0, size: 131072, value: 0x11223344}
- idle
- transfer_chunk: {pages: 3}
- evict: {allocation: 1}
- make_resident: {allocation: 1}
- render: {context: 1}
- bind: {slot: 1, allocation: 1}
- add: {slot: 1, offset: 0, value: 1}
- idle
)",
    .control = R"(
about: system memory has pages of 4 KB
ops:
- create_allocation: {allocation: 1, pages: 3, place: aperture}
- make_resident: {allocation: 1}
- idle
)",
    .fault = {.about = "windows of the paging process begin where they are",
              .seat = FaultSeat::Oracle,
              .oracle = OracleFault::WindowsOutOfPhase}};

WDDM_RULE(kRule);

}  // namespace
}  // namespace wddm::pgsz_013
