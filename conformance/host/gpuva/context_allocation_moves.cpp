// Context allocations that move, and what they leave behind.
#include <algorithm>
#include <utility>

#include "conformance/host/boundary/decision_seat.h"
#include "conformance/host/boundary/session.h"
#include "conformance/host/gpuva/byte_differences.h"
#include "conformance/host/gpuva/context_allocations.h"
#include "conformance/host/gpuva/context_departure.h"
#include "conformance/host/gpuva/tables/page_table_operations.h"
#include "conformance/host/gpuva/tables/paging_layout.h"

namespace wddm::host {

const char* ContextAllocations::move(ContextId context) {
  const char* why = "the context has no allocation whose place its driver is told of";
  const DeviceId device = scene_.objects.context(context).device;
  waits_.for_work_of(scene_.objects, scene_.objects.device(device).process);
  give_back_ended();
  if (const char* const refused = leave_contexts(device, adapter_, scene_, queue_)) return refused;
  waits_.for_paging();
  bool moved = false;
  for (std::uint32_t i = 0; i < allocations_.size() && !waits_.abandoned(); ++i) {
    const Allocation& allocation = allocations_[i];
    const bool can_move = allocation.live && allocation.place && allocation.notified;
    if (!can_move || !is_of(allocation, context)) continue;
    const char* const refused = move(i);
    if (refused != nullptr) why = refused;
    moved |= refused == nullptr;
  }
  return moved ? nullptr : why;
}

const char* ContextAllocations::move(std::uint32_t number) {
  Allocation& allocation = allocations_[number];
  give_back_former(number);
  TablePlace& from = *allocation.place;
  std::optional<TablePlace> to = places_.take(from);
  if (!to) return "there is no other place for it";
  const NTSTATUS gone = tell(allocation, false);
  mappings_->lead_nowhere(named(number));
  if (!spaces_.show(kSource, from, 0, from.pages) ||
      !spaces_.show(kDestination, *to, 0, to->pages)) {
    places_.give_back(*to);
    static_cast<void>(lead_to_place(number));
    static_cast<void>(tell(allocation, true));
    return "it cannot be mapped for paging";
  }
  const PagingOperationPtr transfer = virtual_transfer_of(
      scene_, {}, from.pages * kPageSize, kSource, kDestination, Direction::WithinLocal);
  if (scene_.objects.names_in_paging()) {
    transfer->args.TransferVirtual.hAllocation = allocation.driver;
  }
  transfer->physical_adapter = allocation.physical_adapter;
  const Bytes before = contents(allocation);
  queue_.queue(transfer);
  waits_.for_paging();
  if (waits_.abandoned()) {
    places_.give_back(*to);
    return "work was given up";
  }
  const std::uint64_t left = from.address.offset;
  allocation.former =
      std::make_unique<FormerPlace>(places_, std::move(from), allocation.physical_adapter);
  allocation.place = std::move(to);
  const Bytes after = contents(allocation);
  const gpummu::PhysicalAddress& now = allocation.place->address;
  const std::uint64_t seen =
      std::min<std::uint64_t>({before.size(), after.size(), allocation.bytes});
  const std::uint32_t unlike = seen == 0 ? kNone : compare(before, after, 0, seen).count;
  static_cast<void>(lead_to_place(number));  // where there were tables, there are
  const NTSTATUS come = tell(allocation, true);
  session().tap(
      ev::ContextAllocationMoved{.from = left,
                                 .to = now.offset,
                                 .number = number,
                                 .context = allocation.context ? allocation.context->value : kNone,
                                 .device = allocation.context ? kNone : allocation.device.value,
                                 .segment = now.segment.value,
                                 .gone = static_cast<std::uint32_t>(gone),
                                 .come = static_cast<std::uint32_t>(come),
                                 .unlike = unlike});
  if (decisions().commits(OracleFault::InitializeAgain)) static_cast<void>(fill(number));
  return nullptr;
}

NTSTATUS ContextAllocations::tell(const Allocation& allocation, bool resident) {
  const gpummu::PhysicalAddress& now = allocation.place->address;
  const PagingOperationPtr notice =
      context_notice_of(allocation.driver, resident, resident ? now : gpummu::PhysicalAddress{});
  notice->physical_adapter = allocation.physical_adapter;
  queue_.queue(notice);
  waits_.for_paging();
  return static_cast<NTSTATUS>(notice->status);
}

void ContextAllocations::look_at_former(std::uint32_t number,
                                        FormerPlace::Occasion occasion) const {
  const Allocation& allocation = allocations_[number];
  const std::uint32_t context = allocation.context ? allocation.context->value : kNone;
  if (allocation.former) allocation.former->look(number, context, occasion);
}

void ContextAllocations::give_back_former(std::uint32_t number) {
  look_at_former(number, FormerPlace::Occasion::GivenBack);
  allocations_[number].former.reset();
}

}  // namespace wddm::host
