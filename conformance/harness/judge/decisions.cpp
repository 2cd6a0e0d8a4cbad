#include "conformance/harness/judge/decisions.h"

#include <d3dkmddi.h>

#include <algorithm>
#include <iterator>
#include <optional>

#include "conformance/rules/pt/table_updates.h"

namespace wddm::harness {
namespace {

enum class Model : std::uint8_t { Any, PatchLists, GpuVirtual };

struct Row {
  const char* name;
  Model model;
  const char* text;
};
constexpr Row kRows[] = {
#define DECISION(name, model, text) {#name, Model::model, text},
#include "conformance/harness/judge/decision.def"
#undef DECISION
};

std::optional<Decision> operation_of(std::uint32_t operation) {
  switch (operation) {
    case DXGK_OPERATION_TRANSFER:
      return Decision::Transfer;
    case DXGK_OPERATION_FILL:
      return Decision::Fill;
    case DXGK_OPERATION_DISCARD_CONTENT:
      return Decision::DiscardContent;
    case DXGK_OPERATION_READ_PHYSICAL:
      return Decision::ReadPhysical;
    case DXGK_OPERATION_WRITE_PHYSICAL:
      return Decision::WritePhysical;
    case DXGK_OPERATION_MAP_APERTURE_SEGMENT:
    case DXGK_OPERATION_MAP_APERTURE_SEGMENT2:
      return Decision::MapApertureSegment;
    case DXGK_OPERATION_UNMAP_APERTURE_SEGMENT:
      return Decision::UnmapApertureSegment;
    case DXGK_OPERATION_SPECIAL_LOCK_TRANSFER:
      return Decision::SpecialLockTransfer;
    case DXGK_OPERATION_VIRTUAL_TRANSFER:
      return Decision::TransferVirtual;
    case DXGK_OPERATION_VIRTUAL_FILL:
      return Decision::FillVirtual;
    case DXGK_OPERATION_INIT_CONTEXT_RESOURCE:
      return Decision::InitContextResource;
    case DXGK_OPERATION_UPDATE_CONTEXT_ALLOCATION:
      return Decision::UpdateContextAllocation;
    case DXGK_OPERATION_COPY_PAGE_TABLE_ENTRIES:
      return Decision::CopyPageTableEntries;
    case DXGK_OPERATION_NOTIFY_RESIDENCY:
      return Decision::NotifyResidency;
    default:
      return std::nullopt;
  }
}

class Seen {
 public:
  explicit Seen(const Trace& trace) : trace_(trace) {}

  template <class Payload>
  Seen& each() {
    for (const std::uint32_t index : trace_.of<Payload>()) see(trace_.at<Payload>(index));
    return *this;
  }
  [[nodiscard]] const DecisionSet& all() const { return seen_; }

 private:
  void mark(Decision decision, bool when = true) {
    if (when) seen_.set(static_cast<std::size_t>(decision));
  }

