// See fault_outcome.h.
#include "reference/gpuva/fault_outcome.h"

#include <algorithm>

#include "reference/harness_assert.h"

namespace wddm::gpuva {
namespace {

constexpr PageFaultFlags kKnown = 0xFF;
constexpr PageFaultFlags kResetBits = kFaultAdapterReset | kFaultEngineReset | kFaultFatalHardware;

}  // namespace

std::span<const FaultDecision> PageFaults::step(const FaultInput& input) {
  decisions_.clear();
  if (!stopped_) std::visit([this](const auto& what) { on(what); }, input);
  return decisions_;
}

bool PageFaults::takes_packets(EngineId engine) const {
  return !stopped_ && !adapter_resetting_ && !resetting_[index_of(engine)];
}

std::size_t PageFaults::index_of(EngineId engine) const {
  HARNESS_ASSERT(engine.node.value < config_.nodes);
  HARNESS_ASSERT(engine.physical_adapter < config_.physical_adapters);
  return engine.physical_adapter * config_.nodes + engine.node.value;
}

/// Rule 1.
std::optional<FaultError> PageFaults::check(const PageFaultReport& input) const {
  if ((input.flags & ~kKnown) != 0) return FaultError::UnknownFlags;
  if ((input.flags & kFaultFenceInvalid) != 0) {
    if (input.fence.value != 0) return FaultError::FenceWithInvalid;
    if ((input.flags & kResetBits) == 0) return FaultError::InvalidWithoutReset;
  } else if (!input.fence_outstanding) {
    return FaultError::FenceNotOutstanding;
  }
  const bool by_iommu = (input.flags & kFaultIommu) != 0;
  const bool page_fault = !input.device_specific_code && input.code == 0;
  // Of both either may have found it, and of none what is not about a page.
  const bool missing = config_.iommu && page_fault;
  if (!config_.both_mmus && (by_iommu ? !config_.iommu : missing)) return FaultError::WrongMmu;
  if (input.handle == HandleKind::Other) return FaultError::ForeignHandle;
  const bool named = input.handle == HandleKind::Ours;
  if (named && input.packet_process && *input.packet_process != input.process) {
    return FaultError::OthersHandle;
  }
  if (input.address.value == 0) {
    return page_fault ? std::optional(FaultError::NoAddressNoCause) : std::nullopt;
  }
  const bool walked = page_fault && !by_iommu;
  if (walked && input.level >= config_.page_table_levels) return FaultError::NoSuchLevel;
  return {};
}

/// Rules 2 and 3.
void PageFaults::on(const PageFaultReport& input) {
  const std::size_t engine = index_of(input.engine);
  if (adapter_resetting_) return;
  if (const auto why = check(input)) {
    decisions_.emplace_back(FaultRejected{*why});
    return;
  }
  if ((input.flags & kFaultFatalHardware) != 0) {
    stopped_ = true;
    decisions_.emplace_back(BugCheck{});
    return;
  }
  if (input.system_device || (input.flags & kFaultAdapterReset) != 0) return reset_adapter();
  if (!resetting_[engine]) {
    resetting_[engine] = true;
    decisions_.emplace_back(ResetEngine{input.engine});
  }
  if (input.device) decisions_.emplace_back(PutInError{*input.device});
}

void PageFaults::on(const EngineResetDone& input) {
  const std::size_t engine = index_of(input.engine);
  HARNESS_ASSERT(resetting_[engine]);
  if (adapter_resetting_) return;  // overtaken
  if (!input.succeeded) return reset_adapter();
  resetting_[engine] = false;
  decisions_.emplace_back(EngineGoesOn{input.engine});
}

void PageFaults::reset_adapter() {
  adapter_resetting_ = true;
  decisions_.emplace_back(PutAllInError{});
  decisions_.emplace_back(ResetAdapter{});
}

/// A reset of the adapter that fails ends the system (TDR-001).
void PageFaults::on(const AdapterResetDone& input) {
  HARNESS_ASSERT(adapter_resetting_);
  if (!input.succeeded) {
    stopped_ = true;
    decisions_.emplace_back(BugCheck{});
    return;
  }
  adapter_resetting_ = false;
  std::fill(resetting_.begin(), resetting_.end(), false);
  decisions_.emplace_back(AdapterGoesOn{});
}

}  // namespace wddm::gpuva
