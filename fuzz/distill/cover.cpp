#include "fuzz/distill/cover.h"

#include <algorithm>
#include <array>
#include <queue>
#include <unordered_set>

namespace wddm::fuzz {
namespace {

// Of one run, beside its events: what starting and ending a driver takes.
constexpr double kEventsOfAny = 300;

struct Offer {
  double rate;
  std::size_t index;
  friend bool operator<(const Offer& a, const Offer& b) {
    return a.rate != b.rate ? a.rate < b.rate : a.index > b.index;
  }
};

}  // namespace

std::vector<Kept> cover(std::span<const Played> played, std::uint64_t most_events,
                        std::span<const std::size_t> always) {
  std::unordered_set<std::uint32_t> known;
  std::vector<Kept> kept;
  std::array<std::uint64_t, 2> events{};
  const auto keep = [&](std::size_t index) {
    const Played& run = played[index];
    Kept one{index, {}};
    for (const std::uint32_t feature : run.features) {
      if (known.insert(feature).second) one.added.push_back(feature);
    }
    events[run.gpu_virtual ? 1 : 0] += run.events;
    kept.push_back(std::move(one));
  };
  const auto is_sound = [](const Played& run) { return run.done && run.wrong.empty(); };
  for (const std::size_t index : always) {
    if (is_sound(played[index])) keep(index);
  }
  const auto rate_of = [&](const Played& run) {
    std::uint64_t worth = 0;
    for (const std::uint32_t feature : run.features)
      worth += known.count(feature) == 0 ? worth_of(feature) : 0;
    return static_cast<double>(worth) / (static_cast<double>(run.events) + kEventsOfAny);
  };
  std::priority_queue<Offer> offers;
  for (std::size_t i = 0; i < played.size(); ++i) {
    if (is_sound(played[i])) offers.push({rate_of(played[i]), i});
  }
  while (!offers.empty()) {
    Offer offer = offers.top();
    offers.pop();
    const Played& run = played[offer.index];
    if (events[run.gpu_virtual ? 1 : 0] + run.events > most_events) continue;
    // What others have added since makes an offer worse, never better.
    offer.rate = rate_of(run);
    if (offer.rate == 0) continue;
    if (!offers.empty() && offer < offers.top()) {
      offers.push(offer);
      continue;
    }
    keep(offer.index);
  }
  return kept;
}

}  // namespace wddm::fuzz
