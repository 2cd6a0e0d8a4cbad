// The relations, one after the other. Which clauses they rest on stands in README.md.
#include <algorithm>
#include <array>
#include <string_view>

#include "fuzz/properties/comparable.h"
#include "fuzz/properties/relation.h"

namespace wddm::fuzz {
namespace {

using Ops = std::span<const Op>;

std::vector<Op> as_it_is(Ops ops) {
  return {ops.begin(), ops.end()};
}

std::vector<Op> without(OpKind kind, Ops ops) {
  std::vector<Op> result;
  std::copy_if(ops.begin(), ops.end(), std::back_inserter(result),
               [kind](const Op& op) { return op.kind != kind; });
  return result;
}

// A choice holds from where it stands, so one in front holds for all.
std::vector<Op> with_choice(const Op& choice, Ops ops) {
  std::vector<Op> result = without(choice.kind, ops);
  result.insert(result.begin(), choice);
  return result;
}

// -- every split point

std::vector<Op> in_one_piece(Ops ops) {
  return without(OpKind::SplitPoints, ops);
}
std::vector<Op> in_all_pieces(Ops ops) {
  return with_choice({.kind = OpKind::SplitPoints, .a = static_cast<std::uint8_t>(Take::All)}, ops);
}
bool was_cut(const MemoryRun&, const MemoryRun& disturbed) {
  return disturbed.chosen_cuts != 0;
}

// -- eviction
//
// Where an allocation lies decides whether a Fill is done at all, and who was evicted decides that.

std::vector<Op> with_evictions(Random& random) {
  constexpr std::array kKinds{OpKind::Evict};
  return sprinkle(without(OpKind::FillMemory, comparable_scenario(random)), kKinds, random);
}
std::vector<Op> without_evictions(Ops ops) {
  return without(OpKind::Evict, ops);
}
std::vector<Op> with_evictions_at_rest(Ops ops) {
  std::vector<Op> result;
  for (const Op& op : ops) {
    result.push_back(op);
    if (op.kind == OpKind::Evict) result.push_back({.kind = OpKind::Idle});
  }
  return result;
}
bool more_was_paged(const MemoryRun& plain, const MemoryRun& disturbed) {
  return disturbed.paging > plain.paging;
}

// -- patching again

std::vector<Op> patched_once(Ops ops) {
  return without(OpKind::Repatch, ops);
}
std::vector<Op> patched_thrice(Ops ops) {
  return with_choice({.kind = OpKind::Repatch, .x = 2}, ops);
}
bool was_repatched(const MemoryRun&, const MemoryRun& disturbed) {
  return disturbed.repatched != 0;
}

// -- preemption

std::vector<Op> with_preemptions(Random& random) {
  constexpr std::array kKinds{OpKind::Advance, OpKind::Preempt};
  return sprinkle(comparable_scenario(random), kKinds, random);
}
std::vector<Op> without_preemptions(Ops ops) {
  return without(OpKind::Preempt, ops);
}
bool was_preempted(const MemoryRun&, const MemoryRun& disturbed) {
  return disturbed.preempted != 0;
}

// -- contexts side by side
//
// Slots above kSecond belong to the second stream, the others to the first.

constexpr std::uint32_t kSecond = 0x80;

bool names_object(const FieldInfo& field) {
  return is_object(field.shape) && field.shape != FieldShape::Device;
}

std::span<const FieldInfo> fields_of(const Op& op) {
  const OpInfo* const info = op_info(op.kind);
  return info != nullptr ? info->fields : std::span<const FieldInfo>{};
}

void move_to(std::uint32_t stream, Op& op) {
  for (const FieldInfo& field : fields_of(op)) {
    if (!names_object(field)) continue;
    set_field(op, field.member, (field_of(op, field.member) & ~kSecond) | stream);
  }
}

enum class Owner { First, Second, Nobody };

bool is_element(const Op& op) {
  return has_role(op.kind, OpRole::Element);
}

Owner owner_of(const Op& op) {
  for (const FieldInfo& field : fields_of(op)) {
    if (names_object(field)) {
      return (field_of(op, field.member) & kSecond) != 0 ? Owner::Second : Owner::First;
    }
  }
  return Owner::Nobody;
}

bool is_choice(const Op& op) {
  return has_role(op.kind, OpRole::Choose);
}

// Ops that stay together: one, or an opener with its elements.
std::vector<std::vector<Op>> units_of(Ops ops) {
  std::vector<std::vector<Op>> units;
  for (const Op& op : ops) {
    if (units.empty() || !is_element(op)) units.emplace_back();
    units.back().push_back(op);
  }
  return units;
}

std::vector<std::vector<Op>> stream_of(std::uint32_t stream, Random& random) {
  std::vector<Op> ops = comparable_scenario(random);
  std::erase_if(ops, [](const Op& op) {
    return is_choice(op) || op.kind == OpKind::CreateDevice || op.kind == OpKind::DestroyDevice;
  });
  for (Op& op : ops) move_to(stream, op);
  return units_of(ops);
}

std::vector<Op> two_streams(Random& random) {
  std::vector<Op> result{{.kind = OpKind::Interleave, .a = 1},
                         {.kind = OpKind::SplitPoints, .a = static_cast<std::uint8_t>(Take::All)},
                         {.kind = OpKind::QueueDepth, .x = 1 + random.below(4)}};
  std::erase_if(result, [&](const Op&) { return random.one_in(4); });
  if (random.one_in(2)) {
    result.push_back({.kind = OpKind::Configure,
                      .a = static_cast<std::uint8_t>(Setting::LocalSegmentPages),
                      .x = 4 + random.below(8)});
  }
  std::array streams{stream_of(0, random), stream_of(kSecond, random)};
  std::array<std::size_t, 2> next{};
  while (next[0] < streams[0].size() || next[1] < streams[1].size()) {
    std::size_t turn = random.below(2);
    if (next[turn] == streams[turn].size()) turn = 1 - turn;
    const std::vector<Op>& unit = streams[turn][next[turn]++];
    result.insert(result.end(), unit.begin(), unit.end());
  }
  return result;
}

// Each list of commands names objects of its own stream only, also when ops were altered since.
std::vector<Op> kept_apart(Ops ops) {
  std::vector<Op> result;
  for (std::vector<Op>& unit : units_of(ops)) {
    const std::uint32_t stream = owner_of(unit[0]) == Owner::Second ? kSecond : 0;
    for (Op& op : unit) {
      if (is_element(op)) move_to(stream, op);
      result.push_back(op);
    }
  }
  return result;
}

// Choices, then one stream after the other. Ops of neither stream only say when things happen.
std::vector<Op> one_after_the_other(Ops ops) {
  std::vector<Op> choices, first, second;
  for (const std::vector<Op>& unit : units_of(kept_apart(ops))) {
    const Owner owner = owner_of(unit[0]);
    if (owner == Owner::Nobody && !is_choice(unit[0])) continue;
    std::vector<Op>& target = owner == Owner::First    ? first
                              : owner == Owner::Second ? second
                                                       : choices;
    target.insert(target.end(), unit.begin(), unit.end());
  }
  choices.insert(choices.end(), first.begin(), first.end());
  choices.push_back({.kind = OpKind::Idle});
  choices.insert(choices.end(), second.begin(), second.end());
  return choices;
}
bool order_differs(const MemoryRun& plain, const MemoryRun& disturbed) {
  return plain.contexts != disturbed.contexts;
}

}  // namespace

const Relation kSplitAnywhere{.about = "taking every split point changes no memory",
                              .scenario = comparable_scenario,
                              .plain = in_one_piece,
                              .disturbed = in_all_pieces,
                              .reached = was_cut};

const Relation kEvictAnything{.about = "evicting anything at any op is invisible",
                              .scenario = with_evictions,
                              .plain = without_evictions,
                              .disturbed = with_evictions_at_rest,
                              .reached = more_was_paged};

const Relation kPatchAgain{.about = "patching again equals patching once",
                           .scenario = comparable_scenario,
                           .plain = patched_once,
                           .disturbed = patched_thrice,
                           .reached = was_repatched};

const Relation kPreemptAnywhere{.about = "any preemption gives the memory of the undisturbed run",
                                .scenario = with_preemptions,
                                .plain = without_preemptions,
                                .disturbed = as_it_is,
                                .reached = was_preempted};

const Relation kInterleaveContexts{.about = "contexts that share no allocation commute",
                                   .scenario = two_streams,
                                   .plain = one_after_the_other,
                                   .disturbed = kept_apart,
                                   .reached = order_differs};

}  // namespace wddm::fuzz
