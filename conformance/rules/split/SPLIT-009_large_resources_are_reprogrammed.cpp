// SPLIT-009: large resources are reprogrammed at every split point.

#include <algorithm>

#include "conformance/rules/rule.h"
#include "conformance/rules/scratch.h"
#include "conformance/rules/split/named_when_changed.h"
#include "conformance/rules/split/rendered_lists.h"
#include "conformance/rules/split/slot_rows.h"

namespace wddm::split_009 {
namespace {

// "Large" has no number in the documents: a quarter of the largest memory segment is one here.
std::uint64_t large_from(const Platform& platform) {
  std::uint64_t largest = 0;
  for (const PlatformSegment& segment : platform.segments) {
    if (!segment.flags.aperture()) largest = std::max(largest, segment.size);
  }
  return largest / 4;
}

NotApplicable with_memory(const Platform& platform) {
  if (const NotApplicable reason = split::slot_rows(platform)) return reason;
  return platform.started && large_from(platform) == 0
             ? "no segment of memory, by which a resource would be large"
             : nullptr;
}

// The slots of elements [first, end), ascending: a group may be as long as the list.
void name_slots(const split::RenderedList& list, std::size_t first, std::size_t end,
                ScratchVector<std::uint32_t>& slots) {
  slots.clear();
  for (std::size_t i = first; i < end; ++i) slots.push_back(list.elements[i].slot());
  std::sort(slots.begin(), slots.end());
}

void check_list(const split::RenderedList& list, std::uint64_t large, Judgement& judgement) {
  // Few rows hold a large resource at once: only those are walked.
  ScratchMap<std::uint32_t, std::uint32_t> rows;  // element by slot
  ScratchVector<std::uint32_t> named;
  for (std::size_t first = 0, end = 0; first < list.elements.size(); first = end) {
    end = list.group_end(first);
    if (list.elements[first].split_offset >= list.bytes) return;
    if (!rows.empty()) name_slots(list, first, end, named);
    for (const auto& [slot, element] : rows) {
      judgement.reached(list.rendered);
      if (std::binary_search(named.begin(), named.end(), slot)) continue;
      judgement.fail(list.rendered,
                     "an element for slot " + split::number(slot) + " at split point " +
                         split::number(list.elements[first].split_offset) +
                         ", so that its allocation can move",
                     "the last is element " + split::number(element));
      return;
    }
    for (std::size_t i = first; i < end; ++i) {
      const PatchRecord& element = list.elements[i];
      rows.erase(element.slot());
      if (!list.names_allocation(element)) continue;
      if (list.entries[element.allocation_index].size < large) continue;
      rows[element.slot()] = static_cast<std::uint32_t>(i);
    }
  }
}

void check(const Trace& trace, const Platform& platform, Judgement& judgement) {
  const std::uint64_t large = large_from(platform);
  if (large == 0) return;
  split::for_each_list(trace, [&](const split::RenderedList& list) {
    if (list.is_sorted() && !list.cramped) check_list(list, large, judgement);
  });
}

// Of these sizes one is more than a quarter of a segment, and fits it, whatever that has from 70 to
// 16,384 pages: what is larger than the segment is not made, and its slot names nothing.
#define DRAWS_WITH_A_TEXTURE_OF(count)                  \
  "- create_allocation: {allocation: 0, pages: " #count \
  ", place: local}\n"                                   \
  "- make_resident: {allocation: 0}\n"                  \
  "- render: {context: 0}\n"                            \
  "- bind: {slot: 0, allocation: 0}\n"                  \
  "- bind: {slot: 1, allocation: 1}\n"                  \
  "- copy: {slot: 1, source: 0}\n"                      \
  "- bind: {slot: 1, allocation: 2}\n"                  \
  "- copy: {slot: 1, source: 0}\n"                      \
  "- bind: {slot: 1, allocation: 3}\n"                  \
  "- copy: {slot: 1, source: 0}\n"                      \
  "- idle\n"                                            \
  "- destroy_allocation: {allocation: 0}\n"

const Rule kRule{
    .id = "SPLIT-009",
    .title = "Large resources are reprogrammed at every split point",
    .level = Level::Should,
    .rule =
        "At each split point after the first, every slot that holds a large allocation has an "
        "element with that SplitOffset and its own patch location, so that the allocation can "
        "move there.",
    .sources =
        "splitting-a-dma-buffer.md # the driver should reprogram large resources (64-MB texture)",
    .note =
        "Large is taken to be a quarter of the largest memory segment or more. An element that "
        "replaces or empties the slot counts as well. Where memory is so large that no scenario "
        "makes an "
        "allocation of that size, nothing is judged.",
    .applies = with_memory,
    .check = check,
    .scenario = R"(
about: textures of which one at least is large beside the segment, each used by three draws with different targets
ops:
- create_context: {context: 0}
- create_allocation: {allocation: 1, place: local}
- create_allocation: {allocation: 2, place: local}
- create_allocation: {allocation: 3, place: local}
- make_resident: {allocation: 1}
- make_resident: {allocation: 2}
- make_resident: {allocation: 3}
)" DRAWS_WITH_A_TEXTURE_OF(64) DRAWS_WITH_A_TEXTURE_OF(200) DRAWS_WITH_A_TEXTURE_OF(640)
        DRAWS_WITH_A_TEXTURE_OF(2048) DRAWS_WITH_A_TEXTURE_OF(4096),
    .control = R"(
about: the large texture is released before the next draw
ops:
- create_allocation: {allocation: 0, pages: 64, place: local}
- create_allocation: {allocation: 1, place: local}
- create_context: {context: 0}
- render: {context: 0}
- bind: {slot: 0, allocation: 0}
- fill: {slot: 0}
- unbind: {slot: 0}
- bind: {slot: 1, allocation: 1}
- fill: {slot: 1}
- idle
)",
    .fault = {.about = "slots that stay bound are left out of the list at later split points",
              .interposer = [] { return std::unique_ptr<Interposer>(new split::NamesChangesOnly); },
              .also_fires = "BIND-001 RENDER-003 RENDER-007 SUBMIT-017"}};

#undef DRAWS_WITH_A_TEXTURE_OF

WDDM_RULE(kRule);

}  // namespace
}  // namespace wddm::split_009
