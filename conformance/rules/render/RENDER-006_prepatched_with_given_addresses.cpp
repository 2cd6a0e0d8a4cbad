// RENDER-006: pre-patching with the addresses supplied at Render time.

#include <algorithm>
#include <optional>
#include <utility>
#include <vector>

#include "conformance/host/interposer.h"
#include "conformance/rules/patch/patch_lists.h"
#include "conformance/rules/rule.h"
#include "conformance/rules/scratch.h"

namespace wddm::render_006 {
namespace {

// The entry that an element names, if its address was known when Render was called.
const AllocationRecord* known_entry(const PatchRecord& element,
                                    std::span<const AllocationRecord> entries) {
  if (element.allocation_index >= entries.size()) return nullptr;
  const AllocationRecord& entry = entries[element.allocation_index];
  return entry.allocation != kNone && entry.segment != 0 ? &entry : nullptr;
}

// The elements of one output list by PatchOffset: a buffer has as many decoded ranges as its list
// has split points, and looking at each element in each range would take their product.
class ByOffset {
 public:
  explicit ByOffset(std::span<const PatchRecord> elements) : elements_(elements) {
    order_.reserve(elements.size());
    for (std::uint32_t i = 0; i < elements.size(); ++i) {
      order_.emplace_back(elements[i].patch_offset, i);
    }
    std::sort(order_.begin(), order_.end());
  }
  template <class Visit>
  void in_range(std::uint32_t start, std::uint32_t end, Visit visit) const {
    for (auto at = std::lower_bound(order_.begin(), order_.end(), std::pair(start, 0u));
         at != order_.end() && at->first < end; ++at) {
      visit(elements_[at->second]);
    }
  }

