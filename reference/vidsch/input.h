// What the scheduler is told, one structure per event.
//
// Requests of the host (the first group) must be legal when they are made: the questions of
// `scheduler.h` say so, and anything else is a defect of ours. Reports of the driver (the second
// group) may say anything; they are judged. Sources: the DDI each structure names.
#pragma once

#include <cstdint>
#include <span>
#include <variant>

#include "reference/types.h"
#include "reference/vidsch/packet.h"

namespace wddm::vidsch {

/// DxgkDdiCreateContext succeeded. The id must be unused and below the configured number.
struct CreateContext {
  ContextId context{};
  DeviceId device{};
  EngineId engine{};  ///< Every packet of the context goes there.
  int priority = 0;   ///< Higher runs first by default.
};

/// The context takes no more packets; its queued ones are cancelled. `ContextGone` follows when the
/// driver has none of them left, and only then may DxgkDdiDestroyContext be called.
struct DestroyContext {
  ContextId context{};
};

/// The device enters the error state: queued packets of its contexts are cancelled, nothing of it
/// is submitted again.
struct FailDevice {
  DeviceId device{};
};

/// A command was rendered: its DMA buffer from `begin` on, in portions that end at `ends`. What
/// begins behind 0 goes on with a command that was begun: its first portions came before.
struct EnqueueRender {
  ContextId context{};
  std::uint32_t command = 0;  ///< The host's name for it.
  std::uint32_t begin = 0;    ///< DmaBufferSubmissionStartOffset of the whole.
  /// Ascending; the last is the end of the whole. Only a command of one portion may be empty.
  std::span<const std::uint32_t> ends;
};

/// A paging buffer is ready for `engine`.
struct EnqueuePaging {
  EngineId engine{};
  std::uint32_t command = 0;  ///< The host's name for it.
  /// Not before this packet is done, or ahead of it in the same hardware queue; for instance the
  /// portion whose memory is evicted (SPLIT-016). Void once that packet was preempted, because
  /// paging then comes first (PREEMPT-019) and the packet must be prepared again anyway.
  PacketId after{};
  /// The render packet that needs it; it is not submitted before this packet is done, or ahead of
  /// it in the same hardware queue (SPLIT-016). Must not have been submitted yet.
  PacketId before{};
};

/// The host takes `packet` from `legal_next`.
struct Submit {
  PacketId packet{};
};

/// DxgkDdiSubmitCommandVirtual returned STATUS_INVALID_PARAMETER for the packet submitted last.
struct Reject {
  PacketId packet{};
};

/// Ask the driver to preempt `engine`; see `may_preempt`.
struct RequestPreempt {
  EngineId engine{};
};

/// DxgkDdiResetFromTimeout: all packets end, all devices fail, on every engine.
struct ResetAdapter {};

/// DXGK_INTERRUPT_DMA_COMPLETED.
struct ReportCompleted {
  EngineId engine{};
  FenceId fence{};
};

/// DXGK_INTERRUPT_DMA_PREEMPTED.
struct ReportPreempted {
  EngineId engine{};
  FenceId preemption{};
  FenceId last_completed{};
};

/// DXGK_INTERRUPT_DMA_PAGE_FAULTED that names a fence: the packet is over, and the driver counts it
/// as completed (MMU-014). What becomes of device and engine is decided elsewhere
/// (gpuva/fault_outcome.h): `FailDevice`, `ReportEngineReset` and `ResetAdapter` tell of it.
struct ReportFaulted {
  EngineId engine{};
  FenceId fence{};
};

/// DxgkDdiResetEngine succeeded with this LastAbortedFenceId.
struct ReportEngineReset {
  EngineId engine{};
  FenceId last_aborted{};
};

using Input = std::variant<CreateContext, DestroyContext, FailDevice, EnqueueRender, EnqueuePaging,
                           Submit, Reject, RequestPreempt, ResetAdapter, ReportCompleted,
                           ReportPreempted, ReportFaulted, ReportEngineReset>;

}  // namespace wddm::vidsch
