#include "fuzz/mutators/mutate.h"

#include <algorithm>
#include <map>

#include "fuzz/generators/generate.h"
#include "fuzz/generators/make_op.h"
#include "fuzz/minimizer/op_language.h"
#include "fuzz/mutators/mutate_op.h"

namespace wddm::fuzz {
namespace {

using Ops = std::vector<Op>;

constexpr std::uint32_t kMostChanges = 8;
constexpr std::uint32_t kMostRun = 8;     // ops that are moved, duplicated or inserted at once
constexpr std::uint32_t kMostTries = 16;  // until the result differs
constexpr std::uint32_t kFewestInvented = 16, kMostInvented = 64;  // ops from nothing

struct Range {
  std::size_t first, count;
};

std::size_t index_in(const Ops& ops, Random& random) {
  return random.below(static_cast<std::uint32_t>(ops.size()));
}

// Mostly one op; an opener with its elements, or a few ops in a row.
Range some_range(const Ops& ops, Random& random) {
  const std::size_t first = index_in(ops, random);
  std::size_t end = first + 1;
  const auto is_element = [&](std::size_t i) { return has_role(ops[i].kind, OpRole::Element); };
  if (random.one_in(3)) {
    while (end < ops.size() && is_element(end)) ++end;
  } else if (random.one_in(3)) {
    end = std::min(ops.size(), first + 1 + random.below(kMostRun));
  }
  return {first, end - first};
}

void insert_at(Ops& ops, std::size_t at, std::span<const Op> added) {
  ops.insert(ops.begin() + static_cast<std::ptrdiff_t>(at), added.begin(), added.end());
}

void erase(Ops& ops, const Range& range) {
  const auto first = ops.begin() + static_cast<std::ptrdiff_t>(range.first);
  ops.erase(first, first + static_cast<std::ptrdiff_t>(range.count));
}

// The family at hand, mostly; Everything stands for all of them.
Family some_family(Family family, const Machine& machine, Random& random) {
  const bool any = family == Family::Everything || random.one_in(6);
  return any ? random.pick(families_for(machine)) : family;
}

// Ops that fit the state at `at`.
void insert_fitting(Ops& ops, std::size_t at, std::size_t count, Family family,
                    const Machine& machine, Random& random) {
  Ops before(ops.begin(), ops.begin() + static_cast<std::ptrdiff_t>(at));
  continue_with(family, count, random, machine, before);
  insert_at(ops, at, std::span(before).subspan(at));
}

void insert_some(Ops& ops, Family family, const Machine& machine, Random& random) {
  const std::size_t at = random.below(static_cast<std::uint32_t>(ops.size()) + 1);
  const std::size_t count = random.one_in(2) ? 1 : 1 + random.below(kMostRun);
  insert_fitting(ops, at, count, some_family(family, machine, random), machine, random);
}

// What the whole scenario runs under: a setting of the driver, or where Windows may choose.
void choose_at_start(Ops& ops, const Machine& machine, Random& random) {
  static const std::vector<OpKind> choices = [] {
    std::vector<OpKind> kinds;
    for (const OpInfo& op : op_catalogue()) {
      if (op.is(OpRole::Choose)) kinds.push_back(op.kind);
    }
    return kinds;
  }();
  const OpKind kind =
      random.one_in(2) ? OpKind::Configure : random.pick(std::span<const OpKind>(choices));
  if (!has_meaning(kind, machine)) return;
  const Op chosen = make_op(kind, StateModel(machine), random);
  insert_at(ops, 0, {&chosen, 1});
}

void delete_some(Ops& ops, Random& random) {
  if (ops.size() < 2) return;
  if (random.one_in(2)) return erase(ops, some_range(ops, random));
  std::vector<bool> gone(ops.size(), false);
  gone[index_in(ops, random)] = true;
  ops = ScenarioLanguage::without(ops, std::move(gone));
}

void duplicate_some(Ops& ops, Random& random) {
  const Range range = some_range(ops, random);
  const Ops copy(ops.begin() + static_cast<std::ptrdiff_t>(range.first),
                 ops.begin() + static_cast<std::ptrdiff_t>(range.first + range.count));
  const std::size_t at = random.one_in(2)
                             ? range.first + range.count
                             : random.below(static_cast<std::uint32_t>(ops.size()) + 1);
  insert_at(ops, at, copy);
}

void move_some(Ops& ops, Random& random) {
  const Range range = some_range(ops, random);
  const Ops moved(ops.begin() + static_cast<std::ptrdiff_t>(range.first),
                  ops.begin() + static_cast<std::ptrdiff_t>(range.first + range.count));
  erase(ops, range);
  insert_at(ops, random.below(static_cast<std::uint32_t>(ops.size()) + 1), moved);
}

void swap_some(Ops& ops, Random& random) {
  const std::size_t one = index_in(ops, random);
  const std::size_t other =
      random.one_in(2) ? std::min(one + 1, ops.size() - 1) : index_in(ops, random);
  std::swap(ops[one], ops[other]);
}

void remake_one(Ops& ops, const Machine& machine, Random& random) {
  const std::size_t at = index_in(ops, random);
  StateModel state(machine);
  for (std::size_t i = 0; i < at; ++i) state.apply(ops[i]);
  ops[at] = make_op(ops[at].kind, state, random);
}

// From here on another family goes on.
void swap_family(Ops& ops, const Machine& machine, Random& random) {
  const std::size_t at = random.below(static_cast<std::uint32_t>(ops.size()) + 1);
  const std::size_t count = std::max<std::size_t>(ops.size() - at, kMostRun);
  ops.resize(at);
  insert_fitting(ops, at, count, random.pick(families_for(machine)), machine, random);
}

void change(Ops& ops, Family family, const Machine& machine, Random& random) {
  if (ops.empty()) {
    ops = invent(family, random, kMostInvented, machine);
    return;
  }
  switch (random.below(16)) {
    case 0:
    case 1:
    case 2:
      return insert_some(ops, family, machine, random);
    case 3:
    case 4:
      return delete_some(ops, random);
    case 5:
      return duplicate_some(ops, random);
    case 6:
      return move_some(ops, random);
    case 7:
      return swap_some(ops, random);
    case 8:
    case 9:
      static_cast<void>(retarget(ops[index_in(ops, random)], random));
      return;
    case 10:
    case 11:
      return remake_one(ops, machine, random);
    case 12:
      if (random.one_in(4)) return swap_family(ops, machine, random);
      return choose_at_start(ops, machine, random);
    default:
      return nudge(ops[index_in(ops, random)], random);
  }
}

void finish(Ops& ops, std::size_t most_ops) {
  if (ops.size() > most_ops) ops.resize(most_ops);
  for (Op& op : ops) op = affordable(canonical(op));
}

// Slots that `second` names and `first` does too get the lowest numbers that neither uses.
Ops apart(std::span<const Op> first, std::span<const Op> second) {
  std::map<Id, std::uint32_t> to;
  const std::vector<Id> taken = ScenarioLanguage::ids(first);
  const std::vector<Id> own = ScenarioLanguage::ids(second);
  const auto used = [&](Id id) {
    const auto has = [&](const std::vector<Id>& ids) {
      return std::find(ids.begin(), ids.end(), id) != ids.end();
    };
    if (has(taken) || has(own)) return true;
    return std::any_of(to.begin(), to.end(), [&](const auto& entry) {
      return entry.first.space == id.space && entry.second == id.number;
    });
  };
  for (const Id& id : own) {
    if (std::find(taken.begin(), taken.end(), id) == taken.end()) continue;
    Id other{id.space, ScenarioLanguage::lowest_id(id.space)};
    while (other.number < 255 && used(other)) ++other.number;
    to[id] = other.number;
  }
  return ScenarioLanguage::renamed(second, to);
}

}  // namespace

std::vector<Op> invent(Family family, Random& random, std::size_t most_ops,
                       const Machine& machine) {
  GeneratorOptions options;
  options.machine = machine;
  options.ops = random.between(kFewestInvented, kMostInvented);
  Ops ops = generate(some_family(family, machine, random), random, options);
  finish(ops, most_ops);
  return ops;
}

std::vector<Op> mutate(std::span<const Op> ops, Family family, Random& random, std::size_t most_ops,
                       const Machine& machine) {
  const Ops input(ops.begin(),
                  ops.begin() + static_cast<std::ptrdiff_t>(std::min(ops.size(), most_ops)));
  Ops result = input;
  for (std::uint32_t i = 0; i < kMostTries && result == input; ++i) {
    std::uint32_t changes = 1;
    while (changes < kMostChanges && random.one_in(2)) ++changes;
    while (changes-- != 0) change(result, family, machine, random);
    finish(result, most_ops);
  }
  return result;
}

std::vector<Op> cross(std::span<const Op> first, std::span<const Op> second, Random& random,
                      std::size_t most_ops) {
  const Ops other = random.one_in(2) ? apart(first, second) : Ops(second.begin(), second.end());
  const auto cut = [&](std::size_t size) {
    return random.below(static_cast<std::uint32_t>(size) + 1);
  };
  const std::size_t at = cut(first.size());
  const std::size_t from = cut(other.size());
  Ops result(first.begin(), first.begin() + static_cast<std::ptrdiff_t>(at));
  if (random.one_in(2)) {
    insert_at(result, at, std::span(other).subspan(from));
  } else {
    const std::size_t count = cut(other.size() - from);
    insert_at(result, at, std::span(other).subspan(from, count));
    insert_at(result, result.size(), first.subspan(at));
  }
  finish(result, most_ops);
  return result;
}

}  // namespace wddm::fuzz
