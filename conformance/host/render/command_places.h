// The abstract commands of one Render op, and how far the GPU has carried them out.
//
// The DMA buffers of a translation in passes share one stream. Where the client decodes what Render
// wrote, it is known which commands lie in which bytes, and thus which have run when a portion has
// ended. A driver's translation counts as understood if its commands are those of the stream, one
// by one: kind and slots. Otherwise nothing is known of a portion, and all of the buffer is carried
// out at its end. Left out: a driver that swaps commands of the same kind and slots.
#pragma once

#include <cstdint>
#include <span>
#include <vector>

#include "conformance/sdk/client.h"
#include "reference/gpu/command.h"
#include "reference/gpu/effect.h"

namespace wddm::host {

struct CommandStream {
  std::vector<gpu::Command> commands;  ///< the marker's last
  gpu::Bindings bindings;              ///< after the first `done` commands
  std::vector<AllocationId> zeros;     ///< whose addresses give zeros and drop writes
  std::size_t done = 0;                ///< how many have been carried out
  std::size_t placed = 0;              ///< how many lie in the buffers of the passes so far
  bool understood = true;              ///< so far
};

/// Where the commands of one pass begin in its DMA buffer.
struct CommandPlaces {
  bool known = false;
  std::size_t first = 0;               ///< commands of the stream that lie in earlier passes
  std::vector<std::size_t> commands;   ///< of the stream, ascending; those that do something
  std::vector<std::uint32_t> offsets;  ///< bytes; of each of them

  /// How many commands of the stream have run when all bytes before `end` have.
  [[nodiscard]] std::size_t through(std::uint32_t end) const;
};

/// Holds what was decoded of the next pass, in order, against the stream from `placed` on, and
/// moves that on. Offsets of `decoded` count from the start of the DMA buffer.
[[nodiscard]] CommandPlaces place_commands(CommandStream& stream,
                                           std::span<const WddmDecoded> decoded);

}  // namespace wddm::host
