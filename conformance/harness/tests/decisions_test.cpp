// What is told of the oracles' decisions.
#include "conformance/harness/judge/decisions.h"

#include <gtest/gtest.h>

namespace wddm::harness {
namespace {

TEST(Decisions, NamesLeadBack) {
  DecisionSet some;
  some.set(static_cast<std::size_t>(Decision::CutForMemory));
  some.set(static_cast<std::size_t>(Decision::AdapterReset));
  EXPECT_EQ(decisions_named(names_of(some)), some);
  EXPECT_TRUE(decisions_named({"one of a later version"}).none());
}

TEST(Decisions, AreThoseOfTheAddressing) {
  Platform lists, addresses;
  addresses.gpu_mmu = true;
  const auto at = [](Decision decision) { return static_cast<std::size_t>(decision); };
  EXPECT_TRUE(possible_for(lists)[at(Decision::CutForMemory)]);
  EXPECT_FALSE(possible_for(lists)[at(Decision::Mapped)]);
  EXPECT_FALSE(possible_for(addresses)[at(Decision::CutForMemory)]);
  EXPECT_TRUE(possible_for(addresses)[at(Decision::Mapped)]);
  EXPECT_TRUE(possible_for(addresses)[at(Decision::Preempted)]);
}

}  // namespace
}  // namespace wddm::harness
