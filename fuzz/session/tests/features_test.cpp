#include "fuzz/session/features.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <array>
#include <memory>

namespace wddm::fuzz {
namespace {

// A trace that a test writes itself.
class Features : public ::testing::Test {
 protected:
  static constexpr std::uint32_t kEvents = 1000;
  Features() : storage(new Aligned[trace_storage_bytes(kEvents, 0) / sizeof(Aligned) + 1]) {
    writer = TraceWriter::create(storage.get(), kEvents, 0);
    scenario.ops = {{.kind = OpKind::Render}, {.kind = OpKind::Idle}};
  }

  template <class Payload>
  void add(const Payload& payload, std::uint16_t op = 0) {
    writer.op = op;
    writer.add(payload, 0, 0, 0);
  }
  std::array<std::uint8_t, kFeatures> count() {
    std::array<std::uint8_t, kFeatures> counters{};
    count_features(Trace(storage.get()), scenario, judged, counters);
    return counters;
  }

  struct alignas(64) Aligned {
    std::byte bytes[64];
  };
  std::unique_ptr<Aligned[]> storage;
  TraceWriter writer;
  Scenario scenario;
  harness::Judged judged;
};

std::size_t set(const std::array<std::uint8_t, kFeatures>& counters) {
  return static_cast<std::size_t>(
      std::count_if(counters.begin(), counters.end(), [](std::uint8_t c) { return c != 0; }));
}

TEST_F(Features, AnEventUnderAnotherOpIsAnother) {
  add(ev::IsrEntered{}, 0);
  add(ev::IsrEntered{}, 1);

  EXPECT_EQ(set(count()), 2u);
}

TEST_F(Features, ABranchOfTheOracleIsAnother) {
  add(ev::PortionPlanned{.why = static_cast<std::uint32_t>(CutReason::End)});
  add(ev::PortionPlanned{.why = static_cast<std::uint32_t>(CutReason::NoMemory)});

  EXPECT_EQ(set(count()), 2u);
}

TEST_F(Features, NumbersAreNone) {
  add(ev::PortionPlanned{.start = 4});
  add(ev::PortionPlanned{.start = 8});

  EXPECT_EQ(set(count()), 1u);
}

TEST_F(Features, AmountsAreOneForEachDoubling) {
  add(ev::PreemptAsked{.outstanding = 2});
  add(ev::PreemptAsked{.outstanding = 3});
  add(ev::PreemptAsked{.outstanding = 4});

  EXPECT_EQ(set(count()), 2u);
}

TEST_F(Features, CountersSaturate) {
  for (int i = 0; i < 300; ++i) add(ev::IsrEntered{});

  const auto counters = count();

  EXPECT_EQ(*std::max_element(counters.begin(), counters.end()), 255);
}

TEST_F(Features, AClauseThatWasReachedIsOne) {
  judged.rules.resize(2);
  judged.rules[1].reached = 3;

  EXPECT_EQ(set(count()), 1u);
}

}  // namespace
}  // namespace wddm::fuzz
