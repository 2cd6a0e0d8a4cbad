// Packets that end once nothing goes on any more, and the adapter is reset for that.
#pragma once

#include "reference/is_any_of.h"
#include "reference/trace/trace.h"

namespace wddm {

/// Of a packet whose end comes behind Stuck: it was lost with what the driver had, or the reset
/// brought out what nobody had told. Others go back to Windows.
[[nodiscard]] inline bool ended_by_reset(const ev::PacketEnded& packet) {
  return is_any_of(static_cast<PacketFate>(packet.fate), PacketFate::Lost, PacketFate::Completed);
}

}  // namespace wddm
