#include "fuzz/mutators/mutate_op.h"

#include <algorithm>
#include <array>
#include <string_view>

namespace wddm::fuzz {
namespace {

constexpr std::uint32_t kLowIds = 4;

bool names_something(const FieldInfo& field) {
  const std::string_view name = field.name;
  return field.shape == FieldShape::Slot || name == "slot" || name == "source" || name == "node" ||
         name == "semaphore";
}

// Variant picks another faulty driver: no finding is to rest on it.
std::uint32_t highest_of(const FieldInfo& field) {
  return field.shape == FieldShape::Setting ? static_cast<std::uint32_t>(Setting::Variant) - 1
                                            : field.highest;
}

// Sums and products may leave the limits: canonical() brings them back.
std::uint32_t nudged(std::uint32_t value, const FieldInfo& field, Random& random) {
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
      return value ^ 1u << random.below(field.member < 'x' ? 8 : 32);
  }
}

}  // namespace

void nudge(Op& op, Random& random) {
  const OpInfo* const info = op_info(op.kind);
  if (info == nullptr || info->fields.empty()) return;
  const FieldInfo& field = random.pick(info->fields);
  const std::uint32_t value = nudged(field_of(op, field.member), field, random);
  set_field(op, field.member, std::clamp(value, field.lowest, highest_of(field)));
}

bool retarget(Op& op, Random& random) {
  const OpInfo* const info = op_info(op.kind);
  if (info == nullptr) return false;
  std::array<const FieldInfo*, 6> names{};
  std::uint32_t count = 0;
  for (const FieldInfo& field : info->fields) {
    if (names_something(field)) names[count++] = &field;
  }
  if (count == 0) return false;
  const FieldInfo& field = *names[random.below(count)];
  const std::uint32_t low = std::min(kLowIds, field.highest + 1);
  const std::uint32_t id = random.one_in(8) ? random.below(field.highest + 1) : random.below(low);
  set_field(op, field.member, id);
  return true;
}

}  // namespace wddm::fuzz
