// What a client evicts while it is asked to trim, and is told why.
#include "conformance/rules/tests/trace_test.h"

namespace wddm::res_010 {
namespace {

constexpr std::uint32_t kMakeResident = 0, kEvict = 1;
constexpr std::uint32_t kPeriodic = 1, kRestart = 2, kToBudget = 4;

class Res010 : public TraceTest {
 protected:
  Res010() {
    add(ev::AllocationCreated{.size = 4096, .allocation = 1});
    asks(kMakeResident);
    add(ev::BufferBuilt{.count = 1, .required_only = 1},
        std::vector<AllocationRecord>{{.allocation = 1}});
  }
  void asks(std::uint32_t request) {
    add(ev::ResidencyAsked{.request = request, .count = 1}, std::vector<std::uint32_t>{1});
  }
  void trim(std::uint32_t flags, bool evicts, std::uint64_t bytes = 0) {
    add(ev::TrimAsked{.bytes = bytes, .flags = flags, .stage = 0});
    if (evicts) asks(kEvict);
    add(ev::TrimAsked{.bytes = bytes, .flags = flags, .stage = 1});
  }
};

TEST_F(Res010, ARestartEvictsNothing) {
  trim(kRestart, false);
  EXPECT_TRUE(holds("RES-010"));
  EXPECT_EQ(times_reached("RES-010"), 1u);
  trim(kRestart, true);
  EXPECT_EQ(failures("RES-010"), 1u);
}

TEST_F(Res010, ARestartForABudgetMayEvict) {
  trim(kRestart | kToBudget, true, 4096);
  EXPECT_TRUE(holds("RES-010"));
}

TEST_F(Res010, WhatWasUsedSinceTheRestartStays) {
  trim(kRestart, false);
  trim(kPeriodic, true);
  EXPECT_TRUE(holds("RES-010"));
}

}  // namespace
}  // namespace wddm::res_010
