// BIND-005: no GPU access through a slot after it was released.

#include <algorithm>

#include "conformance/host/interposer.h"
#include "conformance/rules/rule.h"
#include "conformance/rules/split/rendered_lists.h"
#include "conformance/rules/split/slot_rows.h"

namespace wddm::bind_005 {
namespace {

bool is_bound(const split::Rows& rows, std::uint32_t allocation) {
  const auto& all = rows.all();
  return std::any_of(all.begin(), all.end(),
                     [&](const auto& row) { return row.second.allocation == allocation; });
}

bool was_bound(const split::RenderedList& list, std::uint32_t elements, std::uint32_t allocation) {
  for (std::uint32_t i = 0; i < elements; ++i) {
    if (list.allocation_of(list.elements[i]) == allocation) return true;
  }
  return false;
}

// An allocation that the address lies in, that a row has held and none holds any more; kNone: there
// is none, or one that is held. From WDDM 2.0 on memory and an aperture may have places at the same
// addresses, and so one address several allocations. `any`: whether a row has held one of them.
std::uint32_t released_at(std::span<const AllocationRecord> places, std::uint64_t address,
                          const split::RenderedList& list, const split::Rows& rows,
                          std::uint32_t applied, bool& any) {
  std::uint32_t released = kNone;
  for (const AllocationRecord& place : places) {
    if (place.allocation == kNone || place.segment == 0) continue;
    if (address < place.address || address - place.address >= place.size) continue;
    if (!was_bound(list, applied, place.allocation)) continue;
    any = true;
    if (is_bound(rows, place.allocation)) return kNone;
    if (released == kNone) released = place.allocation;
  }
  return released;
}

// What lies in a portion after Patch: no field leads into an allocation that a row has held and
// none holds any more, replaced or released.
void check_fields(const Trace& trace, std::uint32_t index, std::span<const AllocationRecord> places,
                  const split::RenderedList& list, Judgement& judgement) {
  const auto decoded = trace.at<ev::Decoded>(index);
  split::Rows rows;
  std::uint32_t applied = 0;
  for (const WddmDecoded& command : trace.blob<WddmDecoded>(trace.events()[index])) {
    if (command.kind == 0) continue;
    const std::uint64_t offset = std::uint64_t{decoded.start} + command.offset;
    while (applied < list.elements.size() && list.elements[applied].split_offset <= offset) {
      rows.apply(list, applied++);
    }
    for (std::uint32_t i = 0; i < std::min(command.address_count, 2u); ++i) {
      bool any = false;
      const std::uint32_t allocation =
          released_at(places, command.address[i], list, rows, applied, any);
      if (any) judgement.reached(index);
      if (allocation == kNone) continue;
      judgement.fail(index, "no use of an allocation that no slot holds any more",
                     "the command at byte " + split::number(offset) + " uses allocation " +
                         split::number(allocation),
                     {list.rendered});
      return;
    }
  }
}

void check_patched(const Trace& trace, Judgement& judgement) {
  const auto& lists = trace.ledger<split::RenderedLists>().all();
  std::uint32_t addresses = kNone, patched = kNone;
  for (const std::uint32_t index : trace.of_any<ev::PatchAddresses, ev::Patched, ev::Decoded>()) {
    const EventKind kind = trace.events()[index].kind;
    if (kind == EventKind::PatchAddresses) addresses = index;
    if (kind == EventKind::Patched) patched = index;
    if (kind != EventKind::Decoded || addresses == kNone || patched == kNone) continue;
    const auto decoded = trace.at<ev::Decoded>(index);
    const auto call = trace.at<ev::Patched>(patched);
    if (decoded.stage != static_cast<std::uint32_t>(DmaStage::AfterPatch)) continue;
    if (call.packet != decoded.packet || call.status != 0 || decoded.count == kNone) continue;
    if (trace.at<ev::PatchAddresses>(addresses).packet != decoded.packet) continue;
    for (const split::RenderedList& list : lists) {
      if (list.render != call.render || list.pass != call.pass || !list.is_sorted()) continue;
      if (split::is_tampered(trace, list)) continue;
      check_fields(trace, index, trace.blob<AllocationRecord>(trace.events()[addresses]), list,
                   judgement);
    }
  }
}

void check(const Trace& trace, const Platform& platform, Judgement& judgement) {
  // With virtual addresses of the driver's own a field says nothing of the place.
  if (!platform.scheduling.no_dma_patching()) check_patched(trace, judgement);
  split::for_each_list(trace, [&](const split::RenderedList& list) {
    if (!list.is_sorted()) return;
    split::Rows rows;
    std::uint32_t element = 0;
    bool failed = false;
    split::for_each_access(trace, list, [&](const split::SlotAccess& access) {
      if (failed) return;
      while (element < list.elements.size() &&
             list.elements[element].split_offset <= access.offset) {
        rows.apply(list, element++);
      }
      const split::Rows::Row* const row = rows.find(access.slot);
      if (row == nullptr) return;  // never bound: SPLIT-003
      judgement.reached(access.event);
      if (row->allocation != kNone) return;
      failed = true;
      judgement.fail(access.event,
                     "no access through slot " + split::number(access.slot) + " from byte " +
                         split::number(list.elements[row->element].split_offset) + " on",
                     "the command at byte " + split::number(access.offset) + " uses it",
                     {list.rendered});
    });
  });
}

NotApplicable slots_and_decoder(const Platform& platform) {
  if (const NotApplicable reason = split::slot_rows(platform)) return reason;
  return patch_lists_and_decoder(platform);
}

// A driver that notes a release one split point too early.
class ReleasesEarly final : public Interposer {
 public:
  NTSTATUS Render(HANDLE context, DXGKARG_RENDER* render) override {
    D3DDDI_PATCHLOCATIONLIST* const first = render->pPatchLocationListOut;
    const NTSTATUS status = Interposer::Render(context, render);
    for (auto* at = first; at < render->pPatchLocationListOut; ++at) {
      const bool empty =
          at->AllocationIndex < render->AllocationListSize &&
          render->pAllocationList[at->AllocationIndex].hDeviceSpecificAllocation == nullptr;
      if (empty && at != first) at->SplitOffset = (at - 1)->SplitOffset;
    }
    return status;
  }
};

const Rule kRule{
    .id = "BIND-005",
    .title = "No GPU access through a slot after it was released",
    .rule =
        "From the SplitOffset at which an element empties a slot or gives it another allocation, "
        "no "
        "command of the buffer accesses the former one until a later element binds it again: it "
        "may be paged out at once.",
    .sources =
        "splitting-a-dma-buffer.md # if a new patch-location entry refers to the same SlotId",
    .note =
        "Needs the client's decoder: for slots that commands name, and for addresses that stand in "
        "commands after Patch, where Patch writes them.",
    .applies = slots_and_decoder,
    .check = check,
    .scenario = R"(
about: the first draw releases its slot, the second uses another
ops:
- create_allocation: {allocation: 0}
- create_allocation: {allocation: 1}
- create_context: {context: 0}
- render: {context: 0}
- bind: {slot: 0, allocation: 0}
- fill: {slot: 0}
- unbind: {slot: 0}
- bind: {slot: 1, allocation: 1}
- fill: {slot: 1}
- idle
)",
    .control = R"(
about: a slot is released and bound again before it is used
ops:
- create_allocation: {allocation: 0}
- create_allocation: {allocation: 1}
- create_context: {context: 0}
- render: {context: 0}
- bind: {slot: 0, allocation: 0}
- fill: {slot: 0}
- unbind: {slot: 0}
- bind: {slot: 1, allocation: 1}
- fill: {slot: 1}
- bind: {slot: 0, allocation: 0}
- copy: {slot: 0, source: 1}
- idle
)",
    .fault = {.about = "a release carries the SplitOffset of the element before it",
              .interposer = [] { return std::unique_ptr<Interposer>(new ReleasesEarly); }}};

WDDM_RULE(kRule);

}  // namespace
}  // namespace wddm::bind_005
