// A packet: what the scheduler submits to an engine in one call, and its place in life.
//
// A render packet is one portion of a command's DMA buffer ([begin, end) of DXGKARG_SUBMITCOMMAND);
// a paging packet is one paging buffer. Left out: buffers, patch lists and private data, which the
// host keeps under the `command` number it chose, and zero-length context switches.
#pragma once

#include <cstdint>

#include "reference/types.h"
#include "reference/vidsch/fence_ledger.h"

namespace wddm::vidsch {

/// A packet of the scheduler. 0 = none. A number comes back only after 65535 uses of its place, so
/// one kept beyond the packet's end is recognised as stale.
using PacketId = Strong<struct PacketTag>;

enum class PacketState : std::uint8_t {
  Free,
  Queued,     ///< In a software queue, never submitted.
  Submitted,  ///< In the hardware queue.
  Rejected,   ///< SubmitCommandVirtual refused it; waits for what precedes it (SUBMIT-008).
  Preempted,  ///< In a software queue again, to be submitted again.
};

struct Packet {
  PacketId id{};
  PacketKind kind = PacketKind::Render;
  PacketState state = PacketState::Free;
  bool first = true;           ///< Render: begins its command.
  bool last = true;            ///< Render: ends its command.
  bool was_preempted = false;  ///< Next submission is a resubmission (PREEMPT-016).
  bool faulted = false;        ///< A page fault ended it on the hardware.
  EngineId engine{};
  ContextId context{};        ///< Render only.
  std::uint32_t command = 0;  ///< The host's name of the DMA buffer or paging buffer.
  std::uint32_t begin = 0;    ///< Render: first byte of the portion.
  std::uint32_t end = 0;      ///< Render: byte behind the portion.
  FenceId fence{};            ///< Of the current submission; a preempted paging packet keeps it.
  std::uint32_t submissions = 0;
  std::uint64_t order = 0;  ///< Time of enqueuing: first come first served.

  PacketId after{};            ///< Paging: not before that packet is done (see `EnqueuePaging`).
  PacketId before{};           ///< Paging: that render packet needs it.
  bool before_served = false;  ///< Paging: no longer counted in `needs` of `before`.
  std::uint32_t needs = 0;     ///< Render: paging packets it has to wait for.

  // Neighbours in the one list that the packet is in.
  std::uint16_t next = 0;
  std::uint16_t previous = 0;
};

}  // namespace wddm::vidsch