  void see(const ev::PortionPlanned& portion) {
    const auto why = static_cast<CutReason>(portion.why);
    mark(Decision::WholeBuffer, why == CutReason::End && portion.index == 0);
    mark(Decision::CutForMemory, why == CutReason::NoMemory);
    mark(Decision::CutByChoice, why == CutReason::Forced);
  }
  void see(const ev::LeakJudged& judged) {
    mark(Decision::NothingLeaks, judged.leaks == 0);
    mark(Decision::LeakRejected, judged.leaks != 0 && judged.rejected != 0);
  }
  void see(const ev::BufferRefused&) { mark(Decision::BufferFitsNowhere); }
  void see(const ev::SubmissionChecked& checked) {
    mark(Decision::UsesNotRequired, checked.rejected != 0);
  }
  void see(const ev::PagingBuilt& built) {
    if (const auto operation = operation_of(built.operation)) mark(*operation);
  }
  void see(const ev::ResidencyAsked& asked) {
    constexpr std::uint32_t kMakeResident = 0, kOk = 0, kPending = 1, kOutOfMemory = 2;
    if (asked.request != kMakeResident) return;
    mark(Decision::ResidentAtOnce, asked.status == kOk);
    mark(Decision::ResidentLater, asked.status == kPending);
    mark(Decision::ResidentRefused, asked.status == kOutOfMemory);
  }
  void see(const ev::TrimAsked&) { mark(Decision::TrimAsked); }
  void see(const ev::TableUpdated& update) {
    mark(Decision::UpdateByCpu, update.mode == update_mode::kCpuVirtual);
    mark(Decision::UpdateByAddress, update.mode == update_mode::kGpuVirtual);
    mark(Decision::UpdateByPlace, update.mode == update_mode::kGpuPhysical);
    mark(Decision::TableBegun, (update.flags & pt::kInitialUpdate) != 0);
    mark(Decision::TableEmptied, (update.flags & pt::kNotifyEviction) != 0);
    mark(Decision::Leaf64K, (update.flags & pt::kUse64KBPages) != 0);
  }
  void see(const ev::TableMoved& moved) {
    mark(moved.gone != 0 ? Decision::TableGone : Decision::TableMoved);
  }
  void see(const ev::TlbFlushBuilt& flush) {
    mark(flush.end == 0 ? Decision::FlushAll : Decision::FlushRange);
  }
  void see(const ev::AddressAnswered& answered) {
    const bool granted = answered.refused == 0;
    switch (static_cast<AddressRequest>(answered.request)) {
      case AddressRequest::Map:
      case AddressRequest::MapContextAllocation:
        return mark(granted ? Decision::Mapped : Decision::MapRefused);
      case AddressRequest::Reserve:
        return mark(granted ? Decision::Reserved : Decision::ReserveRefused);
      case AddressRequest::Free:
        return mark(Decision::Freed, granted);
      case AddressRequest::Update:
        return mark(granted ? Decision::Updated : Decision::UpdateRefused);
    }
  }
  void see(const ev::NotAwaited&) { mark(Decision::NotAwaited); }
  void see(const ev::PacketEnded& ended) {
    const auto fate = static_cast<PacketFate>(ended.fate);
    mark(Decision::Completed, fate == PacketFate::Completed);
    mark(Decision::Preempted, fate == PacketFate::Preempted);
    mark(Decision::Rejected, fate == PacketFate::Rejected);
    mark(Decision::Faulted, fate == PacketFate::Faulted);
  }
  void see(const ev::Submitted& submitted) { mark(Decision::SubmittedAgain, submitted.again != 0); }
  void see(const ev::PreemptAsked& asked) {
    mark(asked.outstanding == 0   ? Decision::PreemptIdle
         : asked.outstanding == 1 ? Decision::PreemptOne
                                  : Decision::PreemptSeveral);
  }
  void see(const ev::EngineReset& reset) {
    mark(reset.cause == 0 ? Decision::ResetForFault : Decision::ResetForTimeout);
  }
  void see(const ev::AdapterReset&) { mark(Decision::AdapterReset); }

  const Trace& trace_;
  DecisionSet seen_;
};

}  // namespace

const char* text_of(Decision decision) {
  return kRows[static_cast<std::size_t>(decision)].text;
}

DecisionSet decisions_in(const Trace& trace) {
  return Seen(trace)
      .each<ev::PortionPlanned>()
      .each<ev::LeakJudged>()
      .each<ev::BufferRefused>()
      .each<ev::SubmissionChecked>()
      .each<ev::PagingBuilt>()
      .each<ev::ResidencyAsked>()
      .each<ev::TrimAsked>()
      .each<ev::TableUpdated>()
      .each<ev::TableMoved>()
      .each<ev::TlbFlushBuilt>()
      .each<ev::AddressAnswered>()
      .each<ev::NotAwaited>()
      .each<ev::PacketEnded>()
      .each<ev::Submitted>()
      .each<ev::PreemptAsked>()
      .each<ev::EngineReset>()
      .each<ev::AdapterReset>()
      .all();
}

DecisionSet possible_for(const Platform& platform) {
  DecisionSet possible;
  for (std::size_t i = 0; i < kDecisions; ++i) {
    const Model model = kRows[i].model;
    possible.set(i, model == Model::Any || (model == Model::GpuVirtual) == platform.gpu_mmu);
  }
  return possible;
}

std::vector<std::string> names_of(const DecisionSet& decisions) {
  std::vector<std::string> names;
  for (std::size_t i = 0; i < kDecisions; ++i) {
    if (decisions[i]) names.emplace_back(kRows[i].name);
  }
  return names;
}

DecisionSet decisions_named(const std::vector<std::string>& names) {
  DecisionSet decisions;
  for (const std::string& name : names) {
    const auto row = std::find_if(std::begin(kRows), std::end(kRows),
                                  [&](const Row& one) { return name == one.name; });
    if (row != std::end(kRows)) decisions.set(static_cast<std::size_t>(row - kRows));
  }
  return decisions;
}

}  // namespace wddm::harness
