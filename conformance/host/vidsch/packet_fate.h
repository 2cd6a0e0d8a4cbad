// How a packet ended, as traces say it.
#pragma once

#include "reference/trace/event.h"
#include "reference/vidsch/decision.h"

namespace wddm::host {

[[nodiscard]] constexpr PacketFate fate_of(vidsch::Ending ending) {
  switch (ending) {
    case vidsch::Ending::Completed:
      return PacketFate::Completed;
    case vidsch::Ending::Rejected:
      return PacketFate::Rejected;
    case vidsch::Ending::Aborted:
    case vidsch::Ending::Cancelled:
      return PacketFate::Lost;
    case vidsch::Ending::Faulted:
      return PacketFate::Faulted;
  }
  return PacketFate::Lost;
}

/// Whether nobody knows how much of it has run.
[[nodiscard]] constexpr bool is_broken_off(vidsch::Ending ending) {
  return fate_of(ending) == PacketFate::Lost || ending == vidsch::Ending::Faulted;
}

}  // namespace wddm::host
