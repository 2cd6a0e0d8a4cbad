// See residency_client.h for the rules.
#include "reference/gpuva/residency_client.h"

#include <algorithm>

#include "reference/harness_assert.h"

namespace wddm::gpuva {

std::span<const ClientVerdict> ResidencyClient::judge(const ClientEvent& event) {
  verdicts_.clear();
  std::visit([this](const auto& what) { on(what); }, event);
  return verdicts_;
}

ResidencyClient::Known& ResidencyClient::known(AllocationId id) {
  HARNESS_ASSERT(id.value < known_.size() && known_[id.value].pages != 0);
  return known_[id.value];
}

std::uint64_t ResidencyClient::waited(ContextId context) const {
  const std::uint64_t own = context.value < waited_.size() ? waited_[context.value] : 0;
  return std::max(own, seen_);
}

void ResidencyClient::fault(ClientFault what, AllocationId allocation) {
  verdicts_.push_back({what, allocation});
}

void ResidencyClient::on(const ClientAllocation& event) {
  HARNESS_ASSERT(event.allocation.value < 1u << 24 && event.pages != 0);
  if (event.allocation.value >= known_.size()) known_.resize(event.allocation.value + 1);
  known_[event.allocation.value] = {};
  known_[event.allocation.value].pages = event.pages;
}

/// Rule 2.
void ResidencyClient::on(const ClientMade& event) {
  if (event.must_succeed && !event.cant_trim_further) fault(ClientFault::MustSucceedAlone);
  if (event.cant_trim_further && !failed_) fault(ClientFault::FinalAttemptFirst);
  failed_ = event.status == ResidencyStatus::OutOfMemory;
  if (event.status != ResidencyStatus::Ok && event.status != ResidencyStatus::Pending) return;
  for (const AllocationId id : event.allocations) {
    Known& made = known(id);
    if (made.count++ == 0) made.written = made.used = false;
    made.ever = true;
    made.on_its_way = std::max(made.on_its_way, event.fence_value);
  }
}

void ResidencyClient::on(const ClientReclaimed& event) {
  for (const AllocationId id : event.allocations) {
    known(id).offered = false;
    known(id).on_its_way = std::max(known(id).on_its_way, event.fence_value);
  }
}

/// Rule 3. The flag acts at once, so that it is judged at once. Rule 4: a trim that only sets the
/// fence asks for no eviction, not even for one that leaves the allocation required.
void ResidencyClient::on(const ClientEvicted& event) {
  const bool only_remembers =
      in_trim_ && trim_.restart_periodic && !trim_.periodic && !trim_.to_budget;
  for (const AllocationId id : event.allocations) {
    Known& evicted = known(id);
    HARNESS_ASSERT(evicted.count != 0);
    if (event.not_written_to && evicted.written) fault(ClientFault::WrittenTo, id);
    if (only_remembers) fault(ClientFault::TrimmedOnRestart, id);
    if (--evicted.count != 0) continue;
    evicted.evicted_in_trim = in_trim_;
    if (in_trim_) trimmed_pages_ += evicted.pages;
  }
}

void ResidencyClient::on(const ClientOffered& event) {
  for (const AllocationId id : event.allocations) known(id).offered = true;
}

void ResidencyClient::on(const ClientWaits& event) {
  HARNESS_ASSERT(event.context.value < 1u << 20);
  if (event.context.value >= waited_.size()) waited_.resize(event.context.value + 1);
  waited_[event.context.value] = std::max(waited_[event.context.value], event.value);
}

void ResidencyClient::on(const ClientSaw& event) {
  seen_ = std::max(seen_, event.value);
}

/// Rule 1.
void ResidencyClient::on(const ClientSubmitted& event) {
  for (const AllocationId id : event.allocations) {
    Known& used = known(id);
    used.last_use = event.fence;
    used.used = true;
    if (used.count == 0) {
      fault(used.ever ? ClientFault::UsedAfterEvict : ClientFault::NotRequired, id);
    } else if (used.offered) {
      fault(ClientFault::UsedWhileOffered, id);
    } else if (used.on_its_way > waited(event.context)) {
      fault(ClientFault::NotWaited, id);
    }
  }
}

void ResidencyClient::on(const ClientCompleted& event) {
  completed_ = std::max(completed_, event.fence);
}

void ResidencyClient::on(const GpuWrote& event) {
  known(event.allocation).written = true;
}

// ---- Rule 4.

void ResidencyClient::on(const TrimBegins& event) {
  HARNESS_ASSERT(!in_trim_);
  in_trim_ = true;
  trim_ = event;
  trimmed_pages_ = 0;
  for (Known& each : known_) each.evicted_in_trim = false;
  if (event.periodic && event.restart_periodic) fault(ClientFault::TrimFlagsTogether);
}

void ResidencyClient::on(const TrimEnds&) {
  HARNESS_ASSERT(in_trim_);
  in_trim_ = false;
  if (trim_.periodic) judge_periodic();
  if (trim_.to_budget) judge_to_budget();
  if (trim_.periodic || trim_.restart_periodic) last_periodic_ = completed_;
}

void ResidencyClient::judge_periodic() {
  for (std::uint32_t i = 0; i < known_.size(); ++i) {
    const Known& each = known_[i];
    const bool unused = each.used && each.last_use <= last_periodic_;
    const bool used = each.used && each.last_use > last_periodic_;
    if (unused && each.count != 0) fault(ClientFault::KeptUnused, {i});
    if (used && each.evicted_in_trim && !trim_.to_budget) fault(ClientFault::TrimmedUsed, {i});
  }
}

void ResidencyClient::judge_to_budget() {
  if (trimmed_pages_ * kPageSize >= trim_.bytes) return;
  const auto idle = [this](const Known& each) {
    return each.count != 0 && each.used && each.last_use <= completed_;
  };
  if (std::ranges::any_of(known_, idle)) fault(ClientFault::TrimmedTooLittle);
}

}  // namespace wddm::gpuva
