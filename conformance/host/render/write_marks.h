// What the commands of a buffer write, which the client has to mark in the allocation list.
#pragma once

#include <cstdint>
#include <span>

#include "conformance/host/render/render_call.h"

namespace wddm::host {

/// Records which allocations the commands write, as the client was asked to build them.
void tell_what_commands_write(const RenderRequest& request, std::span<const std::uint64_t> sizes);

/// A seeded fault: the client forgets what copies write. `sizes` are those of all allocations.
void forget_what_copies_write(std::span<const gpu::Command> commands,
                              std::span<const std::uint64_t> sizes, UserInput& input);

}  // namespace wddm::host
