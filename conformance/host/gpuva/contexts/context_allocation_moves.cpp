#include "conformance/host/gpuva/contexts/context_allocation_moves.h"

#include <algorithm>
#include <utility>

#include "conformance/host/boundary/decision_seat.h"
#include "conformance/host/boundary/session.h"
#include "conformance/host/gpuva/byte_differences.h"
#include "conformance/host/gpuva/tables/paging_layout.h"

namespace wddm::host {

const char* ContextAllocationMoves::move(ContextAllocation& allocation) {
  if (allocation.in_aperture) return apertures_.move(allocation);
  allocation.give_back_former();
  std::optional<TablePlace> to = places_.take(*allocation.place);
  if (!to) return "there is no other place for it";
  return carry(allocation, std::move(*to), Direction::WithinLocal);
}

const char* ContextAllocationMoves::evict(ContextAllocation& allocation) {
  if (allocation.in_aperture) {
    mappings_->lead_nowhere(allocation.named);
    return apertures_.evict(allocation);
  }
  allocation.give_back_former();
  TableShape shape = *allocation.place;
  shape.segment = kNoSegment;
  std::optional<TablePlace> to;
  if (places_.has_room(shape)) to = places_.take(shape);
  if (!to) return "there is no system memory for it";
  return carry(allocation, std::move(*to), Direction::ToSystem);
}

const char* ContextAllocationMoves::bring_back(ContextAllocation& allocation) {
  if (allocation.in_aperture) {
    if (const char* const why = apertures_.bring_back(allocation)) return why;
    return mappings_->lead_to(allocation.named, allocation.pages());
  }
  TableShape shape = *allocation.place;
  shape.segment = allocation.segment;
  std::optional<TablePlace> to = places_.take(shape);
  allocation.give_back_former();
  if (!to) to = places_.take(shape);
  if (!to) return "there is no memory for a context allocation";
  return carry(allocation, std::move(*to), Direction::ToLocal);
}

NTSTATUS ContextAllocationMoves::tell(const ContextAllocation& allocation, bool resident) {
  return allocation.notified() ? operations_.tell(allocation, resident) : STATUS_SUCCESS;
}

const char* ContextAllocationMoves::carry(ContextAllocation& allocation, TablePlace to,
                                          Direction direction) {
  const bool leaves = direction != Direction::ToLocal, comes = direction != Direction::ToSystem;
  TablePlace& from = *allocation.place;
  const NTSTATUS gone = leaves ? tell(allocation, false) : STATUS_SUCCESS;
  if (leaves) mappings_->lead_nowhere(allocation.named);
  if (!spaces_.show(kSource, from, 0, from.pages) || !spaces_.show(kDestination, to, 0, to.pages)) {
    places_.give_back(to);
    if (leaves) {
      static_cast<void>(mappings_->lead_to(allocation.named, allocation.pages()));
      static_cast<void>(tell(allocation, true));
    }
    return "it cannot be mapped for paging";
  }
  const PagingOperationPtr transfer =
      virtual_transfer_of(scene_, {}, from.pages * kPageSize, kSource, kDestination, direction);
  if (scene_.objects.names_in_paging()) {
    transfer->args.TransferVirtual.hAllocation = allocation.driver;
  }
  transfer->physical_adapter = allocation.physical_adapter;
  const ContextOperations::Bytes before = operations_.contents(allocation);
  queue_.queue(transfer);
  waits_.for_paging();
  if (waits_.abandoned()) {
    places_.give_back(to);
    return "work was given up";
  }
  const std::uint64_t left = from.address.offset;
  allocation.former =
      std::make_unique<FormerPlace>(places_, std::move(from), allocation.physical_adapter);
  allocation.place = std::move(to);
  allocation.evicted = !comes;
  const ContextOperations::Bytes after = operations_.contents(allocation);
  const gpummu::PhysicalAddress& now = allocation.place->address;
  const std::uint64_t seen =
      std::min<std::uint64_t>({before.size(), after.size(), allocation.bytes});
  const std::uint32_t unlike = seen == 0 ? kNone : compare(before, after, 0, seen).count;
  // Where there were tables, there are.
  if (comes) static_cast<void>(mappings_->lead_to(allocation.named, allocation.pages()));
  const NTSTATUS come = comes ? tell(allocation, true) : STATUS_SUCCESS;
  session().tap(
      ev::ContextAllocationMoved{.from = left,
                                 .to = now.offset,
                                 .number = allocation.named.number,
                                 .context = allocation.context ? allocation.context->value : kNone,
                                 .device = allocation.context ? kNone : allocation.device.value,
                                 .segment = now.segment.value,
                                 .gone = static_cast<std::uint32_t>(gone),
                                 .come = static_cast<std::uint32_t>(come),
                                 .unlike = unlike,
                                 .evicted = allocation.evicted});
  if (comes && decisions().commits(OracleFault::InitializeAgain)) {
    static_cast<void>(operations_.initialize(allocation));
  }
  return nullptr;
}

}  // namespace wddm::host
