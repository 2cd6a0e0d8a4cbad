// The seeded faults of our own decisions, one class for each OS-bound clause that has one.
#include <algorithm>
#include <map>
#include <memory>
#include <utility>
#include <variant>
#include <vector>

#include "conformance/host/boundary/address_faults.h"
#include "conformance/host/boundary/decision_seat.h"
#include "conformance/host/boundary/link_faults.h"
#include "conformance/host/boundary/residency_faults.h"
#include "conformance/host/boundary/root_faults.h"
#include "conformance/host/boundary/scheduler_faults.h"

namespace wddm::host {
namespace {

// What the rows of the slot table name at the end of a list; empty if an element names nothing.
// `null_too`: rows that were emptied count as well.
std::vector<AllocationId> rows_at_end(const vidmm::PatchList& list, bool null_too) {
  std::map<std::uint32_t, AllocationId> rows;
  for (const vidmm::PatchElement& element : list.elements) {
    if (element.allocation_index >= list.allocations.size()) return {};
    const AllocationId named = list.allocations[element.allocation_index].allocation;
    if (null_too || named != kNoAllocation) rows[element.slot] = named;
  }
  std::vector<AllocationId> named;
  for (const auto& [slot, id] : rows) named.push_back(id);
  return named;
}

// The portions among the decisions, in their order.
std::vector<vidmm::RunPortion*> portions_of(vidmm::Decisions& decisions) {
  std::vector<vidmm::RunPortion*> portions;
  for (vidmm::Decision& decision : decisions) {
    if (auto* const run = std::get_if<vidmm::RunPortion>(&decision)) portions.push_back(run);
  }
  return portions;
}

// Decides while `some` of the allocations, those that are resident, are held.
vidmm::Decisions prepare_holding(std::vector<AllocationId> some, vidmm::VidMm& vidmm,
                                 vidmm::SplitPlanner& planner, const vidmm::Prepare& input) {
  std::erase_if(some, [&](AllocationId id) {
    return id == kNoAllocation || !vidmm.exists(id) || !vidmm.allocation(id).resident();
  });
  for (const AllocationId id : some) vidmm.pin(id);
  vidmm::Decisions decisions = vidmm::step(vidmm, planner, input);
  for (const AllocationId id : some) vidmm.unpin(id);
  return decisions;
}

// The oracle decides, and then its decisions are altered.
class AltersPortions : public DecisionSeat {
  vidmm::Decisions prepare(vidmm::VidMm& vidmm, vidmm::SplitPlanner& planner,
                           const vidmm::Prepare& input) final {
    vidmm::Decisions decisions = vidmm::step(vidmm, planner, input);
    alter(portions_of(decisions), input.list);
    return decisions;
  }
  virtual void alter(const std::vector<vidmm::RunPortion*>& portions,
                     const vidmm::PatchList& list) = 0;
};

// SPLIT-010: small page-ins come first.
class SortsPageInsBySize final : public AltersPortions {
  void alter(const std::vector<vidmm::RunPortion*>& portions, const vidmm::PatchList&) override {
    for (vidmm::RunPortion* const run : portions) {
      std::stable_sort(run->paging.begin(), run->paging.end(),
                       [](const auto& a, const auto& b) { return a.pages < b.pages; });
    }
  }
};

// SPLIT-011: what the buffer before left in the slot table is held.
class KeepsSlotTable final : public DecisionSeat {
  vidmm::Decisions prepare(vidmm::VidMm& vidmm, vidmm::SplitPlanner& planner,
                           const vidmm::Prepare& input) override {
    const auto left_bound = std::exchange(rows_, rows_at_end(input.list, true));
    return prepare_holding(left_bound, vidmm, planner, input);
  }
  std::vector<AllocationId> rows_;
};

// SPLIT-012: cuts lie where the first element of a portion patches.
class CutsAtPatchOffset final : public AltersPortions {
  void alter(const std::vector<vidmm::RunPortion*>& portions,
             const vidmm::PatchList& list) override {
    for (std::size_t i = 0; i + 1 < portions.size(); ++i) {
      vidmm::Portion& portion = portions[i]->portion;
      const std::uint32_t element = portion.first_element + portion.element_count;
      if (element >= list.elements.size()) continue;
      portion.end_offset = portions[i + 1]->portion.start_offset =
          list.elements[element].patch_offset;
    }
  }
};

// SPLIT-013: what the last portion has brought in leaves and returns.
class RelocatesBoundAllocations final : public AltersPortions {
  void alter(const std::vector<vidmm::RunPortion*>& portions, const vidmm::PatchList&) override {
    if (portions.size() < 2) return;
    vidmm::PagingSteps& paging = portions.back()->paging;
    for (std::size_t s = paging.size(); s-- > 0;) {
      vidmm::PagingStep step = paging[s];
      if (step.kind != vidmm::StepKind::Fill && step.kind != vidmm::StepKind::TransferIn) continue;
      step.kind = vidmm::StepKind::TransferOut;
      const auto at = paging.insert(paging.begin() + static_cast<std::ptrdiff_t>(s) + 1, step) + 1;
      step.kind = vidmm::StepKind::TransferIn;
      paging.insert(at, step);
      return;
    }
  }
};

// SPLIT-014: what a row named before it was programmed anew stays held.
class PinsReprogrammedRows final : public DecisionSeat {
  vidmm::Decisions prepare(vidmm::VidMm& vidmm, vidmm::SplitPlanner& planner,
                           const vidmm::Prepare& input) override {
    return prepare_holding(rows_at_end(input.list, false), vidmm, planner, input);
  }
};

// SPLIT-015: the third portion begins at the start of the buffer.
class RestartsAfterSecondSplit final : public AltersPortions {
  void alter(const std::vector<vidmm::RunPortion*>& portions, const vidmm::PatchList&) override {
    if (portions.size() > 2) portions[2]->portion.start_offset = 0;
  }
};

// BIND-002: leaks count for drivers that need not care.
class JudgesLeaksAlways final : public DecisionSeat {
  vidmm::Decisions prepare(vidmm::VidMm& vidmm, vidmm::SplitPlanner& planner,
                           const vidmm::Prepare& input) override {
    vidmm::Prepare judged = input;
    judged.preemption_aware = true;
    judged.no_dma_patching = false;
    judged.has_slots = true;
    return vidmm::step(vidmm, planner, judged);
  }
};

// What follows for an address space, altered decision by decision; false leaves one out.
class AltersTables : public DecisionSeat {
  std::vector<gpummu::Decision> tables(std::span<const gpummu::Decision> decided) final {
    std::vector<gpummu::Decision> altered(decided.begin(), decided.end());
    std::erase_if(altered, [this](gpummu::Decision& decision) {
      return !std::visit([this](auto& one) { return alter(one); }, decision);
    });
    return altered;
  }
  virtual bool alter(gpummu::CreateTable&) { return true; }
  virtual bool alter(gpummu::UpdateEntries&) { return true; }
  virtual bool alter(gpummu::SuspendContexts&) { return true; }
  virtual bool alter(gpummu::SetRoot&) { return true; }
  template <class Other>
  bool alter(Other&) {
    return true;
  }
};

// PT-002: page tables lie in system memory, whatever segment the driver asked for.
class PutsTablesElsewhere final : public AltersTables {
  bool alter(gpummu::CreateTable& table) override {
    table.segment = kNoSegment;
    return true;
  }
};

// PT-003: leaf tables are linked as their memory was before.
class InitializesNoLeaf final : public AltersTables {
  bool alter(gpummu::UpdateEntries& update) override {
    return !(update.initial && update.level == 0);
  }
};

// ROOT-006: of a new root half of the entries are written.
class InitializesHalfTheRoot final : public AltersTables {
  bool alter(gpummu::UpdateEntries& update) override {
    if (update.initial && update.level != 0) update.count = (update.count + 1) / 2;
    return true;
  }
};

// PT-006, PT-016: nothing waits for contexts that run.
class SuspendsNobody final : public AltersTables {
  bool alter(gpummu::SuspendContexts&) override { return false; }
};

// PT-015: tables go with the entries that they have.
class FreesTablesWithEntries final : public DecisionSeat {
  std::vector<gpummu::Decision> tables(std::span<const gpummu::Decision> decided) override {
    std::vector<gpummu::Decision> altered(decided.begin(), decided.end());
    std::erase_if(altered, [decided](const gpummu::Decision& decision) {
      const auto* const update = std::get_if<gpummu::UpdateEntries>(&decision);
      return update != nullptr &&
             std::find(decided.begin(), decided.end(),
                       gpummu::Decision(gpummu::DestroyTable{update->table})) != decided.end();
    });
    return altered;
  }
};

// ROOT-001: contexts are told of half of the root.
class AnnouncesHalfTheRoot final : public AltersTables {
  bool alter(gpummu::SetRoot& set) override {
    set.entries = (set.entries + 1) / 2;
    return true;
  }
};

// VPAGE-007: of what comes in part by part each part is told.
class TellsOfEachPart final : public DecisionSeat {
  bool tells_of_each_part() override { return true; }
};

// PGSZ-003
class SizesInSmallPages final : public DecisionSeat {
  bool sizes_in_small_pages() override { return true; }
};

// PGSZ-011: windows of 64 KB pages are passed over in silence.
class TellsNoPageSizes final : public DecisionSeat {
  bool tells_page_sizes() override { return false; }
};

// VA-006
class UpdatesBeforeTheFence final : public DecisionSeat {
  std::vector<gpuva::CompanionDecision> companion(gpuva::CompanionQueue& queue,
                                                  const gpuva::CompanionInput& input) override {
    gpuva::CompanionInput altered = input;
    if (auto* const update = std::get_if<gpuva::QueueUpdate>(&altered)) update->do_not_wait = true;
    return DecisionSeat::companion(queue, altered);
  }
};
// PGSZ-004
class PacksNothing final : public DecisionSeat {
  bool packs_nothing() override { return true; }
};

// What the host does by itself, where it is asked.
class Commits final : public DecisionSeat {
 public:
  explicit Commits(OracleFault fault) : fault_(fault) {}
  bool commits(OracleFault fault) override { return fault == fault_; }

