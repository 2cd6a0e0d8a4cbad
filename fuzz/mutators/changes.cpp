#include "fuzz/mutators/changes.h"

#include <algorithm>
#include <array>
#include <string_view>

namespace wddm::fuzz {
namespace {

constexpr std::uint32_t kFew = 8;

std::uint32_t size_of(const Ops& ops) {
  return static_cast<std::uint32_t>(ops.size());
}

struct Range {
  std::uint32_t from, to;
};

// One op, mostly; at times a few in a row.
Range some_range(const Ops& ops, Random& random) {
  const std::uint32_t from = random.below(size_of(ops));
  const std::uint32_t count = random.one_in(2) ? 1 : 1 + random.below(kFew);
  return {from, std::min(from + count, size_of(ops))};
}

auto at(Ops& ops, std::uint32_t index) {
  return ops.begin() + index;
}

// What kind of thing a field names: fields of one name name the same kind ("allocation", "context",
// "slot"); empty for plain values.
std::string_view thing_named(const FieldInfo& field) {
  const std::string_view name = field.name;
  if (field.shape == FieldShape::Slot || name == "node" || name == "semaphore") return name;
  return name == "slot" || name == "source" ? "slot" : "";
}

struct Place {
  std::uint32_t op;
  const FieldInfo* field;
};

// Some field that `wanted` accepts; a null field if there is none.
template <class Wanted>
Place some_field(const Ops& ops, Random& random, Wanted wanted) {
  if (ops.empty()) return {0, nullptr};
  const std::uint32_t start = random.below(size_of(ops));
  for (std::uint32_t i = 0; i < size_of(ops); ++i) {
    const std::uint32_t op = (start + i) % size_of(ops);
    const OpInfo* const info = op_info(ops[op].kind);
    if (info == nullptr || info->fields.empty()) continue;
    const auto count = static_cast<std::uint32_t>(info->fields.size());
    const std::uint32_t first = random.below(count);
    for (std::uint32_t j = 0; j < count; ++j) {
      const FieldInfo& field = info->fields[(first + j) % count];
      if (wanted(field)) return {op, &field};
    }
  }
  return {0, nullptr};
}

bool creates(OpKind kind) {
  return kind == OpKind::CreateDevice || kind == OpKind::CreateContext ||
         kind == OpKind::CreateAllocation;
}

bool names(const Op& op, std::string_view thing, std::uint32_t id) {
  const OpInfo* const info = op_info(op.kind);
  if (info == nullptr) return false;
  return std::any_of(info->fields.begin(), info->fields.end(), [&](const FieldInfo& field) {
    return thing_named(field) == thing && field_of(op, field.member) == id;
  });
}

std::uint32_t nudged(std::uint32_t value, const FieldInfo& field, Random& random) {
  constexpr std::array<std::uint32_t, 12> kEdges{0,    1,    2,    3,          4,     16,
                                                 4095, 4096, 4097, 0x7fffffff, 65536, 0xffffffff};
  switch (random.below(8)) {
    case 0:
      return field.lowest;
    case 1:
      return field.highest;
    case 2:
      return field.fallback;
    case 3:
      return value + 1;
    case 4:
      return value - 1;
    case 5:
      return value ^ 1u << random.below(32);
    case 6:
      return random.one_in(2) ? value * 2 : value / 2;
    default:
      return random.pick(std::span<const std::uint32_t>(kEdges));
  }
}

}  // namespace

void insert_some(Ops& ops, Family family, std::size_t count, Random& random) {
  const std::uint32_t place = random.below(size_of(ops) + 1);
  Ops grown(ops.begin(), at(ops, place));
  continue_with(family, count, random, {}, grown);
  grown.insert(grown.end(), at(ops, place), ops.end());
  ops = std::move(grown);
}

void erase_some(Ops& ops, Random& random) {
  if (ops.empty()) return;
  const Range range = some_range(ops, random);
  ops.erase(at(ops, range.from), at(ops, range.to));
}

void erase_object(Ops& ops, Random& random) {
  if (ops.empty()) return;
  const std::uint32_t start = random.below(size_of(ops));
  for (std::uint32_t i = 0; i < size_of(ops); ++i) {
    const Op creator = ops[(start + i) % size_of(ops)];
    if (!creates(creator.kind)) continue;
    // The first field of what creates is the slot to create in.
    const std::string_view thing = op_info(creator.kind)->fields.front().name;
    std::erase_if(ops, [&](const Op& op) { return names(op, thing, creator.a); });
    return;
  }
}

void duplicate_some(Ops& ops, Random& random) {
  if (ops.empty()) return;
  const Range range = some_range(ops, random);
  const Ops copy(at(ops, range.from), at(ops, range.to));
  const std::uint32_t place = random.one_in(2) ? range.to : random.below(size_of(ops) + 1);
  ops.insert(at(ops, place), copy.begin(), copy.end());
}

void swap_two(Ops& ops, Random& random) {
  if (ops.size() < 2) return;
  const std::uint32_t one = random.below(size_of(ops));
  std::uint32_t other = random.below(size_of(ops) - 1);
  other += other >= one ? 1 : 0;
  std::swap(ops[one], ops[other]);
}

void move_one(Ops& ops, Random& random) {
  if (ops.size() < 2) return;
  const std::uint32_t from = random.below(size_of(ops));
  const Op op = ops[from];
  ops.erase(at(ops, from));
  ops.insert(at(ops, random.below(size_of(ops) + 1)), op);
}

void retarget(Ops& ops, Random& random) {
  const auto is_name = [](const FieldInfo& field) { return !thing_named(field).empty(); };
  const Place place = some_field(ops, random, is_name);
  if (place.field == nullptr) return;
  const std::string_view thing = thing_named(*place.field);
  const Place model =
      some_field(ops, random, [&](const FieldInfo& field) { return thing_named(field) == thing; });
  const std::uint32_t before = field_of(ops[place.op], place.field->member);
  std::uint32_t id = field_of(ops[model.op], model.field->member);
  // Nothing else has a name yet: the next one.
  if (id == before) id = before + 1;
  set_field(ops[place.op], place.field->member, std::min(id, place.field->highest));
  ops[place.op] = canonical(ops[place.op]);
}

void nudge(Ops& ops, Random& random) {
  const Place place = some_field(ops, random, [](const FieldInfo&) { return true; });
  if (place.field == nullptr) return;
  const std::uint32_t before = field_of(ops[place.op], place.field->member);
  // 8-bit members would wrap around to another edge.
  const std::uint32_t after =
      std::clamp(nudged(before, *place.field, random), place.field->lowest, place.field->highest);
  set_field(ops[place.op], place.field->member, after);
  ops[place.op] = canonical(ops[place.op]);
}

}  // namespace wddm::fuzz
