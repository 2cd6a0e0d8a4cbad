// What the scheduler decides, one structure per decision; the host carries them out in order.
#pragma once

#include <cstdint>
#include <variant>

#include "reference/types.h"
#include "reference/vidsch/fence_ledger.h"
#include "reference/vidsch/packet.h"

namespace wddm::vidsch {

/// Packets are in the queues; `EnqueueRender` gives one of these per portion, in order.
struct Enqueued {
  PacketId packet{};
};

/// Call DxgkDdiPatch and DxgkDdiSubmitCommand, or DxgkDdiSubmitCommandVirtual.
struct SubmitPacket {
  PacketId packet{};
  EngineId engine{};
  FenceId fence{};
  bool resubmission = false;  ///< DXGK_SUBMITCOMMANDFLAGS.Resubmission, for WDDM 2.0 and later.
};

/// Call DxgkDdiPreemptCommand.
struct Preempt {
  EngineId engine{};
  FenceId fence{};  ///< PreemptionFenceId.
};

/// The judgement of the report that was the input; an illegal report changed nothing.
struct Judged {
  EngineId engine{};
  ReportOutcome outcome = ReportOutcome::Accepted;
};

/// How a packet ended.
enum class Ending : std::uint8_t {
  Completed,  ///< The driver finished it.
  Rejected,   ///< The driver refused it, and all before it are done.
  Aborted,    ///< A reset ended it on the hardware.
  Cancelled,  ///< It ended in a software queue; DxgkDdiCancelCommand may be due (SUBMIT-011).
  Faulted,    ///< A page fault ended it on the hardware: part of it may have run.
};

/// The packet's last state. Its id is stale from here on.
struct Retired {
  Packet packet{};
  Ending ending = Ending::Completed;
};

/// The packet came back from the hardware and will be submitted again. A render packet must be
/// prepared and patched again first, because paging may go before it.
struct Requeued {
  PacketId packet{};
  FenceId fence{};  ///< That it had. A paging packet keeps it, a render packet gets a new one.
};

/// A destroyed context has no packet left.
struct ContextGone {
  ContextId context{};
};

/// The engine reset hit a paging packet: only an adapter-wide reset can follow (ENGRST-005).
struct AdapterResetNeeded {
  EngineId engine{};
};

using Decision = std::variant<Enqueued, SubmitPacket, Preempt, Judged, Retired, Requeued,
                              ContextGone, AdapterResetNeeded>;

}  // namespace wddm::vidsch
