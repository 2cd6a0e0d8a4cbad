// Every small world: all patch lists of up to five elements over three slots, three allocations and
// NULL, and a segment of two pages.
//
// Slots and allocations are only names to the planner, so lists are listed up to renaming: slots
// and allocations appear in the order 0, 1, 2 of first use. A split-offset pattern says for each
// element whether it opens a new group, whether the first group is at 0, and whether the last is
// at U. Allocations have every combination of one and two pages. Each plan is held against the
// clauses (plan_checker.h) and against the obvious planner, step by step.
#include <gtest/gtest.h>

#include <algorithm>
#include <array>
#include <string>
#include <vector>

#include "reference/vidmm/split_planner.h"
#include "reference/vidmm/tests/naive_planner.h"
#include "reference/vidmm/tests/plan_checker.h"
#include "reference/vidmm/tests/small_world.h"

namespace wddm::vidmm {
namespace {

using testing::ListBuilder;
using testing::NaiveWorld;
using testing::WorldSpec;

constexpr std::uint32_t kSlots = 3;
constexpr std::uint32_t kAllocations = 3;
constexpr std::uint32_t kPages = 2;

WorldSpec world_of(std::uint32_t size_bits) {
  WorldSpec spec{{{SegmentKind::Memory, kPages}}, {}};
  for (std::uint32_t i = 0; i < kAllocations; ++i) {
    AllocationTraits traits;
    traits.size_bytes = (1 + (size_bits >> i & 1)) * kPageSize;
    traits.supported_segments = 1;
    spec.allocations.push_back(traits);
  }
  return spec;
}

/// A start state: allocations brought in, in this order (0: none), the first pinned or not.
struct Start {
  std::array<std::uint32_t, 2> in{};
  bool pinned = false;
};

/// Counts what the cases reached, so that a vacuous enumeration is noticed.
struct Reached {
  std::uint64_t cases = 0;
  std::uint64_t cut = 0;
  std::uint64_t failed = 0;
  std::uint64_t evicted = 0;
  std::uint64_t moved = 0;
};

class Enumeration {
 public:
  Enumeration() {
    for (std::uint32_t bits = 0; bits < 8; ++bits) {
      specs_.push_back(world_of(bits));
      vidmms_.push_back(testing::make_vidmm(specs_.back()));
      naives_.emplace_back(specs_.back());
    }
  }

  std::vector<Start> starts{Start{}};
  std::vector<bool> take_all{false};  // whether all split points are taken
  bool all_sizes = false;             // also of allocations that the list does not name
  Reached reached;

  /// Runs every list of exactly `length` elements, up to renaming.
  void run(std::uint32_t length) {
    elements_.assign(length, {});
    name(0, 0, 0);
  }

 private:
  /// Chooses slot and allocation of element `at`; so many names are in use.
  void name(std::uint32_t at, std::uint32_t slots, std::uint32_t allocations) {
    if (::testing::Test::HasFatalFailure()) return;
    if (at == elements_.size()) {
      for (std::uint32_t pattern = 0; pattern < 1u << (at + 1); ++pattern) {
        space(pattern, allocations);
      }
      return;
    }
    for (std::uint32_t slot = 0; slot < std::min(slots + 1, kSlots); ++slot) {
      for (std::uint32_t id = 0; id <= std::min(allocations + 1, kAllocations); ++id) {
        elements_[at] = {0, slot, id};
        name(at + 1, std::max(slots, slot + 1), std::max(allocations, id));
      }
    }
  }

  /// Sets the split offsets: bit i of `pattern` is a step before element i; the last bit puts U
  /// above the last split point.
  void space(std::uint32_t pattern, std::uint32_t allocations) {
    std::uint32_t split = 0;
    list_.clear();
    for (std::uint32_t i = 0; i < elements_.size(); ++i) {
      if ((pattern >> i & 1) != 0) split += 64;
      list_.add({split, elements_[i].slot, elements_[i].allocation});
    }
    if ((pattern >> elements_.size() & 1) != 0) split += 64;
    list_.set_bytes(split);
    const std::uint32_t sizes = all_sizes ? 8 : 1u << allocations;
    for (std::uint32_t bits = 0; bits < sizes; ++bits) {
      for (const Start& start : starts) {
        for (const bool all : take_all) check(bits, start, all);
      }
    }
  }

