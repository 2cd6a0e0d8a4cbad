#include <fmt/format.h>

#include <algorithm>

#include "fuzz/distill/candidate.h"
#include "fuzz/mutators/mutate.h"

namespace wddm::fuzz {
namespace {

constexpr std::size_t kMostOps = 64;

// Families that matter most stand in the list more than once.
std::vector<Family> families_of(const Machine& machine) {
  std::vector<Family> families;
  for (const Family family : families_for(machine)) {
    if (std::find(families.begin(), families.end(), family) == families.end())
      families.push_back(family);
  }
  return families;
}

}  // namespace

std::vector<Candidate> invent_candidates(std::span<const harness::Configuration> configurations,
                                         const std::vector<bool>& gpu_virtual, std::uint32_t count,
                                         std::uint64_t seed) {
  std::vector<Candidate> candidates;
  for (std::uint32_t i = 0; i < configurations.size(); ++i) {
    Machine machine;
    for (const Op& setting : configurations[i].settings) apply_setting(setting, machine);
    machine.gpu_virtual = gpu_virtual[i] ? 1 : 0;
    for (const Family family : families_of(machine)) {
      for (std::uint32_t n = 0; n < count; ++n) {
        Candidate candidate;
        candidate.family = family_name(family);
        // Other scenarios in each configuration.
        candidate.seed = seed + std::uint64_t{i} * 1'000'000 + n;
        candidate.configuration = i;
        candidate.gpu_virtual = gpu_virtual[i];
        Random random(candidate.seed);
        auto scenario = std::make_shared<Scenario>();
        scenario->name = fmt::format("{}-{}", candidate.family, candidate.seed);
        scenario->ops = invent(family, random, kMostOps, machine);
        candidate.scenario = std::move(scenario);
        candidates.push_back(std::move(candidate));
      }
    }
  }
  return candidates;
}

}  // namespace wddm::fuzz
