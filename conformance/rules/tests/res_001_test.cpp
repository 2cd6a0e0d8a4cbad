// Buffers with patch lists that a host lets through, or wrongly does not.
#include "conformance/rules/tests/trace_test.h"

namespace wddm::res_001 {
namespace {

class Res001 : public TraceTest {
 protected:
  void counted(std::uint32_t allocation, std::uint32_t count) {
    add(ev::ResidencyCounted{.allocation = allocation, .count = count});
  }
  void rendered(std::uint32_t render, std::vector<std::uint32_t> list, std::uint32_t rejected) {
    std::vector<AllocationRecord> records;
    for (const std::uint32_t id : list) records.push_back({.allocation = id});
    add(ev::RenderCalled{.render = render, .context = 1}, records);
    add(ev::SubmissionChecked{.render = render, .context = 1, .rejected = rejected});
  }
  void in_error() { add(ev::DeviceInError{.cause = 3}); }
  void submitted(std::uint32_t render) { add(ev::Submitted{.render = render, .context = 1}); }
};

TEST_F(Res001, WhatIsRequiredRuns) {
  counted(1, 1);
  rendered(0, {1, 256, kNone}, 0);
  submitted(0);
  EXPECT_TRUE(holds("RES-001"));
  EXPECT_EQ(times_reached("RES-001"), 1u);
}

TEST_F(Res001, WhatIsNotIsRejected) {
  counted(1, 1);
  rendered(0, {1, 2}, 1);
  in_error();
  EXPECT_TRUE(holds("RES-001"));
}

TEST_F(Res001, ItGoesOn) {
  counted(1, 1);
  counted(1, 0);
  rendered(0, {1}, 0);
  EXPECT_FALSE(holds("RES-001"));
}

TEST_F(Res001, AnEntryThatTheDriverEmptiedNamesNothing) {
  counted(1, 1);
  add(ev::RenderCalled{.render = 0, .context = 1},
      std::vector<AllocationRecord>{{.allocation = 1}, {.allocation = 2}});
  add(ev::ListAltered{.render = 0, .emptied = 1},
      std::vector<AllocationRecord>{{.allocation = 1}, {.allocation = kNone}});
  add(ev::SubmissionChecked{.render = 0, .context = 1, .rejected = 0});
  submitted(0);
  EXPECT_TRUE(holds("RES-001"));
}

TEST_F(Res001, OtherEntriesThanTheEmptiedOneAreJudged) {
  counted(1, 1);
  add(ev::RenderCalled{.render = 0, .context = 1},
      std::vector<AllocationRecord>{{.allocation = 1}, {.allocation = 2}});
  add(ev::ListAltered{.render = 0, .emptied = 1},
      std::vector<AllocationRecord>{{.allocation = kNone}, {.allocation = 2}});
  add(ev::SubmissionChecked{.render = 0, .context = 1, .rejected = 0});
  EXPECT_FALSE(holds("RES-001"));
}

TEST_F(Res001, OfSeveralPassesAnotherOneMayHaveBeenRejected) {
  counted(1, 1);
  add(ev::RenderCalled{.render = 0, .context = 1},
      std::vector<AllocationRecord>{{.allocation = 2}});
  add(ev::RenderCalled{.render = 0, .context = 1, .pass = 1},
      std::vector<AllocationRecord>{{.allocation = 2}});
  add(ev::ListAltered{.render = 0, .pass = 1, .emptied = 1},
      std::vector<AllocationRecord>{{.allocation = kNone}});
  add(ev::SubmissionChecked{.render = 0, .context = 1, .rejected = 1});
  in_error();
  EXPECT_TRUE(holds("RES-001"));
}

TEST_F(Res001, RejectedForNothing) {
  counted(1, 1);
  rendered(0, {1}, 1);
  EXPECT_FALSE(holds("RES-001"));
}

TEST_F(Res001, RejectedAndSubmittedAllTheSame) {
  rendered(0, {1}, 1);
  in_error();
  submitted(0);
  EXPECT_FALSE(holds("RES-001"));
}

TEST_F(Res001, TheDeviceGoesOn) {
  rendered(0, {1}, 1);
  submitted(1);
  EXPECT_FALSE(holds("RES-001"));
}

TEST_F(Res001, TheDeviceInErrorGoesOn) {
  rendered(0, {1}, 1);
  in_error();
  submitted(1);
  EXPECT_FALSE(holds("RES-001"));
}

TEST_F(Res001, AnotherAllocationInTheSlot) {
  counted(1, 1);
  add(ev::AllocationCreated{.allocation = 1});
  rendered(0, {1}, 0);
  EXPECT_FALSE(holds("RES-001"));
}

}  // namespace
}  // namespace wddm::res_001
