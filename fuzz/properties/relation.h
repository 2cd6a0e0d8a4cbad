// Metamorphic relations: two forms of one scenario that must leave the same memory.
//
// What disturbs the one form is part of the scenario itself (its Evict ops, its Preempt ops, the
// order of its contexts), and the other form leaves it out. So a failure can be minimized op by op
// like any other scenario.
#pragma once

#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "fuzz/properties/memory_run.h"
#include "fuzz/random/random.h"

namespace wddm::fuzz {

struct Relation {
  std::string_view about;  ///< what must not show in memory
  std::vector<Op> (*scenario)(Random& random);
  std::vector<Op> (*plain)(std::span<const Op> ops);
  std::vector<Op> (*disturbed)(std::span<const Op> ops);
  /// Whether the disturbance came about at all.
  bool (*reached)(const MemoryRun& plain, const MemoryRun& disturbed);
};

extern const Relation kSplitAnywhere;
extern const Relation kEvictAnything;
extern const Relation kPatchAgain;
extern const Relation kPreemptAnywhere;
extern const Relation kInterleaveContexts;

enum class Finding {
  NotComparable,  ///< the two forms did different work, or the plain one did not come to its end
  NotReached,     ///< nothing was disturbed
  Holds,
  Violated,
};
struct Comparison {
  Finding finding;
  std::string about;  ///< of a violation
};

[[nodiscard]] Comparison compare(const Relation& relation, std::span<const Op> ops,
                                 const Fault* fault = nullptr);

/// The shortest scenario that still shows a violation, and in `about` what differs.
[[nodiscard]] Scenario shortest_violation(const Relation& relation, std::span<const Op> ops,
                                          const Fault* fault = nullptr);

}  // namespace wddm::fuzz
