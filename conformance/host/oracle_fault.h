// Seeded faults of our own host: what selftest alters to see that OS-bound clauses are judged.
#pragma once

#include <cstdint>

namespace wddm {

/// Decisions of the host that a fault can alter; one for each OS-bound clause.
enum class OracleFault : std::uint32_t {
  None,
  SortPageInsBySize,           // SPLIT-010
  KeepSlotTableAcrossBuffers,  // SPLIT-011
  CutAtPatchOffset,            // SPLIT-012
  RelocateBoundAllocations,    // SPLIT-013
  PinReprogrammedRows,         // SPLIT-014
  RestartAfterSecondSplit,     // SPLIT-015
  SubmitBeforePageIn,          // SPLIT-016
  InterleavePortions,          // SPLIT-017
  LeakCheckIgnoresCap,         // BIND-002
  TablesInAnotherSegment,      // PT-002
  UninitializedTables,         // PT-003
  RootHalfInitialized,         // ROOT-006
  TablesMoveWhileInUse,        // PT-006
  TablesFreedWithEntries,      // PT-015
  UpdatesBesideRunningWork,    // PT-016
  RootHalfAnnounced,           // ROOT-001
  MapLargeUnits,               // VA-002
  MapWithoutAccess,            // VA-003
  ReserveInPages,              // VA-004
  CopyEntryByEntry,            // VA-005
  UpdateAsFarAsReserved,       // VA-012
  LargePagesAnywhere,          // PGSZ-006
  PagingAtZero,                // VPAGE-010
  NoticeOfEachPart,            // VPAGE-007
  EvictWhileInUse,             // RES-003, RES-011
  OneEvictReleases,            // RES-004
  FailedRequestCounts,         // RES-005
  UseWithoutWaiting,           // RES-006
  MustSucceedAtOnce,           // RES-007
  UseAfterEvict,               // RES-008
  ClaimNotWritten,             // RES-009
  RootsDifferOnLink,           // LDA-003
  OneLeafForLink,              // LDA-004
  UpdateBeforeItsFence,        // VA-006
  BringInWhatIsNotRequired,    // RES-001
  TrimWhatIsInUse,             // RES-010
  AnAllocationForEach,         // PGSZ-004
  SizesInSmallPages,           // PGSZ-003
  PageSizesUntold,             // PGSZ-011
  CompanionUpdatesOneGpu,      // VA-010
  CancelWhatIsSubmitted,       // SUBMIT-011
  PatchToldAnotherFence,       // SUBMIT-004
  ResetUnasked,                // PREEMPT-002
  ResubmissionUntold,          // PREEMPT-016
  PagingFenceRenewed,          // PREEMPT-018
  RenderFenceKept,             // PREEMPT-020
  PreemptTwice,                // PREEMPT-027
  StoppedIsLost,               // SCHED-008
  QueueBeyondCap,              // SCHED-009
  NotPromoted,                 // ENGRST-005
  DependentsUnasked,           // ENGRST-007
  ListenAfterSnapshot,         // ENGRST-010
  MapPastTheAperture,          // APER-007
  MoveWithoutSwitch,           // CTX-002
  SwitchWithoutPaging,         // CTX-003
  InitializeAfterUse,          // CTX-008
  InitializeAgain,             // CTX-009
  ReturnBeforeUpdate,          // CTX-012
  DestroyWhileInUse,           // DESTROY-001
  RestartEveryPass,            // PAGE-023
  RefuseWithoutPreemption,     // CAPS-006
  AffinityIsOrdinal,           // LIFE-009
  InsistOnFlips,               // MCDM-009
  PreemptAtDispatch,           // MCDM-014
  StartOutOfReach,             // MCDM-020
  AskForPrimary,               // MCDM-031
  DeviceNamesNoProcess,        // MCDM-038
  PollConnectors,              // MCDM-006
  ShareWithoutMmu,             // MCDM-039
  SkipBesidePaging,            // PREEMPT-001
  PagingAfterOthers,           // PREEMPT-019
  GoOnAfterAbort,              // ENGRST-009
  PassUnreachedValues,         // SYNC-004
  InternalRangeIgnored,        // MCDM-019
  NodesCounted,                // LIFE-008
  PreemptAtPassive,            // IRQL-003
  SecureMachineUnasked,        // MCDM-043
  ForgetWhatCopiesWrite,       // RENDER-012
  RunWithoutItsMemory,         // CTX-010
  RunWhileSuspended,           // RES-012
  RunWithoutRoot,              // ROOT-013
  TellOneContext,              // ROOT-014
  AllInError,                  // MMU-018
  ResizedRootEmpty,            // ROOT-015
  MoveOneAddress,              // PT-028
  FreedStaysMapped,            // VA-013
  FenceAheadOfWork,            // VA-014
  WindowsOutOfPhase,           // PGSZ-013
};

}  // namespace wddm
