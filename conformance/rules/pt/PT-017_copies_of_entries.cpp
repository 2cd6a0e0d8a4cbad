// PT-017: CopyPageTableEntries copies ranges of entries, whatever they say.

#include "conformance/rules/pt/altered_copies.h"
#include "conformance/rules/pt/copied_ranges.h"
#include "conformance/rules/rule.h"

namespace wddm::pt_017 {
namespace {

void check(const Trace& trace, const Platform&, Judgement& judgement) {
  for (const std::uint32_t index : trace.of<ev::EntriesCopied>()) {
    const auto copied = trace.at<ev::EntriesCopied>(index);
    if (copied.read == 0) continue;
    judgement.reached(index);
    if (copied.unlike == 0 && copied.outside == 0) continue;
    judgement.fail(index, pt::asked_of(copied) + " of the source, and no others",
                   pt::seen_of(copied));
  }
}

// Takes the first index of the source for one that counts from one.
class CountsFromOne final : public pt::AltersCopies {
 private:
  void alter(std::span<DXGK_BUILDPAGINGBUFFER_COPY_RANGE> ranges) override {
    for (auto& range : ranges) ++range.SrcStartPteIndex;
  }
};

// clang-format off
#define STOP(units) \
  "- advance: {units: " #units "}\n" \
  "- preempt: {node: 0}\n" \
  "- preempt: {node: 1}\n"
// clang-format on
#define STOPS STOP(1) STOP(1) STOP(2) STOP(1) STOP(3) STOP(2)

// Two ranges of some hundred entries each, which other paging has written: pages that repeat from
// another one on than before. What is copied begins in the rest of a buffer, which is too short.
#define COPIED_ANEW(first, bytes)                                                       \
  "- paging_buffer: {measure: needed_minus, bytes: " #bytes                             \
  ", packed: true}\n"                                                                   \
  "- tile_updates: {context: 1, fence: 0, repeated_pages: 60}\n"                        \
  "- update_address: {allocation: 3, kind: map, to: 0, from: " #first                   \
  ", pages: 480}\n"                                                                     \
  "- idle\n"                                                                            \
  "- tile_updates: {context: 1, fence: 1}\n"                                            \
  "- update_address: {allocation: 3, kind: copy, to: 512, from: 0, pages: 480}\n"       \
  "- idle\n"

const Rule kRule{
    .id = "PT-017",
    .title = "CopyPageTableEntries copies ranges of entries, whatever they say",
    .evidence = Evidence::Memory,
    .rule =
        "For each of pRanges, in their order, NumPageTableEntries entries from "
        "SrcStartPteIndex of the source table replace those from DstStartPteIndex of the "
        "destination: valid, zero and invalid ones alike. Nothing else in either table "
        "changes.",
    .sources =
        "ns-d3dkmddi-_dxgk_buildpagingbuffer_copypagetableentries.md\n"
        "ns-d3dkmddi-_dxgk_buildpagingbuffer_copy_range.md\n"
        "tile-resources.md",
    .note =
        "The addresses are documented as 64 KB aligned although tables may have 4 KB: that "
        "is what Windows promises, no size of a table. With CPU_VIRTUAL as the mode of "
        "updates the operation is not used. Without a client that reads entries they are compared "
        "byte by byte, where walks in the device's log have shown how many an entry has. Played by "
        "roots that change their size, and by updates between draws, which map tiles and copy them "
        "to other addresses of the process.",
    .applies = pt::copying_seen,
    .check = check,
    .played_in = {Configured::GpuVirtual, Configured::GpuVirtualUpdates},
    .scenario = R"(
about: a root of two levels grows to the end of the space and shrinks; tiles are mapped anew and copied
ops:
# Who does not read this copies as it is.
- configure: {setting: PageTableUpdateMode, value: 2}
- create_context: {context: 1}
- create_allocation: {allocation: 1, pages: 4, place: local}
- make_resident: {allocation: 1}
- map_address: {allocation: 1, at: bit, bit: 23}
- map_address: {allocation: 1, at: top}
- free_address: {allocation: 1}
- idle
- create_allocation: {allocation: 2, pages: 8, place: local}
- create_allocation: {allocation: 3, pages: 8, place: local}
- make_resident: {allocation: 2}
- make_resident: {allocation: 3}
- reserve_address: {device: 0, base: 0x2000000, size: 0x400000}
- tile_updates: {context: 1, fence: 1}
- update_address: {allocation: 2, kind: map, to: 0, from: 0, pages: 8}
- signal_fence: {context: 1, fence: 1}
- update_address: {allocation: 3, kind: map, to: 0, from: 0, pages: 8}
- update_address: {allocation: 3, kind: copy, to: 16, from: 0, pages: 8}
- update_address: {allocation: 3, kind: copy, to: 2, from: 8, pages: 4}
- idle
)",
    .control = R"(
about: the root stays as it is, copies of tiles are stopped and go on, and others need more of a buffer than there is
ops:
- configure: {setting: PageTableUpdateMode, value: 2}
- create_context: {context: 1}
- create_allocation: {allocation: 1, pages: 8, place: local}
- create_allocation: {allocation: 2, pages: 8, place: local}
- make_resident: {allocation: 1}
- make_resident: {allocation: 2}
- reserve_address: {device: 0, base: 0x2000000, size: 0x400000}
- tile_updates: {context: 1, fence: 1}
- update_address: {allocation: 1, kind: map, to: 0, from: 0, pages: 8}
- idle
# Of the node that pages, whichever it is.
- update_address: {allocation: 2, kind: map, to: 0, from: 0, pages: 8}
)" STOPS STOPS STOPS STOPS R"(
- idle
- update_address: {allocation: 2, kind: copy, to: 16, from: 0, pages: 8}
)" STOPS STOPS STOPS STOPS R"(
- idle
- render: {context: 1}
- bind: {slot: 1, allocation: 2}
- fill: {slot: 1, offset: 0, size: 32768, value: 0x22222222}
- idle
- create_allocation: {allocation: 3, pages: 68, place: local}
- make_resident: {allocation: 3}
- reserve_address: {device: 0, base: 0x4000000, size: 0x800000}
)" COPIED_ANEW(0, 4) COPIED_ANEW(3, 4) COPIED_ANEW(5, 28) COPIED_ANEW(8, 52),
    .fault = {.about = "the source is read one entry further on",
              .interposer = [] { return std::unique_ptr<Interposer>(new CountsFromOne); },
              .also_fires = "PT-025 VA-009"}};

#undef STOP
#undef STOPS
#undef COPIED_ANEW

WDDM_RULE(kRule);

}  // namespace
}  // namespace wddm::pt_017
