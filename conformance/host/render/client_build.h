// What a client makes of commands: the buffers that a user-mode driver would submit.
#pragma once

#include <cstdint>
#include <span>
#include <vector>

#include "conformance/host/addressing/addressing.h"
#include "conformance/host/render/render_call.h"
#include "reference/gpu/command.h"

namespace wddm::host {

/// A command as the plug-in has it; `allocations` are those of each index the client is told.
[[nodiscard]] WddmCommand plug_in_form(const gpu::Command& command,
                                       const std::vector<AllocationId>& allocations);

/// How much a client may hand over: what the driver asked for, as Windows gives it to user mode; or
/// as much as it takes, where nothing is submitted.
enum class BuildRoom : std::uint8_t { AsAsked, AsItTakes };

/// Builds into `input`, whose context and allocations say for whom; `sizes` are what the client is
/// told of the allocations. False if it has no counterpart for the commands, or not in that room,
/// or says that it wrote more than there was room for.
[[nodiscard]] bool client_builds(const Objects& objects, const Addressing& addressing,
                                 std::span<const WddmCommand> commands,
                                 std::span<const std::uint64_t> sizes, BuildRoom room,
                                 UserInput& input);

}  // namespace wddm::host
