// What Dxgkrnl asks a driver for when an engine does not answer: debug information, how the engine
// is, which others a reset takes along, and the resets themselves. Each is recorded.
//
// Sources: "TDR changes in Windows 8", DxgkDdiCollectDbgInfo, DxgkDdiQueryEngineStatus,
// DxgkDdiQueryDependentEngineGroup, DxgkDdiResetEngine. Left out: CollectDbgInfo2.
#pragma once

#include <bugcodes.h>

#include <cstdint>
#include <optional>

#include "conformance/host/adapter/adapter.h"
#include "reference/types.h"
#include "reference/vidsch/fence_ledger.h"

namespace wddm::host {

// Values of DXGKARG_COLLECTDBGINFO::Reason.
inline constexpr std::uint32_t kEngineTimeoutReason = VIDEO_ENGINE_TIMEOUT_DETECTED;
inline constexpr std::uint32_t kAdapterTimeoutReason = VIDEO_TDR_TIMEOUT_DETECTED;
inline constexpr std::uint32_t kBugCheckReason = VIDEO_SCHEDULER_INTERNAL_ERROR;

/// DxgkDdiCollectDbgInfo, with a buffer that has room and with one of a few bytes.
void call_collect_debug_info(const Adapter& adapter, std::uint32_t reason);
/// ... at HIGH_LEVEL, as where the system stops.
void call_collect_for_bug_check(const Adapter& adapter);
/// DxgkDdiQueryEngineStatus, where the driver has it; twice, since a driver may say whether the
/// engine has come on since it was asked before.
void call_query_engine_status(const Adapter& adapter, EngineId engine, std::size_t outstanding);
/// DxgkDdiQueryDependentEngineGroup: bit n is node n, that of the engine among them whatever the
/// driver says.
[[nodiscard]] std::uint64_t call_query_dependents(const Adapter& adapter, EngineId engine);
/// DxgkDdiResetEngine, where the driver has it: LastAbortedFenceId, or nothing if it failed.
[[nodiscard]] std::optional<FenceId> call_reset_engine(Adapter& adapter, EngineId engine,
                                                       const vidsch::FenceLedger& ledger,
                                                       ResetCause cause);

}  // namespace wddm::host
