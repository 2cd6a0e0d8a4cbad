// One op that fits a scenario's state: mostly one that matters there, now and then a near-miss.
#pragma once

#include "fuzz/generators/state_model.h"
#include "fuzz/random/random.h"
#include "reference/trace/op.h"

namespace wddm::fuzz {

/// Whether it is for drivers that name memory as this one does.
[[nodiscard]] bool has_meaning(OpKind kind, const Machine& machine);

/// Whether an op of this kind can do anything at this point.
[[nodiscard]] bool can_matter(OpKind kind, const StateModel& state);

/// How much more often than at other times an op of this kind is worth it here.
[[nodiscard]] std::uint32_t urgency(OpKind kind, const StateModel& state);

/// An op of this kind, canonical. Ids are those of objects that exist, places to create in are
/// free, ranges end at edges; about one value in sixteen lies just outside of that.
[[nodiscard]] Op make_op(OpKind kind, const StateModel& state, Random& random);

/// The op with what takes a run long (cycles, units of GPU time, waits, repetitions) brought down
/// to what a fuzzer can afford. Legal values beyond teach nothing new.
[[nodiscard]] Op affordable(Op op);

}  // namespace wddm::fuzz
