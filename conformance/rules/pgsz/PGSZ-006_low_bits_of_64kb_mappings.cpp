// PGSZ-006: in mappings of pages of 64 KB the low 16 bits of address and page agree.

#include "conformance/rules/pt/table_updates.h"
#include "conformance/rules/rule.h"
#include "conformance/rules/scratch.h"

namespace wddm::pgsz_006 {
namespace {

constexpr std::uint32_t kSegmentUses64KBPages = 1u << 11;  // of DXGK_SEGMENTFLAGS
constexpr std::uint64_t kLargePage = 65536;

std::uint32_t segments_of_large_pages(const Platform& platform) {
  std::uint32_t set = 0;
  for (std::size_t i = 0; i < platform.segments.size() && i < 32; ++i) {
    if ((platform.segments[i].flags.value & kSegmentUses64KBPages) != 0) set |= 1u << i;
  }
  return set;
}

// Where in its segment the page is, as DXGK_PTE says it: what BaseAddress adds is the driver's.
std::uint64_t offset_in_segment(const Platform& platform, const EntryRecord& entry) {
  if (pt::is_system(entry)) return entry.address;
  for (const PlatformSegment& segment : platform.segments) {
    const std::uint64_t offset = entry.address - segment.base;
    if (!segment.flags.aperture() && offset < segment.size) return offset;
  }
  return entry.address;
}

void check_entries(const Trace& trace, const Platform& platform, Judgement& judgement) {
  for (const std::uint32_t index : trace.of<ev::TableUpdated>()) {
    const auto update = trace.at<ev::TableUpdated>(index);
    if (update.level != 0 || (update.flags & pt::kUse64KBPages) == 0) continue;
    for (const EntryRecord& entry : trace.blob<EntryRecord>(trace.events()[index])) {
      if (!pt::leads_somewhere(entry)) continue;
      judgement.reached(index);
      const std::uint64_t page = offset_in_segment(platform, entry);
      if (update.first_va % kLargePage == 0 && page % kLargePage == 0) continue;
      judgement.fail(index, "an address and a page that are multiples of 64 KB",
                     pt::text_of(entry) + ", in " + pt::text_of(update));
      break;
    }
  }
}

// Where VidMm chose the address of an allocation that may lie in such pages.
void check_choices(const Trace& trace, std::uint32_t large, Judgement& judgement) {
  ScratchMap<std::uint32_t, std::uint32_t> created;  // by allocation: its event
  for (const std::uint32_t index : trace.of_any<ev::AllocationCreated, ev::AddressAnswered>()) {
    if (trace.events()[index].kind == EventKind::AllocationCreated) {
      const auto one = trace.at<ev::AllocationCreated>(index);
      created.erase(one.allocation);
      if ((one.write_set & large) != 0) created[one.allocation] = index;
      continue;
    }
    const auto one = trace.at<ev::AddressAnswered>(index);
    const bool chosen = one.request == static_cast<std::uint32_t>(AddressRequest::Map) &&
                        one.refused == 0 && one.base == 0 && one.maximum == 0;
    const auto allocation = created.find(one.allocation);
    if (!chosen || allocation == created.end()) continue;
    judgement.reached(index);
    if (one.address % kLargePage == one.offset % kLargePage) continue;
    judgement.fail(index, "an address whose low 16 bits are those of the offset in the allocation",
                   std::to_string(one.address), {allocation->second});
  }
}

void check(const Trace& trace, const Platform& platform, Judgement& judgement) {
  check_entries(trace, platform, judgement);
  check_choices(trace, segments_of_large_pages(platform), judgement);
}

NotApplicable large_segments(const Platform& platform) {
  if (const NotApplicable reason = page_tables(platform)) return reason;
  return segments_of_large_pages(platform) != 0 ? nullptr : "no segment has 64 KB pages";
}

const Rule kRule{
    .id = "PGSZ-006",
    .title = "VA and physical address agree in the low 16 bits of a 64 KB mapping",
    .binds = Binds::Os,
    .evidence = Evidence::Boundary,
    .rule =
        "An entry of a leaf of 64 KB pages has an address and a page that are multiples of 64 KB. "
        "Where VidMm chooses the address of an allocation in such pages, its low 16 bits are those "
        "of the page.",
    .sources =
        "gpu-virtual-address.md # Physical page size\n"
        "ns-d3dukmdt-_dxgk_pte.md # PageAddress",
    .note =
        "A page counts from the start of its segment, as PageAddress does: that a segment begins "
        "at "
        "a multiple of 64 KB no page says. At a BaseAddress that user mode has chosen otherwise "
        "such memory is mapped by entries of 4 KB.",
    .applies = large_segments,
    .check = check,
    .played_in = {Configured::Pages64K, Configured::Pairs},
    .scenario = R"(
about: an allocation in 64 KB pages where VidMm likes, and at a page of 4 KB
ops:
- create_allocation: {allocation: 1, pages: 32, place: local}
- make_resident: {allocation: 1}
- map_range: {allocation: 1, pages: 16, page: 16}
- map_range: {allocation: 1, at: base, base: 0x2001000, pages: 32}
- map_range: {allocation: 1, at: base, base: 0x2100000, pages: 32}
- idle
)",
    .control = R"(
about: system memory has pages of 4 KB
ops:
- create_allocation: {allocation: 1, pages: 3, place: aperture}
- make_resident: {allocation: 1}
- idle
)",
    .fault = {.about = "VidMm chooses any page",
              .seat = FaultSeat::Oracle,
              .oracle = OracleFault::LargePagesAnywhere}};

WDDM_RULE(kRule);

}  // namespace
}  // namespace wddm::pgsz_006
