// What must hold for every plan, whoever made it: the clauses SPLIT-010..015 as one replay.
//
// Knows nothing of how plans are made. Checks, for well-formed lists: portions tile bytes and
// elements; cuts lie at split points; every step is possible where it stands; the working set of
// each portion is resident when it runs; what a row names and the cut does not reprogram keeps
// its place; page-ins follow list order; nothing is paged needlessly twice between two portions
// unless it was moved.
// Does not check which victim leaves or which address is chosen: those are choices.
#pragma once

#include <cstdint>
#include <string>

#include "reference/vidmm/split_planner.h"

namespace wddm::vidmm::testing {

/// The first breach in words; empty if the plan is sound. `before` is the world it was made for.
std::string breach(const VidMm& before, const PatchList& list, const Plan& plan);

}  // namespace wddm::vidmm::testing