 private:
  OracleFault fault_;
};

std::unique_ptr<DecisionSeat> seat_of(OracleFault fault) {
  switch (fault) {
    case OracleFault::None:
      return nullptr;
    case OracleFault::SortPageInsBySize:
      return std::make_unique<SortsPageInsBySize>();
    case OracleFault::KeepSlotTableAcrossBuffers:
      return std::make_unique<KeepsSlotTable>();
    case OracleFault::CutAtPatchOffset:
      return std::make_unique<CutsAtPatchOffset>();
    case OracleFault::RelocateBoundAllocations:
      return std::make_unique<RelocatesBoundAllocations>();
    case OracleFault::PinReprogrammedRows:
      return std::make_unique<PinsReprogrammedRows>();
    case OracleFault::RestartAfterSecondSplit:
      return std::make_unique<RestartsAfterSecondSplit>();
    case OracleFault::LeakCheckIgnoresCap:
      return std::make_unique<JudgesLeaksAlways>();
    case OracleFault::TablesInAnotherSegment:
      return std::make_unique<PutsTablesElsewhere>();
    case OracleFault::UninitializedTables:
      return std::make_unique<InitializesNoLeaf>();
    case OracleFault::RootHalfInitialized:
      return std::make_unique<InitializesHalfTheRoot>();
    case OracleFault::TablesMoveWhileInUse:
    case OracleFault::UpdatesBesideRunningWork:
      return std::make_unique<SuspendsNobody>();
    case OracleFault::TablesFreedWithEntries:
      return std::make_unique<FreesTablesWithEntries>();
    case OracleFault::RootHalfAnnounced:
      return std::make_unique<AnnouncesHalfTheRoot>();
    // About GPU virtual addresses.
    case OracleFault::MapLargeUnits:
    case OracleFault::MapWithoutAccess:
    case OracleFault::ReserveInPages:
    case OracleFault::CopyEntryByEntry:
    case OracleFault::UpdateAsFarAsReserved:
    case OracleFault::LargePagesAnywhere:
    case OracleFault::PagingAtZero:
      return address_fault(fault);
    case OracleFault::NoticeOfEachPart:
      return std::make_unique<TellsOfEachPart>();
    // About what devices require.
    case OracleFault::EvictWhileInUse:
    case OracleFault::OneEvictReleases:
    case OracleFault::FailedRequestCounts:
    case OracleFault::UseWithoutWaiting:
    case OracleFault::MustSucceedAtOnce:
    case OracleFault::UseAfterEvict:
    case OracleFault::ClaimNotWritten:
    case OracleFault::BringInWhatIsNotRequired:
    case OracleFault::TrimWhatIsInUse:
      return residency_fault(fault);
    case OracleFault::RootsDifferOnLink:
    case OracleFault::OneLeafForLink:
      return link_fault(fault);
    case OracleFault::UpdateBeforeItsFence:
      return std::make_unique<UpdatesBeforeTheFence>();
    case OracleFault::AnAllocationForEach:
      return std::make_unique<PacksNothing>();
    case OracleFault::SizesInSmallPages:
      return std::make_unique<SizesInSmallPages>();
    case OracleFault::PageSizesUntold:
      return std::make_unique<TellsNoPageSizes>();
    case OracleFault::CompanionUpdatesOneGpu:
      return link_fault(fault);
    // About roots.
    case OracleFault::RunWithoutRoot:
    case OracleFault::TellOneContext:
    case OracleFault::ResizedRootEmpty:
      return root_fault(fault);
    // About packets.
    case OracleFault::InterleavePortions:
    case OracleFault::SubmitBeforePageIn:
    case OracleFault::CancelWhatIsSubmitted:
    case OracleFault::PatchToldAnotherFence:
    case OracleFault::ResetUnasked:
    case OracleFault::ResubmissionUntold:
    case OracleFault::PagingFenceRenewed:
    case OracleFault::RenderFenceKept:
    case OracleFault::PreemptTwice:
    case OracleFault::StoppedIsLost:
    case OracleFault::QueueBeyondCap:
    case OracleFault::NotPromoted:
    case OracleFault::DependentsUnasked:
    case OracleFault::ListenAfterSnapshot:
    case OracleFault::PagingAfterOthers:
      return scheduler_fault(fault);
    case OracleFault::MapPastTheAperture:
    case OracleFault::MoveWithoutSwitch:
    case OracleFault::SwitchWithoutPaging:
    case OracleFault::InitializeAfterUse:
    case OracleFault::InitializeAgain:
    case OracleFault::ReturnBeforeUpdate:
    case OracleFault::DestroyWhileInUse:
    case OracleFault::RestartEveryPass:
    case OracleFault::RefuseWithoutPreemption:
    case OracleFault::AffinityIsOrdinal:
    case OracleFault::InsistOnFlips:
    case OracleFault::PreemptAtDispatch:
    case OracleFault::StartOutOfReach:
    case OracleFault::AskForPrimary:
    case OracleFault::DeviceNamesNoProcess:
    case OracleFault::PollConnectors:
    case OracleFault::ShareWithoutMmu:
    case OracleFault::SkipBesidePaging:
    case OracleFault::GoOnAfterAbort:
    case OracleFault::PassUnreachedValues:
    case OracleFault::InternalRangeIgnored:
    case OracleFault::NodesCounted:
    case OracleFault::PreemptAtPassive:
    case OracleFault::SecureMachineUnasked:
    case OracleFault::ForgetWhatCopiesWrite:
    case OracleFault::RunWithoutItsMemory:
    case OracleFault::RunWhileSuspended:
    case OracleFault::AllInError:
    case OracleFault::MoveOneAddress:
    case OracleFault::FreedStaysMapped:
    case OracleFault::FenceAheadOfWork:
    case OracleFault::WindowsOutOfPhase:
      return std::make_unique<Commits>(fault);
  }
  return nullptr;
}

DecisionSeat g_faultless;
std::unique_ptr<DecisionSeat> g_seat;  // null: the faultless one

}  // namespace

DecisionSeat& decisions() {
  return g_seat ? *g_seat : g_faultless;
}

void seat_decision_fault(OracleFault fault) {
  g_seat = seat_of(fault);
}

}  // namespace wddm::host
