// Changes to one op that leave the list as it is.
#pragma once

#include "fuzz/random/random.h"
#include "reference/trace/op.h"

namespace wddm::fuzz {

/// A field goes to one of its edges, one up or down, doubles, halves, or has a bit flipped.
void nudge(Op& op, Random& random);

/// A field that names an object, a slot of the table or a node names another, mostly a low one.
/// False if the op has none.
bool retarget(Op& op, Random& random);

}  // namespace wddm::fuzz
