// How a DMA buffer becomes portions: the oracle plans, leak detection may reject, paging is built.

#include <algorithm>

#include "conformance/host/boundary/decision_seat.h"
#include "conformance/host/vidmm/vidmm_worker.h"
#include "reference/vidmm/empty_end.h"

namespace wddm::host {
namespace {

CutReason reason_of(const vidmm::Portion& portion) {
  switch (portion.cut) {
    case vidmm::CutReason::LowMemory:
      return CutReason::NoMemory;
    case vidmm::CutReason::Chosen:
      return CutReason::Forced;
    case vidmm::CutReason::EndOfBuffer:
      break;
  }
  return CutReason::End;
}

}  // namespace

VidMmWorker::Lists VidMmWorker::lists_of(const RenderBuffer& buffer) const {
  Lists lists;
  for (const D3DDDI_PATCHLOCATIONLIST& element : buffer.patches) {
    lists.elements.push_back({.allocation_index = element.AllocationIndex,
                              .slot = element.SlotId,
                              .allocation_offset = element.AllocationOffset,
                              .patch_offset = element.PatchOffset,
                              .split_offset = element.SplitOffset});
  }
  for (std::size_t i = 0; i < buffer.allocation_list.size(); ++i) {
    const std::uint32_t slot = buffer.allocation_slots[i];
    const bool known = slot != kNone && residency_.vidmm().exists(AllocationId{slot});
    lists.entries.push_back({.allocation = known ? AllocationId{slot} : vidmm::kNoAllocation,
                             .write = buffer.allocation_list[i].WriteOperation != 0});
  }
  return lists;
}

// The split points that the scenario takes although memory suffices.
std::vector<std::uint32_t> VidMmWorker::taken_splits(const vidmm::PatchList& list) const {
  if (choices_.take == Take::None) return {};
  const std::vector<std::uint32_t> all = vidmm::split_points(list);
  if (choices_.take == Take::All) return all;
  std::vector<std::uint32_t> taken;
  for (std::size_t i = 0; i < all.size() && i < 32; ++i) {
    if (choices_.take_mask >> i & 1) taken.push_back(all[i]);
  }
  return taken;
}

bool VidMmWorker::plan(const RenderBuffer& buffer, const Lists& lists, vidmm::Plan& plan) {
  const vidmm::PatchList list = lists.view(buffer.dma_used);
  const std::vector<AllocationId> held =
      decisions().held_while_planning(list, residency_.vidmm());
  for (const AllocationId id : held) residency_.vidmm().pin(id);
  const vidmm::ListError error =
      vidmm::plan_buffer(*planner_, residency_.vidmm(), list, taken_splits(list), plan);
  for (const AllocationId id : held) residency_.vidmm().unpin(id);
  if (error.fault != vidmm::ListFault::None) {
    skip(OpKind::Render, "VidMm refuses the patch-location list");
    return false;
  }
  if (plan.status == vidmm::PlanStatus::CannotFit) {
    session().tap(ev::BufferRefused{
        .render = buffer.render, .pass = buffer.pass, .element = plan.failing_element});
  }
  return plan.status == vidmm::PlanStatus::Done;
}

// Before Patch, so that a rejected packet is never patched (DXGK_VIDSCHCAPS::NoDmaPatching).
bool VidMmWorker::reject_for_leaks(const RenderBuffer& buffer, const Lists& lists,
                                   const vidmm::Plan& plan) const {
  if (plan.portions.size() < 2) return false;
  const auto& caps = adapter_.caps().SchedulingCaps;
  const bool active = caps.PreemptionAware && !caps.NoDmaPatching;
  const auto leaks = vidmm::find_binding_leaks(lists.view(buffer.dma_used));
  std::size_t found = 0;
  std::uint32_t split_offset = kNone, slot = kNone;
  for (std::size_t i = 1; i < plan.portions.size(); ++i) {
    for (const vidmm::BindingLeak& leak : vidmm::leaks_at(leaks, plan.portions[i].start_offset)) {
      if (found++ != 0) continue;
      split_offset = plan.portions[i].start_offset;
      slot = leak.slot.value;
    }
  }
  const bool judged = decisions().judges_leaks(active);
  const bool rejected = judged && found != 0;
  session().tap(ev::LeakJudged{.render = buffer.render,
                               .leaks = static_cast<std::uint32_t>(found),
                               .rejected = rejected,
                               .split_offset = split_offset,
                               .slot = slot,
                               .ran = judged,
                               .pass = buffer.pass});
  return rejected;
}

void VidMmWorker::relocate_all(const RenderBuffer& buffer) {
  vidmm::PagingSteps steps;
  for (const std::uint32_t slot : buffer.allocation_slots) {
    const AllocationId id{slot};
    if (slot == kNone || !residency_.vidmm().exists(id)) continue;
    const vidmm::Allocation& allocation = residency_.vidmm().allocation(id);
    if (!allocation.resident() || allocation.pins != 0) continue;
    static_cast<void>(residency_.vidmm().relocate(id, steps));
  }
  carry_out(steps);
}

std::vector<VidSchWorker::Portion> VidMmWorker::portions_of(const RenderBuffer& buffer,
                                                            const vidmm::Plan& plan) {
  std::vector<VidSchWorker::Portion> portions;
  for (std::size_t i = 0; i < plan.portions.size(); ++i) {
    const vidmm::Portion& planned = plan.portions[i];
    VidSchWorker::Portion portion;
    RenderWork& work = portion.work;
    work.start = planned.start_offset;
    work.end = planned.end_offset;
    work.first = planned.first_element;
    work.count = planned.element_count;
    std::vector<PagingStepRecord> records;
    for (std::uint32_t s = 0; s < planned.step_count; ++s) {
      const vidmm::PagingStep& step = plan.steps[planned.first_step + s];
      records.push_back({.kind = static_cast<std::uint32_t>(step.kind),
                         .allocation = step.allocation.value,
                         .segment = step.segment.value,
                         .page = step.page,
                         .pages = step.pages});
      for (const auto& operation : paging_.for_step(step)) {
        for (auto& built : paging_.build(operation)) portion.paging.push_back(std::move(built));
      }
      residency_.plan(step);
    }
    work.addresses = buffer.allocation_list;
    for (std::size_t entry = 0; entry < work.addresses.size(); ++entry) {
      const std::uint32_t slot = buffer.allocation_slots[entry];
      if (slot != kNone) residency_.write_address(slot, work.addresses[entry]);
    }
    session().tap(ev::PortionPlanned{.packet = kNone,
                                     .render = buffer.render,
                                     .index = static_cast<std::uint32_t>(i),
                                     .start = work.start,
                                     .end = work.end,
                                     .first = work.first,
                                     .count = work.count,
                                     .why = static_cast<std::uint32_t>(reason_of(planned)),
                                     .context = buffer.context,
                                     .node = buffer.node,
                                     .pass = buffer.pass},
                  records.data(), records.size() * sizeof(PagingStepRecord));
    portions.push_back(std::move(portion));
  }
  return portions;
}

// All of them are enqueued at once: paging orders itself between the portions that exist.
std::size_t VidMmWorker::packets_of(std::span<const VidSchWorker::Portion> portions) {
  std::size_t packets = portions.size();
  for (const VidSchWorker::Portion& portion : portions) packets += portion.paging.size();
  return packets;
}

// Later passes rest on this one and go with it.
void VidMmWorker::drop(const RenderBuffer& buffer) {
  dropped_render_ = buffer.render;
  if (buffer.pass == 0) return;
  wait_for_earlier_work();
  if (!abandoned_) vidsch_.translation_dropped(buffer);
}

void VidMmWorker::drop(const RenderBuffer& buffer, const char* why) {
  skip(OpKind::Render, why);
  drop(buffer);
}

void VidMmWorker::take(RenderBuffer& buffer, std::unique_ptr<RenderBuffer>& owner) {
  if (buffer.given_up) return drop(buffer);
  if (choices_.prepatch == PrepatchMode::AlwaysRepatch) {
    wait_for_earlier_work();
    if (abandoned_) return;
    relocate_all(buffer);
  }
  if (buffer.render == dropped_render_) {
    return skip(OpKind::Render,
                "an earlier pass of the translation was dropped: this one rests on it");
  }
  const Lists lists = lists_of(buffer);
  vidmm::Plan plan;
  const bool planned = this->plan(buffer, lists, plan);
  // What is to be paged may be in use by earlier work.
  if (!plan.steps.empty()) wait_for_earlier_work();
  // What an earlier buffer brings in between its portions is not there before that.
  while (vidsch_.packets().is_paging(buffer.allocation_slots) && !abandoned_) {
    vidsch_.retired_event().wait("the paging of an earlier buffer");
  }
  while (vidsch_.packets().competes(buffer) && !abandoned_) {
    vidsch_.retired_event().wait("another context that uses the same memory");
  }
  if (abandoned_) return;
  // What VidMm has decided holds whether the buffer runs or not: later ones rest on it.
  if (!planned) {
    drop(buffer, "the buffer cannot be run: VidMm found no way to bring it in");
    return carry_out(plan.steps);
  }
  const vidmm::PagingSteps behind = vidmm::take_off_empty_end(plan);
  if (reject_for_leaks(buffer, lists, plan)) {
    drop(buffer);
    return carry_out(plan.steps);
  }
  decisions().plan(plan, lists.view(buffer.dma_used));
  std::vector<VidSchWorker::Portion> portions = portions_of(buffer, plan);
  if (packets_of(portions) > vidsch_.room()) wait_for_earlier_work();
  if (abandoned_) return;
  if (packets_of(portions) > vidsch_.room()) {
    drop(buffer, "the buffer and its paging are more packets than VidSch has room for");
    for (VidSchWorker::Portion& portion : portions) queue(std::move(portion.paging));
  } else if (!portions.empty()) {
    vidsch_.enqueue(std::move(owner), std::move(portions));
  }
  if (behind.empty()) return;
  wait_for_earlier_work();
  carry_out(behind);
}

}  // namespace wddm::host
