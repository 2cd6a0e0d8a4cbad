#include "fuzz/mutators/mutate.h"

#include <algorithm>

#include "fuzz/mutators/changes.h"

namespace wddm::fuzz {
namespace {

constexpr std::uint32_t kMostChanges = 8;
constexpr int kTries = 8;

Family some_family(Family family, Random& random) {
  return random.one_in(6) ? random.pick(families()) : family;
}

void change(Ops& ops, Family family, Random& random) {
  if (ops.empty()) {
    GeneratorOptions options;
    options.ops = 8 + random.below(25);
    ops = generate(some_family(family, random), random, options);
    return;
  }
  switch (random.below(16)) {
    case 0:
    case 1:
    case 2:
    case 3:
      return insert_some(ops, some_family(family, random), 1 + random.below(6), random);
    case 4:
    case 5:
      return erase_some(ops, random);
    case 6:
      return erase_object(ops, random);
    case 7:
      return duplicate_some(ops, random);
    case 8:
      return swap_two(ops, random);
    case 9:
      return move_one(ops, random);
    case 10:
    case 11:
      return retarget(ops, random);
    default:
      return nudge(ops, random);
  }
}

void limit(Ops& ops, std::size_t most) {
  if (ops.size() > most) ops.resize(most);
}

// A slot of another scenario, moved out of the way.
Op renamed(Op op, std::uint32_t by) {
  const OpInfo* const info = op_info(op.kind);
  if (info == nullptr) return op;
  for (const FieldInfo& field : info->fields) {
    // Device 0 is there without being created.
    if (field.shape != FieldShape::Slot || std::string_view(field.name) == "device") continue;
    set_field(op, field.member, (field_of(op, field.member) + by) & 0xff);
  }
  return canonical(op);
}

}  // namespace

std::vector<Op> mutate(std::span<const Op> given, Family family, Random& random,
                       std::size_t most_ops) {
  Ops ops;
  ops.reserve(given.size());
  for (const Op& op : given) ops.push_back(canonical(op));
  const Ops before = ops;
  for (int turn = 0; turn < kTries && (turn == 0 || ops == before); ++turn) {
    // Few changes, mostly: what an input showed should still show.
    const std::uint32_t changes = 1 + random.below(1 + random.below(kMostChanges));
    for (std::uint32_t i = 0; i < changes; ++i) change(ops, family, random);
    limit(ops, most_ops);
  }
  return ops;
}

std::vector<Op> cross(std::span<const Op> one, std::span<const Op> other, Random& random,
                      std::size_t most_ops) {
  const auto some_place = [&random](std::span<const Op> ops) {
    return random.below(static_cast<std::uint32_t>(ops.size()) + 1);
  };
  const std::uint32_t by = random.one_in(3) ? 16 : 0;
  Ops ops;
  for (const Op& op : one.first(some_place(one))) ops.push_back(canonical(op));
  for (const Op& op : other.subspan(some_place(other))) ops.push_back(renamed(op, by));
  limit(ops, most_ops);
  return ops;
}

}  // namespace wddm::fuzz
