// A small world around a Residency, and a second opinion on every decision: it carries them out on
// counts and presences of its own, and knows the rules of device_residency.h only as things that
// must never happen.
#pragma once

#include <gtest/gtest.h>

#include <algorithm>
#include <array>
#include <deque>
#include <map>
#include <set>
#include <string>
#include <vector>

#include "reference/gpuva/device_residency.h"

namespace wddm::gpuva::testing {

inline constexpr std::uint64_t kCapacity = 4;  // pages
inline constexpr std::uint32_t kDevices = 2;   // device i is of process i
inline constexpr std::uint32_t kAllocations = 4;
/// Allocation 3 is created by device 0 and shared with device 1.
inline constexpr std::array<std::uint64_t, kAllocations> kSizes{2, 1, 3, 2};
inline constexpr std::array<std::uint32_t, kAllocations> kOwners{0, 0, 1, 0};

class ResidencyWorld {
 public:
  explicit ResidencyWorld(std::uint64_t budget = 100) : residency(kCapacity) {
    for (std::uint32_t i = 0; i < kDevices; ++i) {
      (void)residency.step(AddProcess{{i}, budget});
      (void)residency.step(AddDevice{{i}, {i}});
    }
    for (std::uint32_t i = 0; i < kAllocations; ++i) {
      (void)residency.step(AddAllocation{{i}, kSizes[i], {kOwners[i]}});
    }
    (void)residency.step(ShareAllocation{{3}, {1}});
  }

  // ---- Requests; the decisions, after they have been carried out here.
  using Ids = std::vector<AllocationId>;
  std::vector<ResidencyDecision> make(std::uint32_t device, const Ids& ids, bool last = false,
                                      bool must = false) {
    const auto decisions = ask(MakeResident{{device}, ids, last, must});
    const Answer answer = answer_of(decisions);
    if (answer.status == ResidencyStatus::Ok || answer.status == ResidencyStatus::Pending) {
      for (const AllocationId id : ids) ++counts[device][id.value];
    }
    if (answer.status == ResidencyStatus::Pending) expected[device].push_back(answer.fence_value);
    follow(decisions);
    return decisions;
  }
  std::vector<ResidencyDecision> evict(std::uint32_t device, const Ids& ids, bool lazy = false,
                                       bool not_written = false) {
    const auto decisions = ask(Evict{{device}, ids, lazy, not_written});
    if (answer_of(decisions).status == ResidencyStatus::Ok) {
      for (const AllocationId id : ids) {
        if (--counts[device][id.value] == 0 && begun[device] != ended[device]) {
          held[device][id.value] = begun[device];
        }
      }
    }
    follow(decisions);
    return decisions;
  }
  std::vector<ResidencyDecision> offer(std::uint32_t device, const Ids& ids) {
    const auto decisions = ask(Offer{{device}, ids});
    if (answer_of(decisions).status == ResidencyStatus::Ok) {
      for (const AllocationId id : ids) offered[id.value] = true;
    }
    follow(decisions);
    return decisions;
  }
  std::vector<ResidencyDecision> reclaim(std::uint32_t device, const Ids& ids) {
    const auto decisions = ask(Reclaim{{device}, ids});
    const Answer answer = answer_of(decisions);
    if (answer.status == ResidencyStatus::Ok) {
      for (const AllocationId id : ids) offered[id.value] = false;
      if (answer.fence_value != 0) expected[device].push_back(answer.fence_value);
    }
    follow(decisions);
    return decisions;
  }
  std::vector<ResidencyDecision> submit(std::uint32_t device, const Ids& ids = {}) {
    return tell(SubmitBuffer{{device}, ids});
  }
  std::vector<ResidencyDecision> want(std::uint32_t device) { return tell(WantToRun{{device}}); }
  std::vector<ResidencyDecision> begin(std::uint32_t device) {
    ++begun[device];
    for (std::uint32_t i = 0; i < kAllocations; ++i) {
      if (counts[device][i] != 0 && !offered[i]) check(in.contains(i), "runs without its list");
    }
    return tell(BeginRun{{device}});
  }
  std::vector<ResidencyDecision> end(std::uint32_t device) {
    ++ended[device];
    return tell(EndRun{{device}});
  }
  std::vector<ResidencyDecision> paged(std::uint32_t device) { return tell(PagingDone{{device}}); }
  std::vector<ResidencyDecision> tell(const ResidencyInput& input) {
    const auto decisions = ask(input);
    follow(decisions);
    return decisions;
  }

  Residency residency;
  std::array<std::array<std::uint32_t, kAllocations>, kDevices> counts{};
  std::array<std::array<std::uint64_t, kAllocations>, kDevices> held{};  // until ended reaches it
  std::array<std::deque<std::uint64_t>, kDevices> expected;              // fence values to come
  std::array<std::uint64_t, kDevices> begun{};
  std::array<std::uint64_t, kDevices> ended{};
  std::array<bool, kAllocations> offered{};
  std::set<std::uint32_t> in;  // there, or on its way
  std::string wrong;           // the first thing that must not happen

 private:
  static Answer answer_of(const std::vector<ResidencyDecision>& decisions) {
    return std::get<Answer>(decisions.at(0));
  }
  void check(bool right, const char* what) {
    if (!right && wrong.empty()) wrong = what;
  }
  std::vector<ResidencyDecision> ask(const ResidencyInput& input) {
    const auto decisions = residency.step(input);
    residency.validate();
    return {decisions.begin(), decisions.end()};
  }

  void follow(const std::vector<ResidencyDecision>& decisions) {
    for (const ResidencyDecision& decision : decisions) {
      if (const auto* page_in = std::get_if<PageIn>(&decision)) {
        check(in.insert(page_in->allocation.value).second, "in twice");
      } else if (const auto* out = std::get_if<PageOut>(&decision)) {
        follow(*out);
      } else if (const auto* signal = std::get_if<SignalPagingFence>(&decision)) {
        auto& values = expected[signal->queue.value];
        check(!values.empty() && values.front() == signal->value, "signalled out of order");
        if (!values.empty()) values.pop_front();
      } else if (const auto* run = std::get_if<MayRun>(&decision)) {
        check(residency.may_run(run->device), "may run, and may not");
      }
    }
    std::uint64_t pages = 0;
    for (const std::uint32_t id : in) pages += kSizes[id];
    check(pages <= kCapacity, "more than there is");
    for (std::uint32_t i = 0; i < kAllocations; ++i) {
      check((residency.presence({i}) != Presence::Out) == in.contains(i), "presence");
      for (std::uint32_t d = 0; d < kDevices; ++d) {
        check(residency.count({d}, {i}) == counts[d][i], "count");
      }
    }
  }
  void follow(const PageOut& out) {
    const std::uint32_t id = out.allocation.value;
    check(in.erase(id) == 1, "out twice");
    for (std::uint32_t d = 0; d < kDevices; ++d) {
      const bool runs = begun[d] != ended[d];
      check(!(runs && counts[d][id] != 0 && !offered[id]), "taken from who runs");
      check(!(runs && ended[d] < held[d][id]), "taken from who runs and has evicted");
    }
  }
};

/// The first decision of a kind, or null.
template <class Kind>
const Kind* first(const std::vector<ResidencyDecision>& decisions) {
  for (const ResidencyDecision& decision : decisions) {
    if (const auto* found = std::get_if<Kind>(&decision)) return found;
  }
  return nullptr;
}

}  // namespace wddm::gpuva::testing
