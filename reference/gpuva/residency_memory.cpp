// What device_residency.h sets in motion: queues (rule 3), and whose memory is taken for whom
// (rules 4, 5 and 8).
#include <algorithm>
#include <tuple>

#include "reference/gpuva/device_residency.h"
#include "reference/harness_assert.h"

namespace wddm::gpuva {

/// Puts an operation into the queue of a device; gives its fence value.
std::uint64_t Residency::queue(DeviceId id, std::span<const AllocationId> list, bool tables) {
  Device& of = device(id);
  of.operations.push_back(
      {.value = of.next_value++, .age = now_, .listed = list.size(), .tables = tables});
  of.listed.insert(of.listed.end(), list.begin(), list.end());
  return of.operations.back().value;
}

/// Everything that can go on now does. What cannot waits for a run or for paging to end, and each
/// of these is an input.
void Residency::settle() {
  recall_ready();
  take_out_leaving();
  serve_wanting();
  while (serve_oldest()) {
  }
}

/// Who may run, and by this input needs what is not there, has to wait again, before all others.
void Residency::recall_ready() {
  for (std::uint32_t i = 0; i < devices_.size(); ++i) {
    Device& each = devices_[i];
    if (!each.ready || list_missing({i}) == Missing::Nothing) continue;
    each.ready = false;
    wanting_.insert(wanting_.begin(), {i});
  }
}

/// Rule 4.
void Residency::take_out_leaving() {
  std::erase_if(leaving_, [this](AllocationId id) {
    const Allocation& each = allocation(id);
    if (!each.exists || !each.leaving || each.presence == Presence::Out) return true;
    if (each.presence == Presence::ComingIn || needed(each)) return false;
    take_out(id);
    return true;
  });
}

/// Rule 5: in the order of asking. Who stands behind gives way.
void Residency::serve_wanting() {
  for (std::size_t i = 0; i < wanting_.size(); ++i) {
    const DeviceId id = wanting_[i];
    Device& by = device(id);
    if (by.in_flight) continue;
    const Missing missing = list_missing(id);
    if (missing == Missing::OnItsWay) continue;
    if (missing == Missing::Listed) {
      (void)bring_in(id, 0, i);
      continue;
    }
    if (by.suspended) decisions_.emplace_back(ResumeDevice{id});
    by.suspended = false;
    by.ready = true;
    decisions_.emplace_back(MayRun{id});
    wanting_.erase(wanting_.begin() + static_cast<std::ptrdiff_t>(i--));
  }
}

/// Tries the first operation of each queue, the oldest first; whether one went on.
bool Residency::serve_oldest() {
  std::uint64_t after = 0;
  while (true) {
    const Device* oldest = nullptr;
    for (const Device& each : devices_) {
      if (!each.exists || each.in_flight || each.operations.empty()) continue;
      const std::uint64_t age = each.operations.front().age;
      if (age > after && (oldest == nullptr || age < oldest->operations.front().age)) {
        oldest = &each;
      }
    }
    if (oldest == nullptr) return false;
    if (serve({static_cast<std::uint32_t>(oldest - devices_.data())})) return true;
    after = oldest->operations.front().age;
  }
}

/// Rule 3. Whether the first operation of the queue is done or in flight now.
bool Residency::serve(DeviceId id) {
  Device& of = device(id);
  const Operation first = of.operations.front();
  if (first.tables) {
    of.in_flight = true;
    of.value_in_flight = first.value;
    decisions_.emplace_back(UpdateTables{id});
  } else {
    const Missing missing = list_missing(id, {of.listed.data(), first.listed});
    if (missing == Missing::OnItsWay) return false;
    if (missing == Missing::Listed && !bring_in(id, first.value, wanting_.size())) return false;
    if (missing == Missing::Nothing) {
      of.signalled = first.value;
      decisions_.emplace_back(SignalPagingFence{id, first.value});
    }
  }
  of.operations.erase(of.operations.begin());
  of.listed.erase(of.listed.begin(), of.listed.begin() + static_cast<std::ptrdiff_t>(first.listed));
  return true;
}

/// Adds `id` to list_ if the device needs it and it is out.
Residency::Missing Residency::note_missing(DeviceId by, AllocationId id, Missing before) {
  const Presence presence = this->presence(id);
  if (presence == Presence::In || !needs(by, id)) return before;
  if (presence == Presence::ComingIn) return Missing::OnItsWay;
  if (std::ranges::find(list_, id) == list_.end()) list_.push_back(id);
  return before == Missing::OnItsWay ? before : Missing::Listed;
}

Residency::Missing Residency::list_missing(DeviceId by, std::span<const AllocationId> of) {
  list_.clear();
  Missing missing = Missing::Nothing;
  for (const AllocationId id : of) missing = note_missing(by, id, missing);
  return missing;
}

Residency::Missing Residency::list_missing(DeviceId by) {
  list_.clear();
  Missing missing = Missing::Nothing;
  for (std::uint32_t i = 0; i < allocations_.size(); ++i) missing = note_missing(by, {i}, missing);
  return missing;
}

/// Brings list_ in for a device, as its operation in flight, if there is or can be room.
bool Residency::bring_in(DeviceId id, std::uint64_t value, std::size_t before) {
  std::uint64_t pages = 0;
  for (const AllocationId each : list_) pages += allocation(each).pages;
  if (!make_room(pages, id, before)) return false;
  Device& by = device(id);
  by.in_flight = true;
  by.value_in_flight = value;
  for (const AllocationId each : list_) {
    Allocation& coming = allocation(each);
    coming.presence = Presence::ComingIn;
    coming.dirty = false;
    used_ += coming.pages;
    by.coming.push_back(each);
    decisions_.emplace_back(PageIn{each, coming.saved, id});
  }
  return true;
}

/// Rule 5. All of it, or nothing happens. Those before `before` in wanting_ keep what they have.
bool Residency::make_room(std::uint64_t pages, DeviceId requester, std::size_t before) {
  if (pages <= capacity_ - used_) return true;
  const std::uint64_t missing = pages - (capacity_ - used_);
  suspending_.clear();
  std::uint64_t found = list_victims(requester, before);
  while (found < missing) {
    const Device* next = nullptr;
    for (std::uint32_t i = 0; i < devices_.size(); ++i) {
      const Device& each = devices_[i];
      if (!each.exists || each.suspended || !gives_way({i}, requester, before)) continue;
      if (std::ranges::find(suspending_, DeviceId{i}) != suspending_.end()) continue;
      if (next == nullptr || each.last_run < next->last_run) next = &each;
    }
    if (next == nullptr) return false;
    suspending_.push_back({static_cast<std::uint32_t>(next - devices_.data())});
    found = list_victims(requester, before);
  }
  // One that was chosen may give nothing, because others need the same.
  for (std::size_t i = 0; i < suspending_.size();) {
    const DeviceId spared = suspending_[i];
    suspending_.erase(suspending_.begin() + static_cast<std::ptrdiff_t>(i));
    if (list_victims(requester, before) >= missing) continue;
    suspending_.insert(suspending_.begin() + static_cast<std::ptrdiff_t>(i), spared);
    ++i;
  }
  (void)list_victims(requester, before);
  for (const DeviceId each : suspending_) {
    device(each).suspended = true;
    decisions_.emplace_back(SuspendDevice{each});
  }
  std::ranges::sort(victims_, [](const Victim& a, const Victim& b) {
    return std::tie(a.rank, a.last_needed, a.allocation) <
           std::tie(b.rank, b.last_needed, b.allocation);
  });
  for (const Victim& victim : victims_) {
    if (pages <= capacity_ - used_) break;
    take_out(victim.allocation);
  }
  return true;
}

/// Whether what the device needs may be taken for `requester`.
bool Residency::gives_way(DeviceId id, DeviceId requester, std::size_t before) const {
  const Device& each = device(id);
  if (id == requester || each.runs() || each.ready) return false;
  const auto end = wanting_.begin() + static_cast<std::ptrdiff_t>(before);
  return std::find(wanting_.begin(), end, id) == end;
}

/// What may be taken if suspending_ are suspended: into victims_. Gives their pages.
std::uint64_t Residency::list_victims(DeviceId requester, std::size_t before) {
  victims_.clear();
  std::uint64_t pages = 0;
  const auto loses = [&](DeviceId id) {
    if (!gives_way(id, requester, before)) return false;
    return device(id).suspended || std::ranges::find(suspending_, id) != suspending_.end();
  };
  for (std::uint32_t i = 0; i < allocations_.size(); ++i) {
    const Allocation& each = allocations_[i];
    if (each.presence != Presence::In) continue;
    const auto keeps = [&](const Use& use) { return needs(use, each) && !loses(use.device); };
    if (std::ranges::any_of(each.uses, keeps)) continue;
    const std::uint32_t rank = needed(each) ? 2 : each.offered ? 0 : 1;
    victims_.push_back({rank, each.last_needed, {i}});
    pages += each.pages;
  }
  return pages;
}

/// Rule 8.
void Residency::take_out(AllocationId id) {
  Allocation& taken = allocation(id);
  HARNESS_ASSERT(taken.presence == Presence::In);
  const bool lost = taken.offered && !needed(taken);
  const bool differs = taken.dirty || (required(taken) && !taken.not_written);
  taken.presence = Presence::Out;
  taken.leaving = false;
  used_ -= taken.pages;
  if (lost) {
    taken.lost = true;
    taken.saved = false;
  } else if (differs) {
    taken.saved = true;
  }
  decisions_.emplace_back(PageOut{id, lost || !differs});
}

void Residency::validate() const {
  std::uint64_t used = 0;
  std::vector<std::uint64_t> of_device(devices_.size());
  std::vector<std::uint64_t> of_process(processes_.size());
  for (const Allocation& each : allocations_) {
    if (each.presence != Presence::Out) used += each.pages;
    for (std::uint32_t p = 0; p < processes_.size(); ++p) {
      if (required_by({p}, each)) of_process[p] += each.pages;
    }
    for (const Use& use : each.uses) {
      if (use.count != 0) of_device[use.device.value] += each.pages;
      HARNESS_ASSERT(use.until <= device(use.device).submitted);
      const Device& by = device(use.device);
      if (by.ready) HARNESS_ASSERT(!needs(use, each) || each.presence == Presence::In);
    }
  }
  HARNESS_ASSERT(used == used_ && used <= capacity_);
  for (std::size_t i = 0; i < processes_.size(); ++i) {
    HARNESS_ASSERT(of_process[i] == processes_[i].required_pages);
  }
  for (std::size_t i = 0; i < devices_.size(); ++i) {
    const Device& each = devices_[i];
    HARNESS_ASSERT(of_device[i] == each.required_pages && each.required_pages <= capacity_);
    HARNESS_ASSERT(each.ended <= each.begun && each.begun <= each.submitted);
    HARNESS_ASSERT(each.in_flight || each.coming.empty());
    HARNESS_ASSERT(!(each.suspended && (each.ready || each.runs())));
    std::uint64_t value = each.signalled;
    if (each.in_flight && each.value_in_flight != 0)
      HARNESS_ASSERT(each.value_in_flight == ++value);
    std::size_t listed = 0;
    for (const Operation& operation : each.operations) {
      if (each.exists) HARNESS_ASSERT(operation.value == ++value);
      listed += operation.listed;
    }
    HARNESS_ASSERT(listed == each.listed.size());
  }
  for (const DeviceId id : wanting_) HARNESS_ASSERT(!device(id).ready && !device(id).error);
}

}  // namespace wddm::gpuva
