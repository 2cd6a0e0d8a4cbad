#include "conformance/harness/judge/gathered.h"

#include <fmt/format.h>

#include <algorithm>

#include "conformance/harness/judge/findings.h"
#include "conformance/rules/rule_registry.h"

namespace wddm::harness {

GatheredFindings::GatheredFindings() {
  for (const std::string& id : all_finding_ids()) {
    Gathered& gathered = all_.emplace_back();
    gathered.result.id = id;
    gathered.result.name = test_name_of(id);
    gathered.result.selected = false;
  }
}

Gathered* GatheredFindings::at(std::string_view id, const std::string& site) {
  std::size_t places = 0;
  auto behind = all_.end();
  for (auto one = all_.begin(); one != all_.end(); ++one) {
    if (one->result.id != id) continue;
    if (!one->site) one->site = site;
    if (*one->site == site) return &*one;
    ++places;
    behind = one + 1;
  }
  if (places == kMostPlaces) {
    left_out_[std::string(id)].insert(site);
    return nullptr;
  }
  const std::string name = about_finding(id) != nullptr ? test_name_of(id) : std::string(id);
  Gathered& fresh = *all_.emplace(behind);
  fresh.site = site;
  fresh.result.id = id;
  fresh.result.name = places == 0 ? name : fmt::format("{}_{}", name, places + 1);
  fresh.result.selected = false;
  return &fresh;
}

std::size_t GatheredFindings::left_out_behind(const Gathered& gathered) const {
  const auto found = left_out_.find(gathered.result.id);
  if (found == left_out_.end()) return 0;
  const auto last = std::find_if(all_.rbegin(), all_.rend(), [&gathered](const Gathered& other) {
    return other.result.id == gathered.result.id;
  });
  return &*last == &gathered ? found->second.size() : 0;
}

}  // namespace wddm::harness
