#include "conformance/harness/suite/disguises.h"

#include <fmt/format.h>

#include <algorithm>

#include "conformance/harness/suite/configurations.h"
#include "reference/harness_assert.h"

namespace wddm::harness {
namespace {

constexpr Disguise kDisguises[] = {
#define DISGUISE(name, kind, settings, fence, packets, client, beyond, about) \
  {#name, Disguise::Kind::kind, settings, fence, packets, client, beyond, about},
#include "conformance/harness/suite/disguise.def"
#undef DISGUISE
};

}  // namespace

std::span<const Disguise> disguises() {
  return kDisguises;
}

const Disguise* find_disguise(std::string_view name, std::string& error) {
  const auto all = disguises();
  const auto found =
      std::find_if(all.begin(), all.end(), [&](const Disguise& one) { return one.name == name; });
  if (found != all.end()) return &*found;
  error = fmt::format("--disguise: there is no '{}'; expected one of", name);
  for (const Disguise& one : all) error += fmt::format(" {}", one.name);
  return nullptr;
}

Configuration disguised(const Configuration& configuration, const Disguise& disguise) {
  Configuration other;
  std::string error;
  HARNESS_ASSERT(parse_configuration(disguise.settings, other, error));
  Configuration result = configuration;
  result.name = fmt::format("{}{}{}", configuration.name, kAs, disguise.name);
  // A scenario's own settings come behind, and so count for more; the driver's kind stays.
  result.settings.insert(result.settings.end(), other.settings.begin(), other.settings.end());
  result.settings.push_back({.kind = OpKind::FirstFence, .z = disguise.first_fence});
  result.settings.push_back({.kind = OpKind::AnnounceQueue, .x = disguise.queue_entries});
  return result;
}

}  // namespace wddm::harness
