// The single changes that mutations are stacked from. Each leaves a scenario as it is where it
// has nothing to work on.
#pragma once

#include <cstddef>
#include <vector>

#include "fuzz/generators/generate.h"

namespace wddm::fuzz {

using Ops = std::vector<Op>;

/// Adds up to `count` ops of the family at some place, made for the state there.
void insert_some(Ops& ops, Family family, std::size_t count, Random& random);
/// Leaves out a few ops in a row.
void erase_some(Ops& ops, Random& random);
/// Leaves out what creates an object, and everything that names it.
void erase_object(Ops& ops, Random& random);
/// Repeats a few ops in a row, right after themselves or anywhere.
void duplicate_some(Ops& ops, Random& random);
void swap_two(Ops& ops, Random& random);
void move_one(Ops& ops, Random& random);
/// Makes a field that names an object or a slot name another one that the scenario names too.
void retarget(Ops& ops, Random& random);
/// Sets a field to an edge, to a neighbour of its value, or flips a bit of it.
void nudge(Ops& ops, Random& random);

}  // namespace wddm::fuzz