  void check(std::uint32_t bits, const Start& start, bool take) {
    before_ = vidmms_[bits];
    naive_ = naives_[bits];
    if (!prepare(start, before_, naive_)) return;
    const PatchList list = list_.list();
    vidmm_ = before_;
    const auto taken = take ? split_points(list) : std::vector<std::uint32_t>{};

    const ListError error = plan_buffer(planner_, vidmm_, list, taken, plan_);

    ++reached.cases;
    reached.cut += plan_.portions.size() > 1;
    reached.failed += plan_.status == PlanStatus::CannotFit;
    for (const PagingStep& step : plan_.steps) {
      reached.evicted += step.kind == StepKind::TransferOut;
      reached.moved += step.kind == StepKind::TransferIn;
    }
    vidmm_.validate();
    planner_.validate();
    ASSERT_EQ(error, ListError{});
    ASSERT_EQ(testing::breach(before_, list, plan_), "") << describe(bits, start);
    const Plan expected = testing::naive_plan(naive_, list, taken);
    ASSERT_TRUE(plan_.status == expected.status && plan_.portions == expected.portions &&
                plan_.steps == expected.steps && plan_.failing_element == expected.failing_element)
        << "plans differ: " << describe(bits, start);
    ASSERT_EQ(testing::difference(vidmm_, naive_), nullptr) << describe(bits, start);
  }

  /// Puts a world into a start state; false if that is not possible or not a new one.
  static bool prepare(const Start& start, VidMm& vidmm, NaiveWorld& naive) {
    for (const std::uint32_t id : start.in) {
      if (id == 0) continue;
      PagingSteps ignored;
      if (vidmm.placement(SegmentId{1}).free_pages() < vidmm.allocation(AllocationId{id}).pages) {
        return false;
      }
      if (!vidmm.page_in(AllocationId{id}, ignored)) return false;
      (void)naive.page_in(id, ignored);
    }
    if (start.pinned) {
      vidmm.pin(AllocationId{start.in[0]});
      naive.pin(start.in[0]);
    }
    return true;
  }

  [[nodiscard]] std::string describe(std::uint32_t bits, const Start& start) const {
    std::string text = "size bits " + std::to_string(bits) + ", in " + std::to_string(start.in[0]) +
                       "," + std::to_string(start.in[1]) + (start.pinned ? " pinned" : "") +
                       ", U " + std::to_string(list_.list().bytes) + ", list";
    for (const PatchElement& element : list_.list().elements) {
      text += " {" + std::to_string(element.split_offset) + "," + std::to_string(element.slot) +
              "," + std::to_string(element.allocation_index) + "}";
    }
    return text;
  }

  std::vector<WorldSpec> specs_;
  std::vector<VidMm> vidmms_;
  std::vector<NaiveWorld> naives_;
  std::vector<testing::Bind> elements_;
  ListBuilder list_{kAllocations, 0, {}};
  // The worlds of the case at hand; kept so that their memory is reused.
  VidMm before_;
  VidMm vidmm_;
  NaiveWorld naive_{WorldSpec{}};
  SplitPlanner planner_{kSlots};
  Plan plan_;
};

std::vector<Start> all_starts() {
  std::vector<Start> starts{Start{}};
  for (std::uint32_t first = 1; first <= kAllocations; ++first) {
    for (std::uint32_t second = 0; second <= kAllocations; ++second) {
      if (second == first) continue;
      for (const bool pinned : {false, true}) starts.push_back({{first, second}, pinned});
    }
  }
  return starts;
}

#if defined(__SANITIZE_ADDRESS__)
constexpr bool kSanitized = true;  // the last length would take minutes
#else
constexpr bool kSanitized = false;
#endif

TEST(SplitPlannerExhaustive, EveryListOfUpToFiveElements) {
  Enumeration all;
  for (std::uint32_t length = 0; length <= (kSanitized ? 4 : 5); ++length) all.run(length);
  EXPECT_GT(all.reached.cut, 5'000u);
  EXPECT_GT(all.reached.failed, 5'000u);
  EXPECT_GT(all.reached.evicted, 5'000u);
  EXPECT_GT(all.reached.moved, 500u);
  RecordProperty("cases", std::to_string(all.reached.cases));
}

TEST(SplitPlannerExhaustive, EveryStartAndEveryChoiceUpToThreeElements) {
  Enumeration all;
  all.starts = all_starts();
  all.take_all = {false, true};
  all.all_sizes = true;
  for (std::uint32_t length = 0; length <= (kSanitized ? 2 : 3); ++length) all.run(length);
  EXPECT_GT(all.reached.cut, 1'000u);
  EXPECT_GT(all.reached.failed, 1'000u);
  EXPECT_GT(all.reached.evicted, 1'000u);
  RecordProperty("cases", std::to_string(all.reached.cases));
}

}  // namespace
}  // namespace wddm::vidmm
