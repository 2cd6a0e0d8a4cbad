// BIND-006: simultaneously used allocations have distinct slots.

#include "conformance/host/interposer.h"
#include "conformance/rules/render/render_status.h"
#include "conformance/rules/rule.h"
#include "conformance/rules/scratch.h"
#include "conformance/rules/split/rendered_lists.h"
#include "conformance/rules/split/slot_rows.h"

namespace wddm::bind_006 {
namespace {

// What the commands of each buffer write, by render: CommandsWrite. Of one that Render made in
// passes no list tells all, and of one that user mode has altered nobody knows.
ScratchMap<std::uint32_t, std::uint32_t> commands_of_whole_buffers(const Trace& trace) {
  ScratchMap<std::uint32_t, std::uint32_t> commands;
  for (const std::uint32_t index : trace.of<ev::CommandsWrite>()) {
    commands[trace.at<ev::CommandsWrite>(index).render] = index;
  }
  for (const std::uint32_t index : trace.of<ev::Rendered>()) {
    const auto call = trace.at<ev::Rendered>(index);
    if (call.pass != 0 || render::incomplete(call.status)) commands.erase(call.render);
  }
  return commands;
}

// Which allocations rows hold behind the split points of a list, and which another takes the row
// from at the very split point that it came with. O(n log n) over all groups.
class Groups {
 public:
  struct Displaced {
    std::uint32_t slot = 0, by = kNone, split_offset = 0;
  };

  explicit Groups(const split::RenderedList& list) : list_(list) {
    for (std::size_t first = 0, end = 0; first < list.elements.size(); first = end) {
      end = list.group_end(first);
      walk(first, end);
    }
  }
  /// Some group names two allocations, or one twice.
  [[nodiscard]] bool any_together() const { return together_; }
  /// Null for one that some row holds, and for one that was never displaced.
  [[nodiscard]] const Displaced* find(std::uint32_t allocation) const {
    const auto found = displaced_.find(allocation);
    return found == displaced_.end() || held_.contains(allocation) ? nullptr : &found->second;
  }

 private:
  void walk(std::size_t first, std::size_t end) {
    ScratchMap<std::uint32_t, std::uint32_t> named;  // allocation by slot, at this split point
    std::uint32_t count = 0;
    for (std::size_t i = first; i < end; ++i) {
      const PatchRecord& element = list_.elements[i];
      if (!list_.names_allocation(element)) {
        named.erase(element.slot());
        continue;
      }
      ++count;
      const std::uint32_t allocation = list_.allocation_of(element);
      const auto [row, is_new] = named.emplace(element.slot(), allocation);
      if (is_new || row->second == allocation) continue;
      displaced_.try_emplace(row->second,
                             Displaced{element.slot(), allocation, element.split_offset});
      row->second = allocation;
    }
    for (const auto& [slot, allocation] : named) held_.insert(allocation);
    together_ |= count > 1;
  }

  const split::RenderedList& list_;
  ScratchMap<std::uint32_t, Displaced> displaced_;  // by allocation
  ScratchSet<std::uint32_t> held_;
  bool together_ = false;
};

void check(const Trace& trace, const Platform&, Judgement& judgement) {
  const auto commands = commands_of_whole_buffers(trace);
  split::for_each_list(trace, [&](const split::RenderedList& list) {
    const auto write = commands.find(list.render);
    if (write == commands.end() || !list.is_sorted()) return;
    const Groups groups(list);
    if (!groups.any_together()) return;
    judgement.reached(list.rendered);
    for (const std::uint32_t allocation :
         trace.blob<std::uint32_t>(trace.events()[write->second])) {
      const Groups::Displaced* const displaced = groups.find(allocation);
      if (displaced == nullptr) continue;
      judgement.fail(list.rendered,
                     "a row of its own for allocation " + split::number(allocation) +
                         ", which a command writes",
                     "at split point " + split::number(displaced->split_offset) + " slot " +
                         split::number(displaced->slot) + " is given it and allocation " +
                         split::number(displaced->by),
                     {write->second});
      return;
    }
  });
}

// A driver that never thought about slots.
class OneSlot final : public Interposer {
 public:
  NTSTATUS Render(HANDLE context, DXGKARG_RENDER* render) override {
    D3DDDI_PATCHLOCATIONLIST* const first = render->pPatchLocationListOut;
    const NTSTATUS status = Interposer::Render(context, render);
    for (auto* at = first; at < render->pPatchLocationListOut; ++at) at->SlotId = 0;
    return status;
  }
};

const Rule kRule{
    .id = "BIND-006",
    .title = "Simultaneously used allocations have distinct slots",
    .rule =
        "Within one split group a SlotId is not given two different allocations that the commands "
        "behind the split point use: only the last would stay in its row.",
    .sources =
        "splitting-a-dma-buffer.md # resource table row semantics\n"
        "ns-d3dukmdt-_d3dddi_patchlocationlist.md # SlotId",
    .note =
        "User mode may bind a slot twice before it draws, and a driver may list both at one split "
        "point: the first is of no use to anybody. Judged are allocations that commands write, as "
        "the client was asked to build them, and that no row holds behind any split point.",
    .unreached = "no two elements that name allocations have a SplitOffset in common",
    .applies = split::slot_rows,
    .check = check,
    .scenario = R"(
about: one draw reads one allocation and writes another; then the other way round
ops:
- create_allocation: {allocation: 0}
- create_allocation: {allocation: 1}
- create_context: {context: 0}
- render: {context: 0}
- bind: {slot: 0, allocation: 0}
- bind: {slot: 1, allocation: 1}
- copy: {slot: 0, source: 1}
- idle
# Whichever slot a driver lists first, what one of both draws writes comes before what it reads.
- render: {context: 0}
- bind: {slot: 0, allocation: 0}
- bind: {slot: 1, allocation: 1}
- copy: {slot: 1, source: 0}
- idle
)",
    .control = R"(
about: one allocation in two slots; then slots that are bound twice before they are used
ops:
- create_allocation: {allocation: 0, pages: 2}
- create_allocation: {allocation: 1}
- create_allocation: {allocation: 2}
- create_context: {context: 0}
- render: {context: 0}
- bind: {slot: 0, allocation: 0}
- bind: {slot: 1, allocation: 0}
- copy: {slot: 0, source: 1, source_offset: 4096}
- idle
- render: {context: 0}
- bind: {slot: 0, allocation: 2}
- bind: {slot: 0, allocation: 0}
- bind: {slot: 1, allocation: 0}
- bind: {slot: 1, allocation: 1}
- copy: {slot: 0, source: 1}
- idle
)",
    .fault = {.about = "every element has SlotId 0",
              .interposer = [] { return std::unique_ptr<Interposer>(new OneSlot); }}};

WDDM_RULE(kRule);

}  // namespace
}  // namespace wddm::bind_006
