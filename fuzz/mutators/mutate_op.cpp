#include "fuzz/mutators/mutate_op.h"

#include <algorithm>
#include <array>

#include "fuzz/generators/make_fields.h"

namespace wddm::fuzz {
namespace {

constexpr std::uint32_t kLowIds = 4;

// Variant picks another faulty driver: no finding is to rest on it.
std::uint64_t highest_of(const FieldInfo& field) {
  return field.shape == FieldShape::Setting ? static_cast<std::uint64_t>(Setting::Variant) - 1
                                            : field.highest;
}

// Sums and products may leave the limits: canonical() brings them back.
std::uint64_t nudged(std::uint64_t value, const FieldInfo& field, Random& random) {
  switch (random.below(10)) {
    case 0:
      return field.lowest;
    case 1:
      return highest_of(field);
    case 2:
      return field.fallback;
    case 3:
      return value + 1;
    case 4:
      return value - 1;
    case 5:
      return value + 4;
    case 6:
      return value - 4;
    case 7:
      return value * 2;
    case 8:
      return value / 2;
    default:
      return value ^ std::uint64_t{1} << random.below(bits_of(field.member));
  }
}

// The size that a measure belongs to.
Member size_of(const Op& op, const FieldInfo& measure) {
  return op.kind == OpKind::Render && measure.member == Member::c ? Member::y : Member::x;
}

// Between a number and what the driver needs. A relative size costs a run that measures: as many
// changes lead away from it as to it.
void change_measure(Op& op, const FieldInfo& measure, Random& random) {
  const Member size = size_of(op, measure);
  SomeSize changed{random.below(64) * 4, Measure::Absolute};
  if (field_of(op, measure.member) == static_cast<std::uint64_t>(Measure::Absolute)) {
    changed = size_near_need(random.below(8), size == Member::y ? 1 : 4);
  }
  set_field(op, measure.member, static_cast<std::uint64_t>(changed.measure));
  set_field(op, size, changed.number);
}

}  // namespace

void nudge(Op& op, Random& random) {
  const OpInfo* const info = op_info(op.kind);
  if (info == nullptr || info->fields.empty()) return;
  const FieldInfo& field = random.pick(info->fields);
  if (field.shape == FieldShape::Measure) return change_measure(op, field, random);
  const std::uint64_t value = nudged(field_of(op, field.member), field, random);
  set_field(op, field.member, std::clamp(value, field.lowest, highest_of(field)));
}

bool retarget(Op& op, Random& random) {
  const OpInfo* const info = op_info(op.kind);
  if (info == nullptr) return false;
  std::array<const FieldInfo*, 6> names{};
  std::uint32_t count = 0;
  for (const FieldInfo& field : info->fields) {
    if (names_something(field.shape)) names[count++] = &field;
  }
  if (count == 0) return false;
  const FieldInfo& field = *names[random.below(count)];
  const auto ids = static_cast<std::uint32_t>(field.highest - field.lowest + 1);
  const std::uint32_t id = random.below(random.one_in(8) ? ids : std::min(kLowIds, ids));
  set_field(op, field.member, field.lowest + id);
  return true;
}

}  // namespace wddm::fuzz
