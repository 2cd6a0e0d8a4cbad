// Commands that hostile user mode puts into its buffers, and that the hardware has for kernel mode
// alone: they write by physical address to where an allocation lies.
#pragma once

#include <cstdint>
#include <span>
#include <vector>

#include "conformance/host/adapter/objects/objects.h"
#include "conformance/host/addressing/addressing.h"
#include "conformance/host/vidmm/prediction/predicted_memory.h"
#include "reference/trace/op.h"

namespace wddm::host {

struct PrivilegedCommand {
  WddmCommand command;
  AllocationId allocation;
  std::uint32_t offset;  ///< bytes in the allocation
  bool can_be_read;      ///< what lies there
};

/// What the elements `privileged` among these want, in their order. Of allocations that are not
/// there nothing.
[[nodiscard]] std::vector<PrivilegedCommand> privileged_commands(std::span<const Op> hostile,
                                                                 const Objects& objects,
                                                                 const PredictedMemory& memory);
/// The client has built them into the buffer of that ordinal.
void tell_privileged(std::span<const PrivilegedCommand> commands, std::uint32_t render);
/// What a buffer with such commands, or with others than the client built, may write to without
/// harm to others: with GPU virtual addresses all that its process has. With patch lists it is held
/// to its list, and this is empty.
[[nodiscard]] std::vector<AllocationId> in_reach_of(ContextId context, const Objects& objects,
                                                    const Addressing& addressing);

}  // namespace wddm::host
