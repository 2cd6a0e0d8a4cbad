// PGSZ-002: allocations that may lie in a segment of 64 KB pages are aligned to 64 KB.

#include "conformance/rules/alloc/altered_allocations.h"
#include "conformance/rules/alloc/descriptions.h"
#include "conformance/rules/rule.h"

namespace wddm::pgsz_002 {
namespace {

constexpr std::uint32_t kUse64KBPages = 1u << 11;  // of DXGK_SEGMENTFLAGS
constexpr std::uint32_t kLargePage = 64 << 10;

// Bit n is segment n + 1, as in the segment sets of allocations.
std::uint32_t segments_of_large_pages(const Platform& platform) {
  std::uint32_t set = 0;
  for (std::size_t i = 0; i < platform.segments.size() && i < 32; ++i) {
    if ((platform.segments[i].flags.value & kUse64KBPages) != 0) set |= 1u << i;
  }
  return set;
}

// GPUs of a link may have different segments; the set of an allocation is of its own GPU's.
std::uint32_t segments_of_large_pages(const Trace& trace, const Platform& platform,
                                      const ev::AllocationCreated& created) {
  const std::uint32_t gpu = created.renaming;  // PhysicalAdapterIndex
  const bool on_another =
      platform.has_virtual_addresses() && gpu != 0 && gpu < platform.linked_adapters;
  if (!on_another) return segments_of_large_pages(platform);
  std::uint32_t set = 0;
  for (const std::uint32_t index : trace.of<ev::SegmentReported>()) {
    const auto segment = trace.at<ev::SegmentReported>(index);
    if (segment.physical_adapter != gpu || segment.round != 0) continue;
    if (segment.segment - 1 >= 32 || (segment.flags & kUse64KBPages) == 0) continue;
    set |= 1u << (segment.segment - 1);
  }
  return set;
}

void check(const Trace& trace, const Platform& platform, Judgement& judgement) {
  alloc::for_each_description(trace, [&](const alloc::Description& said) {
    const std::uint32_t large = segments_of_large_pages(trace, platform, said.info);
    if ((said.info.write_set & large) == 0) return;
    judgement.reached(said.index);
    if (said.info.alignment != 0 && said.info.alignment % kLargePage == 0) return;
    judgement.fail(said.index, "an Alignment that is a multiple of 65536",
                   std::to_string(said.info.alignment) + said.whose());
  });
}

// A driver that aligns to 4 KB wherever that is enough for itself.
void align_to_4kb(DXGK_ALLOCATIONINFO& info) {
  info.Alignment = 4096;
}

NotApplicable large_pages(const Platform& platform) {
  if (const NotApplicable reason = paging(platform)) return reason;
  return segments_of_large_pages(platform) != 0 ? nullptr : "no segment has 64 KB pages";
}

const Rule kRule{
    .id = "PGSZ-002",
    .aliases = "ALLOC-006",
    .title = "Alignment follows the page size of the segment",
    .rule =
        "With Use64KBPages a memory segment is managed in pages of 64 KB. CreateAllocation "
        "returns an Alignment that is a multiple of 64 KB for every allocation that may be placed "
        "in such a segment.",
    .sources =
        "ns-d3dkmddi-_dxgk_segmentflags.md # Use64KBPages\n"
        "support-for-64kb-pages.md\n"
        "ns-d3dkmddi-_dxgk_allocationinfo.md # Alignment, SupportedWriteSegmentSet",
    .applies = large_pages,
    .check = check,
    .played_in = {Configured::Pages64K, Configured::Pairs},
    .scenario = R"(
about: allocations smaller and larger than a page of the segment
ops:
- create_allocation: {allocation: 0, place: local}
- create_allocation: {allocation: 1, pages: 17, place: local}
- create_allocation: {allocation: 2}
)",
    .control = R"(
about: an allocation of exactly such a page, and the surfaces that Dxgkrnl makes
ops:
- create_allocation: {allocation: 0, pages: 16, place: local}
- requery: {allocations: 1}
- requery: {allocations: 1, standard: 2}
- requery: {allocations: 1, standard: 3}
- requery: {allocations: 1, standard: 4}
# The primary, where there are displays.
- requery: {allocations: 1, standard: 1}
)",
    .fault = {.about = "every allocation is aligned to 4 KB",
              .interposer = alters_allocations<align_to_4kb>}};

WDDM_RULE(kRule);

}  // namespace
}  // namespace wddm::pgsz_002
