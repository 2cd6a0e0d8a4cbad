#include <algorithm>
#include <array>
#include <bit>
#include <vector>

#include "fuzz/distill/candidate.h"
#include "fuzz/session/features.h"

namespace wddm::fuzz {
namespace {

// Kinds of features, in their two highest bits.
enum : std::uint32_t { kReached = 0, kHowOften = 1, kEvent = 2, kFollows = 3 };
constexpr std::uint32_t kReachedWorth = 12, kHowOftenWorth = 4;

std::uint32_t feature(std::uint32_t kind, std::uint32_t value) {
  return kind << 30 | (value & 0x3fffffff);
}

// Powers of two up to a few, as engines count.
std::uint32_t size_class(std::uint32_t count) {
  return std::min<std::uint32_t>(static_cast<std::uint32_t>(std::bit_width(count)), 4);
}

void add_clauses(const harness::Judged& judged, std::uint32_t configuration,
                 std::uint32_t addressing, std::vector<std::uint32_t>& features) {
  for (std::uint32_t rule = 0; rule < judged.rules.size(); ++rule) {
    const std::uint32_t reached = judged.rules[rule].reached;
    if (reached == 0) continue;
    features.push_back(feature(kReached, rule << 8 | configuration));
    for (std::uint32_t size = 1; size <= size_class(reached); ++size)
      features.push_back(feature(kHowOften, rule << 8 | size << 1 | addressing));
  }
}

// As fuzzers see them; those of clauses, which come first there, are counted above.
void add_events(const Trace& trace, const Scenario& scenario, std::uint32_t addressing,
                std::vector<std::uint32_t>& features) {
  std::array<std::uint8_t, kFeatures> counters{};
  count_features(trace, scenario, harness::Judged{}, counters);
  for (std::uint32_t i = 0; i < counters.size(); ++i) {
    if (counters[i] == 0) continue;
    features.push_back(feature(kEvent, i << 8 | addressing));
    if (counters[i] > 2) features.push_back(feature(kEvent, i << 8 | 2 | addressing));
  }
}

// Which event, and which call of the driver next; and which two calls came before it.
void add_sequences(const Trace& trace, std::uint32_t addressing,
                   std::vector<std::uint32_t>& features) {
  std::uint32_t before = 0, last = 0, event_before = 0;
  for (const Event& event : trace.events()) {
    if (event.kind != EventKind::DdiEntered) {
      event_before = static_cast<std::uint32_t>(event.kind);
      continue;
    }
    const std::uint32_t ddi = Trace::as<ev::DdiEntered>(event).ddi + 1;
    features.push_back(feature(kFollows, ddi << 20 | event_before << 4 | addressing));
    features.push_back(feature(kFollows, ddi << 20 | last << 12 | before << 4 | 2 | addressing));
    before = last;
    last = ddi;
  }
}

}  // namespace

std::vector<std::uint32_t> features_of(const Trace& trace, const Scenario& scenario,
                                       const harness::Judged& judged, std::uint32_t configuration,
                                       bool gpu_virtual) {
  const std::uint32_t addressing = gpu_virtual ? 1 : 0;
  std::vector<std::uint32_t> features;
  add_clauses(judged, configuration, addressing, features);
  add_events(trace, scenario, addressing, features);
  add_sequences(trace, addressing, features);
  std::sort(features.begin(), features.end());
  features.erase(std::unique(features.begin(), features.end()), features.end());
  return features;
}

const Rule* clause_of(std::uint32_t feature) {
  return feature >> 30 == kReached ? all_rules()[feature >> 8] : nullptr;
}

std::uint32_t worth_of(std::uint32_t feature) {
  switch (feature >> 30) {
    case kReached:
      return kReachedWorth;
    case kHowOften:
      return kHowOftenWorth;
    default:
      return 1;
  }
}

}  // namespace wddm::fuzz