 private:
  std::span<const PatchRecord> elements_;
  ScratchVector<std::pair<std::uint32_t, std::uint32_t>> order_;  // PatchOffset, element
};

// What the decoder read in a range right after Render.
void check_decoded(const Trace& trace, std::uint32_t index, std::uint32_t called,
                   std::uint32_t rendered, const ByOffset& elements, Judgement& judgement) {
  const auto decoded = trace.at<ev::Decoded>(index);
  const auto commands = trace.blob<WddmDecoded>(trace.events()[index]);
  const auto entries = trace.blob<AllocationRecord>(trace.events()[called]);
  elements.in_range(decoded.start, decoded.end, [&](const PatchRecord& element) {
    const AllocationRecord* const entry = known_entry(element, entries);
    if (entry == nullptr) return;
    const patch::Field field = patch::field_at(commands, element.patch_offset - decoded.start);
    if (field.width == 0) return;
    judgement.reached(index);
    const std::uint64_t wanted = patch::target_of(element, *entry);
    if (field.address == wanted) return;
    judgement.fail(index,
                   "the field at PatchOffset " + patch::number(element.patch_offset) +
                       " holds the address given to Render plus AllocationOffset, " +
                       patch::number(wanted),
                   "it holds " + patch::number(field.address), {rendered});
  });
}

bool overlap(const RangeRecord& range, std::uint32_t offset) {
  return range.offset < std::uint64_t{offset} + 4 &&
         offset < std::uint64_t{range.offset} + range.length;
}

// Without a decoder: the first Patch changes no field whose allocation is where it was said to be.
void check_first_patch(const Trace& trace, std::uint32_t index, std::uint32_t addresses,
                       Judgement& judgement) {
  const auto patched = trace.at<ev::Patched>(index);
  const auto called = patch::find_call<ev::RenderCalled>(trace, patched.render, patched.pass);
  const auto rendered = patch::find_call<ev::Rendered>(trace, patched.render, patched.pass);
  if (called == kNone || rendered == kNone) return;
  const auto given = trace.blob<AllocationRecord>(trace.events()[called]);
  const auto now = trace.blob<AllocationRecord>(trace.events()[addresses]);
  const auto changed = trace.blob<RangeRecord>(trace.events()[index]);
  for (const PatchRecord& element :
       patch::submitted(trace.blob<PatchRecord>(trace.events()[rendered]), patched)) {
    const AllocationRecord* const entry = known_entry(element, given);
    if (entry == nullptr || element.allocation_index >= now.size()) continue;
    const AllocationRecord& at_patch = now[element.allocation_index];
    if (at_patch.segment != entry->segment || at_patch.address != entry->address) continue;
    judgement.reached(index);
    // Ranges are ascending and apart from each other.
    const auto found =
        std::partition_point(changed.begin(), changed.end(), [&](const RangeRecord& range) {
          return std::uint64_t{range.offset} + range.length <= element.patch_offset;
        });
    if (found == changed.end() || !overlap(*found, element.patch_offset)) continue;
    judgement.fail(index, "Patch with the addresses of Render changes nothing",
                   "the field at PatchOffset " + patch::number(element.patch_offset) + " changed",
                   {rendered});
  }
}

void check(const Trace& trace, const Platform& platform, Judgement& judgement) {
  std::uint32_t called = kNone, rendered = kNone, addresses = kNone;
  std::uint32_t newest = kNone;      // packet ids ascend: a packet's first Patch has a new one
  std::optional<ByOffset> elements;  // of the latest Render, once a range of it is decoded
  for (const std::uint32_t index : trace.of_any<ev::RenderCalled, ev::ListAltered, ev::Rendered,
                                                ev::Decoded, ev::PatchAddresses, ev::Patched>()) {
    const EventKind kind = trace.events()[index].kind;
    if (kind == EventKind::RenderCalled) {
      called = index;
      rendered = kNone;
    } else if (kind == EventKind::ListAltered) {
      called = index;  // what it names no longer has no address
    } else if (kind == EventKind::Rendered) {
      rendered = index;
      elements.reset();
    } else if (kind == EventKind::Decoded) {
      if (called == kNone || rendered == kNone) continue;
      if (trace.at<ev::Rendered>(rendered).hostile != 0) continue;
      if (trace.at<ev::Decoded>(index).stage == static_cast<std::uint32_t>(DmaStage::Rendered)) {
        if (!elements) elements.emplace(trace.blob<PatchRecord>(trace.events()[rendered]));
        check_decoded(trace, index, called, rendered, *elements, judgement);
      }
    } else if (kind == EventKind::PatchAddresses) {
      addresses = index;
    } else {
      const auto patched = trace.at<ev::Patched>(index);
      if (platform.has_decoder || patched.paging != 0 || addresses == kNone) continue;
      const bool first = newest == kNone || patched.packet > newest;
      if (!first || trace.at<ev::PatchAddresses>(addresses).packet != patched.packet) continue;
      newest = patched.packet;
      check_first_patch(trace, index, addresses, judgement);
    }
  }
}

// A driver that leaves addresses to Patch: it works as if no allocation were in a segment.
class LeavesToPatch final : public Interposer {
 public:
  NTSTATUS Render(HANDLE context, DXGKARG_RENDER* render) override {
    DXGK_ALLOCATIONLIST* const list = render->pAllocationList;
    std::vector<DXGK_ALLOCATIONLIST> hidden(list, list + render->AllocationListSize);
    for (DXGK_ALLOCATIONLIST& entry : hidden) {
      entry.SegmentId = 0;
      entry.PhysicalAddress.QuadPart = 0;
    }
    render->pAllocationList = hidden.data();
    const NTSTATUS status = Interposer::Render(context, render);
    render->pAllocationList = list;
    return status;
  }
};

NotApplicable addresses_are_patched(const Platform& platform) {
  if (const NotApplicable reason = patch_lists(platform)) return reason;
  return platform.scheduling.no_dma_patching() ? patch::kNoDmaPatching : nullptr;
}

const Rule kRule{
    .id = "RENDER-006",
    .title = "Pre-patching with the addresses supplied at Render time",
    .rule =
        "For each allocation-list entry whose SegmentId is not 0, the DMA buffer that Render "
        "made holds the final addresses, PhysicalAddress plus AllocationOffset, because "
        "Windows may leave Patch out.",
    .sources =
        "nc-d3dkmddi-dxgkddi_render.md # Remarks (pre-patch)\n"
        "ns-d3dkmddi-_dxgk_allocationlist.md # SegmentId, PhysicalAddress",
    .note =
        "With a decoder the fields are read. Without one, the first Patch with the same "
        "addresses must not change them; fields are taken to be at least 4 bytes wide. Of "
        "buffers that hostile user mode has altered the decoder cannot know the form.",
    .applies = addresses_are_patched,
    .check = check,
    .scenario = R"(
about: an allocation is in its segment when Render is called, and used at two places of it
ops:
- create_allocation: {allocation: 0, pages: 2, place: local}
- make_resident: {allocation: 0}
- create_context: {context: 0}
- render: {context: 0}
- bind: {slot: 0, allocation: 0}
- bind: {slot: 1, allocation: 0}
- fill: {slot: 0, offset: 512, size: 64}
- copy: {slot: 1, source: 0, offset: 4608, source_offset: 512, size: 64}
- idle
)",
    .control = R"(
about: no address is known when Render is called; then the segment is another one each time
ops:
# Allocations that no driver has to round up.
- limit_memory: {local: 48}
- create_allocation: {allocation: 0, place: local}
- make_resident: {allocation: 0}
- create_context: {context: 0}
- prepatch: {mode: never_prepatch}
- render: {context: 0}
- bind: {slot: 0, allocation: 0}
- fill: {slot: 0}
- idle
- evict: {allocation: 0}
- idle
# It lies in an aperture, if it may, as long as memory has no room for it. What a driver keeps of it
# from then on is of no use behind that.
- prepatch: {mode: auto}
- create_allocation: {allocation: 1, pages: 32, place: local}
- create_allocation: {allocation: 2, pages: 32, place: local}
- make_resident: {allocation: 1}
- make_resident: {allocation: 2}
- render: {context: 0}
- bind: {slot: 0, allocation: 2}
- fill: {slot: 0, offset: 0, size: 64, value: 0x11111111}
- add: {slot: 0, offset: 65536, value: 3}
- idle
- evict: {allocation: 1}
- evict: {allocation: 2}
- make_resident: {allocation: 2}
- render: {context: 0}
- bind: {slot: 0, allocation: 2}
- add: {slot: 0, offset: 0, value: 5}
- add: {slot: 0, offset: 65536, value: 7}
- idle
- evict: {allocation: 2}
- make_resident: {allocation: 1}
- make_resident: {allocation: 2}
- render: {context: 0}
- bind: {slot: 0, allocation: 2}
- bind: {slot: 1, allocation: 1}
- add: {slot: 0, offset: 0, value: 11}
- copy: {slot: 1, source: 0, offset: 131008, source_offset: 0, size: 64}
- idle
)",
    .fault = {.about = "Render takes every allocation for one without an address",
              .interposer = [] { return std::unique_ptr<Interposer>(new LeavesToPatch); }}};

WDDM_RULE(kRule);

}  // namespace
}  // namespace wddm::render_006
