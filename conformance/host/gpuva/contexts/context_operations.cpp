#include "conformance/host/gpuva/contexts/context_operations.h"

#include <algorithm>
#include <cstring>
#include <utility>

#include "conformance/host/boundary/decision_seat.h"
#include "conformance/host/boundary/session.h"
#include "conformance/host/gpuva/byte_differences.h"
#include "conformance/host/gpuva/tables/page_table_operations.h"
#include "conformance/host/gpuva/tables/paging_layout.h"
#include "conformance/host/memory/guarded_names.h"

namespace wddm::host {
namespace {

// What the pages hold beside the allocation and before it is initialized, and what overwrites
// private data: the guards of no driver's data.
constexpr std::uint8_t kGuard = 0xD6;
constexpr std::uint8_t kPoisonByte = 0xE9;

}  // namespace

void ContextOperations::give(const Bytes& data) {
  given_ = data;
  private_data_ = memory::GuardedBuffer(std::max<std::size_t>(data.size(), 1), false,
                                        memory::FrameOwner::Driver);
  memory::name_buffer(private_data_, "context allocation's private data");
}

const char* ContextOperations::initialize(const ContextAllocation& allocation) {
  if (decisions().commits(OracleFault::InitializeAfterUse)) {
    if (allocation.notified()) static_cast<void>(tell(allocation, true));
    return nullptr;
  }
  const TablePlace& place = *allocation.place;
  const std::uint32_t gpu = allocation.physical_adapter;
  if (std::uint8_t* const bytes = places_.cpu_address(place, gpu)) {
    std::memset(bytes, kGuard, place.pages * kPageSize);
  }
  waits_.for_paging();
  if (!spaces_.show(kDestination, place, 0, place.pages)) return "it cannot be mapped for paging";
  // The address that some allocations of apertures have leads elsewhere for all others.
  const memory::GuardedBuffer elsewhere(allocation.bytes, false, memory::FrameOwner::Driver);
  std::fill_n(elsewhere.data(), elsewhere.size(), kGuard);
  const PagingOperationPtr operation = initialization_of(allocation);
  std::uint8_t* const own = allocation.has_cpu_address ? places_.cpu_address(place, gpu) : nullptr;
  operation->args.InitContextResource.Destination.VirtualAddress =
      own != nullptr ? own : elsewhere.data();
  Execution execution;
  carry_out(allocation, operation, false, execution);
  if (waits_.abandoned()) return nullptr;
  execution.astray = static_cast<std::uint32_t>(
      std::count_if(elsewhere.data(), elsewhere.data() + elsewhere.size(),
                    [](std::uint8_t byte) { return byte != kGuard; }));
  report(allocation, DXGK_OPERATION_INIT_CONTEXT_RESOURCE, execution, nullptr);
  if (!NT_SUCCESS(execution.status)) return "the driver does not initialize it";
  if (allocation.notified()) static_cast<void>(tell(allocation, true));
  return nullptr;
}

PagingOperationPtr ContextOperations::initialization_of(const ContextAllocation& allocation) const {
  const TablePlace& place = *allocation.place;
  if (allocation.in_aperture && !allocation.aperture_page) {
    return context_init_of(allocation.driver, place.system.frames(), kDestination,
                           allocation.bytes);
  }
  const std::uint64_t base = adapter_.segment(allocation.segment, allocation.physical_adapter).base;
  const std::uint64_t offset =
      allocation.in_aperture ? *allocation.aperture_page * kPageSize : place.address.offset;
  return context_init_of(allocation.driver, allocation.segment, base + offset, kDestination,
                         allocation.bytes);
}

NTSTATUS ContextOperations::update(const ContextAllocation& allocation) {
  waits_.for_paging();
  const TablePlace& place = *allocation.place;
  if (waits_.abandoned() || !spaces_.show(kDestination, place, 0, place.pages)) {
    return STATUS_UNSUCCESSFUL;
  }
  const auto operation = [&] {
    std::copy(given_.begin(), given_.end(), private_data_.data());
    return context_update_of(kDestination, allocation.bytes, private_data_.data(),
                             static_cast<std::uint32_t>(given_.size()));
  };
  Execution first, second;
  carry_out(allocation, operation(), true, first);
  if (waits_.abandoned()) return STATUS_UNSUCCESSFUL;
  report(allocation, DXGK_OPERATION_UPDATE_CONTEXT_ALLOCATION, first, nullptr);
  if (!NT_SUCCESS(first.status) || first.before.empty()) return first.status;
  std::memcpy(places_.cpu_address(place, allocation.physical_adapter), first.before.data(),
              first.before.size());
  carry_out(allocation, operation(), false, second);
  if (waits_.abandoned()) return STATUS_UNSUCCESSFUL;
  report(allocation, DXGK_OPERATION_UPDATE_CONTEXT_ALLOCATION, second, &first);
  return second.status;
}

NTSTATUS ContextOperations::tell(const ContextAllocation& allocation, bool resident) {
  const gpummu::PhysicalAddress& now = allocation.place->address;
  const PagingOperationPtr notice =
      context_notice_of(allocation.driver, resident, resident ? now : gpummu::PhysicalAddress{});
  notice->physical_adapter = allocation.physical_adapter;
  queue_.queue(notice);
  waits_.for_paging();
  return static_cast<NTSTATUS>(notice->status);
}

ContextOperations::Bytes ContextOperations::contents(const ContextAllocation& allocation) const {
  const auto view = places_.view(*allocation.place, allocation.physical_adapter);
  const std::span<const std::uint8_t> seen = view->look();
  return {seen.begin(), seen.end()};
}

// Elsewhere nobody could write a pattern before, by which to see that something was written.
ContextOperations::Bytes ContextOperations::contents_for_cpu(
    const ContextAllocation& allocation) const {
  const std::uint8_t* const seen =
      places_.cpu_address(*allocation.place, allocation.physical_adapter);
  return seen == nullptr ? Bytes{} : Bytes(seen, seen + allocation.place->pages * kPageSize);
}

void ContextOperations::carry_out(const ContextAllocation& allocation,
                                  const PagingOperationPtr& operation, bool poison,
                                  Execution& execution) {
  execution.before = contents_for_cpu(allocation);
  operation->physical_adapter = allocation.physical_adapter;
  PagingQueue::Buffers buffers = queue_.build(operation);
  execution.status = static_cast<NTSTATUS>(operation->status);
  execution.passed = std::equal(given_.begin(), given_.end(), private_data_.data()) ? kAsGiven : 0;
  if (poison) std::fill_n(private_data_.data(), given_.size(), kPoisonByte);
  queue_.queue(std::move(buffers));
  waits_.for_paging();
  if (!waits_.abandoned()) execution.after = contents_for_cpu(allocation);
}

void ContextOperations::report(const ContextAllocation& allocation,
                               DXGK_BUILDPAGINGBUFFER_OPERATION operation,
                               const Execution& execution, const Execution* before) const {
  const std::uint64_t end = execution.after.size();
  const std::uint64_t size = std::min(allocation.bytes, end);
  const Differences inside = compare(execution.before, execution.after, 0, size);
  const Differences outside = compare(execution.before, execution.after, size, end);
  const Differences unlike =
      before != nullptr ? compare(before->after, execution.after, 0, end) : Differences{};
  const bool updated = operation == DXGK_OPERATION_UPDATE_CONTEXT_ALLOCATION;
  session().tap(
      ev::ContextAllocationWritten{.size = allocation.bytes,
                                   .passed = updated ? execution.passed : 0,
                                   .operation = static_cast<std::uint32_t>(operation),
                                   .number = allocation.named.number,
                                   .status = static_cast<std::uint32_t>(execution.status),
                                   .bytes = updated ? static_cast<std::uint32_t>(given_.size()) : 0,
                                   .changed = end == 0 ? kNone : inside.count,
                                   .outside = outside.count,
                                   .first_outside = outside.first,
                                   .unlike = unlike.count,
                                   .first_unlike = unlike.first,
                                   .astray = execution.astray});
}

}  // namespace wddm::host
