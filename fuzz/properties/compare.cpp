#include <string>

#include "fuzz/minimizer/minimize.h"
#include "fuzz/properties/relation.h"

namespace wddm::fuzz {
namespace {

std::string difference(const MemoryRun& plain, const MemoryRun& disturbed) {
  if (plain.contents.size() != disturbed.contents.size()) {
    return std::to_string(plain.contents.size()) + " allocations against " +
           std::to_string(disturbed.contents.size());
  }
  for (std::size_t i = 0; i < plain.contents.size(); ++i) {
    if (plain.contents[i] == disturbed.contents[i]) continue;
    return "allocation " + std::to_string(plain.contents[i].allocation) + " holds other bytes";
  }
  if (disturbed.patched_otherwise != plain.patched_otherwise) {
    return std::to_string(disturbed.patched_otherwise) + " bytes differ when patched again";
  }
  return {};
}

}  // namespace

Comparison compare(const Relation& relation, std::span<const Op> ops, const Fault* fault) {
  const MemoryRun plain = run_for_memory(relation.plain(ops), fault);
  if (!plain.ended) return {Finding::NotComparable, {}};
  const MemoryRun disturbed = run_for_memory(relation.disturbed(ops), fault);
  if (!disturbed.ended) return {Finding::Violated, "only the plain form comes to its end"};
  if (plain.left_out != disturbed.left_out) return {Finding::NotComparable, {}};
  std::string found = difference(plain, disturbed);
  if (!found.empty()) return {Finding::Violated, std::move(found)};
  const bool reached = relation.reached(plain, disturbed);
  return {reached ? Finding::Holds : Finding::NotReached, {}};
}

Scenario shortest_violation(const Relation& relation, std::span<const Op> ops, const Fault* fault) {
  const auto violated = [&](std::span<const Op> candidate) {
    return compare(relation, candidate, fault).finding == Finding::Violated;
  };
  MinimizeOptions options;
  options.most_executions = 2000;
  Scenario shortest;
  shortest.ops = minimize_scenario(ops, violated, options).ops;
  shortest.about =
      std::string(relation.about) + "; here " + compare(relation, shortest.ops, fault).about;
  return shortest;
}

}  // namespace wddm::fuzz
