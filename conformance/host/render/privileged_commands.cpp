#include "conformance/host/render/privileged_commands.h"

namespace wddm::host {
namespace {

// An entry of a page table has as much, on most GPUs.
constexpr std::uint32_t kCommandBytes = 8;

}  // namespace

// The place is that of now. What lies there when the command runs is none of the process's either,
// unless the allocation itself is.
std::vector<PrivilegedCommand> privileged_commands(std::span<const Op> hostile,
                                                   const Objects& objects,
                                                   const PredictedMemory& memory) {
  std::vector<PrivilegedCommand> commands;
  for (const Op& op : hostile) {
    const AllocationId allocation{op.a};
    if (op.kind != OpKind::Privileged || !objects.allocation(allocation).live) continue;
    const std::uint64_t bytes = std::uint64_t{objects.allocation(allocation).pages} * kPageSize;
    const auto offset = static_cast<std::uint32_t>(op.x % bytes / kCommandBytes * kCommandBytes);
    const PredictedMemory::PhysicalPlace place = memory.physical_place(allocation, offset);
    WddmCommand command{};
    command.kind = WDDM_COMMAND_PRIVILEGED;
    command.slot = op.b;
    command.size = kCommandBytes;
    command.value = op.z;
    command.address = place.address;
    command.segment = place.segment.value;
    commands.push_back({command, allocation, offset, place.can_be_read});
  }
  return commands;
}

void tell_privileged(std::span<const PrivilegedCommand> commands, std::uint32_t render) {
  for (const PrivilegedCommand& one : commands) {
    session().tap(ev::PrivilegedBuilt{.address = one.command.address,
                                      .render = render,
                                      .way = one.command.slot,
                                      .allocation = one.allocation.value,
                                      .offset = one.offset,
                                      .segment = one.command.segment,
                                      .value = one.command.value,
                                      .seen = one.can_be_read});
  }
}

// What each packet leaves its mark in stays known: else nothing could be said of those that follow.
std::vector<AllocationId> in_reach_of(ContextId context, const Objects& objects,
                                      const Addressing& addressing) {
  std::vector<AllocationId> reached;
  if (by_patch_lists(addressing)) return reached;
  for (const AllocationId id : kAllAllocations) {
    if (id == kMarkerAllocation || !objects.allocation(id).live) continue;
    if (addressing.cannot_bind(context, id) == nullptr) reached.push_back(id);
  }
  return reached;
}

}  // namespace wddm::host
