#include "fuzz/mutators/mutate_op.h"

#include <algorithm>
#include <array>

namespace wddm::fuzz {
namespace {

constexpr std::uint32_t kLowIds = 4;

// Variant picks another faulty driver: no finding is to rest on it. A size relative to what the
// driver needs costs a run that measures, and says no more than its number does to a fuzzer.
std::uint64_t highest_of(const FieldInfo& field) {
  if (field.shape == FieldShape::Measure) return 0;
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

}  // namespace

void nudge(Op& op, Random& random) {
  const OpInfo* const info = op_info(op.kind);
  if (info == nullptr || info->fields.empty()) return;
  const FieldInfo& field = random.pick(info->fields);
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
