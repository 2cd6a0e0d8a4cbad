// What a client makes of commands: the buffers that a user-mode driver would submit.
#pragma once

#include <cstdint>
#include <span>

#include "conformance/host/addressing/addressing.h"
#include "conformance/host/render/render_call.h"

namespace wddm::host {

/// Builds into `input`, whose context and allocations say for whom; `sizes` are what the client is
/// told of the allocations. False if it has no counterpart for the commands, or says that it wrote
/// more than there was room for.
[[nodiscard]] bool client_builds(const Objects& objects, const Addressing& addressing,
                                 std::span<const WddmCommand> commands,
                                 std::span<const std::uint64_t> sizes, UserInput& input);

}  // namespace wddm::host
