// The catalogue of ops, made from op.def, and the canonical form of an op.
//
// What op.def must keep for that (numbers ascending, defaults inside their limits, limits inside
// the member, a name for every value of an enumerated field) is checked while compiling.
#include "reference/trace/op.h"

#include <algorithm>
#include <array>
#include <iterator>
#include <string_view>

#include "reference/harness_assert.h"

namespace wddm {
namespace {

// One array of fields for each op. The empty last field keeps the array of an op without fields
// from having no elements.
#define FIELD(member, name, shape, lowest, highest, fallback, about) \
  FieldInfo{#member[0], #name, FieldShape::shape, lowest, highest, fallback, about},
#define OP(number, type, yaml, role, about, fields) \
  constexpr FieldInfo kFieldsOf##type[] = {fields FieldInfo{}};
#include "reference/trace/op.def"
#undef OP
#undef FIELD

template <std::size_t Size>
constexpr std::span<const FieldInfo> without_last(const FieldInfo (&fields)[Size]) {
  return {fields, Size - 1};
}

constexpr OpInfo kCatalogue[] = {
#define FIELD(...)
#define OP(number, type, yaml, role, about, fields) \
  {OpKind::type, #yaml, OpRole::role, about, without_last(kFieldsOf##type)},
#include "reference/trace/op.def"
#undef OP
#undef FIELD
};

// Names of values, in the order of the enumerations in op.h.
constexpr const char* kCycleDepths[] = {"start", "add"};
constexpr const char* kSettings[] = {
    "PreemptionAware", "NoDmaPatching",    "LocalSegmentPages", "ApertureSegmentPages",
    "DmaBufferSize",   "PagingBufferSize", "Variant",
};
constexpr const char* kPlaces[] = {"any", "local", "aperture"};
constexpr const char* kPatchMembers[] = {"AllocationIndex",  "SlotId",      "DriverId",
                                         "AllocationOffset", "PatchOffset", "SplitOffset"};
constexpr const char* kInputs[] = {"command", "patch_list"};
constexpr const char* kTakes[] = {"none", "all", "mask"};
constexpr const char* kPrepatchModes[] = {"auto", "always_repatch", "never_prepatch", "skip_patch"};
constexpr const char* kFallibleCallbacks[] = {"MapMemory", "GetDeviceInformation",
                                              "ReadDeviceSpace", "WriteDeviceSpace"};
constexpr const char* kPolicies[] = {"first_come", "random", "pct"};

constexpr std::span<const char* const> values_of(FieldShape shape) {
  switch (shape) {
    case FieldShape::Number:
    case FieldShape::Hex:
    case FieldShape::Flag:
    case FieldShape::Slot:
      return {};
    case FieldShape::CycleDepth:
      return kCycleDepths;
    case FieldShape::Setting:
      return kSettings;
    case FieldShape::Place:
      return kPlaces;
    case FieldShape::PatchMember:
      return kPatchMembers;
    case FieldShape::Input:
      return kInputs;
    case FieldShape::Take:
      return kTakes;
    case FieldShape::PrepatchMode:
      return kPrepatchModes;
    case FieldShape::FallibleCallback:
      return kFallibleCallbacks;
    case FieldShape::Policy:
      return kPolicies;
  }
  return {};
}

constexpr bool numbers_ascend() {
  for (std::size_t i = 1; i < std::size(kCatalogue); ++i)
    if (kCatalogue[i - 1].kind >= kCatalogue[i].kind) return false;
  return kCatalogue[0].kind != OpKind::None;
}

constexpr bool names_differ() {
  for (const OpInfo& one : kCatalogue) {
    if (std::string_view(one.name) == "none") return false;  // the text form of OpKind::None
    for (const OpInfo& other : kCatalogue)
      if (&one != &other && std::string_view(one.name) == other.name) return false;
  }
  return true;
}

constexpr bool fields_differ(const OpInfo& op) {
  for (const FieldInfo& one : op.fields)
    for (const FieldInfo& other : op.fields)
      if (&one != &other &&
          (one.member == other.member || std::string_view(one.name) == other.name))
        return false;
  return true;
}

constexpr bool field_is_sound(const FieldInfo& field) {
  const bool byte = field.member >= 'a' && field.member <= 'c';
  const bool word = field.member >= 'x' && field.member <= 'z';
  return (byte || word) && field.lowest <= field.fallback && field.fallback <= field.highest &&
         (word || field.highest <= 0xff);
}

constexpr bool fields_are_sound() {
  for (const OpInfo& op : kCatalogue) {
    if (!fields_differ(op)) return false;
    for (const FieldInfo& field : op.fields)
      if (!field_is_sound(field)) return false;
  }
  return true;
}

constexpr bool values_have_names() {
  for (const OpInfo& op : kCatalogue)
    for (const FieldInfo& field : op.fields) {
      const std::size_t names = values_of(field.shape).size();
      if (names != 0 && (field.lowest != 0 || field.highest != names - 1)) return false;
      if (field.shape == FieldShape::Flag && (field.lowest != 0 || field.highest != 1))
        return false;
    }
  return true;
}

static_assert(numbers_ascend(), "op.def: numbers must ascend and begin above 0");
static_assert(names_differ(), "op.def: two ops share a name, or one is called none");
static_assert(fields_are_sound(), "op.def: a member or name is used twice, or limits do not fit");
static_assert(values_have_names(), "op.def: limits of an enumerated field and its names differ");

// Position in the catalogue by number; 0xff: not assigned.
constexpr std::array<std::uint8_t, 256> positions() {
  std::array<std::uint8_t, 256> result{};
  result.fill(0xff);
  for (std::size_t i = 0; i < std::size(kCatalogue); ++i)
    result[static_cast<std::size_t>(kCatalogue[i].kind)] = static_cast<std::uint8_t>(i);
  return result;
}
constexpr std::array<std::uint8_t, 256> kPosition = positions();
static_assert(std::size(kCatalogue) < 0xff);

}  // namespace

std::span<const OpInfo> op_catalogue() {
  return kCatalogue;
}

const OpInfo* op_info(OpKind kind) {
  const std::uint8_t position = kPosition[static_cast<std::uint8_t>(kind)];
  return position == 0xff ? nullptr : &kCatalogue[position];
}

std::span<const char* const> shape_values(FieldShape shape) {
  return values_of(shape);
}

std::uint32_t field_of(const Op& op, char member) {
  switch (member) {
    case 'a':
      return op.a;
    case 'b':
      return op.b;
    case 'c':
      return op.c;
    case 'x':
      return op.x;
    case 'y':
      return op.y;
    case 'z':
      return op.z;
    default:
      break;
  }
  harness_failure(__FILE__, __LINE__, "field_of: no such member");
}

void set_field(Op& op, char member, std::uint32_t value) {
  HARNESS_ASSERT(member >= 'x' || value <= 0xff);
  switch (member) {
    case 'a':
      op.a = static_cast<std::uint8_t>(value);
      return;
    case 'b':
      op.b = static_cast<std::uint8_t>(value);
      return;
    case 'c':
      op.c = static_cast<std::uint8_t>(value);
      return;
    case 'x':
      op.x = value;
      return;
    case 'y':
      op.y = value;
      return;
    case 'z':
      op.z = value;
      return;
    default:
      break;
  }
  harness_failure(__FILE__, __LINE__, "set_field: no such member");
}

Op canonical(Op op) {
  const OpInfo* const info = op_info(op.kind);
  if (info == nullptr) return Op{};
  Op result;
  result.kind = op.kind;
  for (const FieldInfo& field : info->fields)
    set_field(result, field.member,
              std::clamp(field_of(op, field.member), field.lowest, field.highest));
  return result;
}

}  // namespace wddm
