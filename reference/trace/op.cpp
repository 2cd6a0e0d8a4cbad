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

using enum FieldShape;
using enum Need;

constexpr Effect Makes(FieldShape space) {
  return {EffectKind::Makes, space};
}
constexpr Effect Ends(FieldShape space) {
  return {EffectKind::Ends, space};
}
constexpr Effect Moves(FieldShape space) {
  return {EffectKind::Moves, space};
}
constexpr Effect EndsAll{EffectKind::EndsAll};

constexpr OpRole Do = OpRole::Do, Open = OpRole::Open, Element = OpRole::Element,
                 Choose = OpRole::Choose, Modify = OpRole::Modify, Hostile = OpRole::Hostile;

// One array of fields for each op. The empty last field keeps the array of an op without fields
// from having no elements.
#define NEEDS(needs)
#define EFFECTS(...)
#define WEIGHTS(...)
#define FIELD(member, name, shape, lowest, highest, fallback, compares, about) \
  FieldInfo{Member::member, #name,    FieldShape::shape,  lowest,              \
            highest,        fallback, Quantity::compares, about},
#define OP(number, type, yaml, domain, roles, about, needs, effects, weights, fields) \
  constexpr FieldInfo kFieldsOf##type[] = {fields FieldInfo{}};
#include "reference/trace/op.def"
#undef OP
#undef FIELD
#undef WEIGHTS
#undef EFFECTS
#undef NEEDS

template <std::size_t Size>
constexpr std::span<const FieldInfo> without_last(const FieldInfo (&fields)[Size]) {
  return {fields, Size - 1};
}

constexpr std::array<OpInfo, kOps> kCatalogue = {{
#define NEEDS(needs) needs
#define EFFECTS(...) \
  { __VA_ARGS__ }
#define WEIGHTS(...) \
  { __VA_ARGS__ }
#define FIELD(...)
#define OP(number, type, yaml, domain, roles, about, needs, effects, weights, fields) \
  {OpKind::type, #yaml,     OpDomain::domain,                                         \
   roles,        about,     needs,                                                    \
   {effects},    {weights}, without_last(kFieldsOf##type)},
#include "reference/trace/op.def"
#undef OP
#undef FIELD
#undef WEIGHTS
#undef EFFECTS
#undef NEEDS
}};

// Names of values, in the order of the enumerations in op.h.
constexpr const char* kCycleDepths[] = {"start", "add"};
constexpr const char* kSettings[] = {
    "PreemptionAware",
    "NoDmaPatching",
    "LocalSegmentPages",
    "ApertureSegmentPages",
    "DmaBufferSize",
    "PagingBufferSize",
    "Variant",
    "Addressing",
    "PageTableLevels",
    "PageTableUpdateMode",
    "PageTableSegment",
    "PageSize64K",
    "DualPte",
    "LargePages",
    "InvalidTlbEntriesCached",
    "UpdatesNeedIdle",
    "ExplicitInvalidation",
    "IndexBits",
    "HighSegment",
    "CpuHostAperture",
    "NotifyResidency",
    "ReservedRanges",
    "LinkedAdapters",
    "ContextAllocations",
    "IoMmu",
    "AccessedPhysically",
    "MapAperture2",
    "PagingTableSegment",
    "PagingNode",
    "ComputeOnly",
    "PatchLocationListSize",
    "AllocationListSize",
    "PagingPrivateData",
    "CommandPadding",
    "AllocationAlignment",
    "SlotCount",
    "SegmentLayout",
    "PowerComponents",
    "SurpriseRemoval",
    "SecureMode",
    "AddressableBits",
    "ModernStandby",
    "VideoSources",
    "KernelModeTesting",
    "AlternateView",
    "GuaranteedContract",
    "DmaBuffersInAperture",
    "PagingBuffersInAperture",
    "Swizzled",
    "EngineResets",
};
constexpr const char* kPlaces[] = {"any", "local", "aperture"};
constexpr const char* kPatchMembers[] = {"AllocationIndex",  "SlotId",      "DriverId",
                                         "AllocationOffset", "PatchOffset", "SplitOffset"};
constexpr const char* kInputs[] = {"command", "patch_list"};
constexpr const char* kTakes[] = {"none", "all", "mask"};
constexpr const char* kPrepatchModes[] = {"auto", "always_repatch", "never_prepatch", "skip_patch"};
constexpr const char* kFallibleCallbacks[] = {"MapMemory",
                                              "GetDeviceInformation",
                                              "ReadDeviceSpace",
                                              "WriteDeviceSpace",
                                              "ReserveGpuVirtualAddressRange",
                                              "CreateContextAllocation",
                                              "UpdateContextAllocation",
                                              "MapContextAllocation",
                                              "GetHandleData",
                                              "AcquireHandleData"};
constexpr const char* kMeasures[] = {"absolute", "needed_plus", "needed_minus", "needed_times"};
constexpr const char* kAddressPlaces[] = {"next", "top", "bit", "same"};
constexpr const char* kProtections[] = {"read_write", "read_only", "no_execute", "zero",
                                        "no_access"};
constexpr const char* kAddressChoices[] = {"base", "limits", "base_and_limits",
                                           "base_without_allocation"};
constexpr const char* kAddressUpdates[] = {"map", "unmap", "zero", "copy"};
constexpr const char* kDataOf[] = {"allocation", "resource", "opened", "context"};
constexpr const char* kPolicies[] = {"first_come", "random", "pct"};

constexpr std::span<const char* const> values_of(FieldShape shape) {
  switch (shape) {
    case Device:
    case Context:
    case Allocation:
    case SlotRow:
    case Semaphore:
    case AperturePage:
    case Node:
    case Segment:
    case Process:
    case Number:
    case Hex:
    case Flag:
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
    case FieldShape::Measure:
      return kMeasures;
    case FieldShape::AddressPlace:
      return kAddressPlaces;
    case FieldShape::Protection:
      return kProtections;
    case FieldShape::AddressChoice:
      return kAddressChoices;
    case FieldShape::AddressUpdate:
      return kAddressUpdates;
    case FieldShape::DataOf:
      return kDataOf;
  }
  return {};
}

constexpr bool numbers_ascend() {
  for (std::size_t i = 1; i < std::size(kCatalogue); ++i)
    if (kCatalogue[i - 1].kind >= kCatalogue[i].kind) return false;
  return kCatalogue[0].kind != OpKind::None;
}

// Views first: compilers count their steps, and each would measure the names anew in every pair.
constexpr bool names_differ() {
  std::array<std::string_view, std::size(kCatalogue)> names;
  for (std::size_t i = 0; i < names.size(); ++i) {
    names[i] = kCatalogue[i].name;
    if (names[i] == "none") return false;  // the text form of OpKind::None
    for (std::size_t before = 0; before < i; ++before)
      if (names[before] == names[i]) return false;
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
  const unsigned bits = bits_of(field.member);
  return field.lowest <= field.fallback && field.fallback <= field.highest &&
         (bits == 64 || field.highest >> bits == 0);
}

// A 64-bit field takes the room of two others.
constexpr bool members_do_not_overlap(const OpInfo& op) {
  bool wide = false, half = false;
  for (const FieldInfo& field : op.fields) {
    wide |= field.member == Member::q;
    half |= field.member == Member::y || field.member == Member::z;
  }
  return !(wide && half);
}

// What an op makes, ends or moves stands in one of its fields.
constexpr bool effects_have_fields() {
  for (const OpInfo& op : kCatalogue)
    for (const Effect& effect : op.effects)
      if (effect.kind != EffectKind::Nothing && effect.kind != EffectKind::EndsAll &&
          op.field(effect.space) == nullptr)
        return false;
  return true;
}

constexpr bool fields_are_sound() {
  for (const OpInfo& op : kCatalogue) {
    if (!fields_differ(op) || !members_do_not_overlap(op)) return false;
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
      if (field.shape == Flag && (field.lowest != 0 || field.highest != 1)) return false;
    }
  return true;
}

static_assert(numbers_ascend(), "op.def: numbers must ascend and begin above 0");
static_assert(names_differ(), "op.def: two ops share a name, or one is called none");
static_assert(fields_are_sound(), "op.def: a member or name is used twice, or limits do not fit");
static_assert(effects_have_fields(), "op.def: an effect on a space that no field of the op names");
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

Op plain_op(OpKind kind) {
  const OpInfo* const info = op_info(kind);
  if (info == nullptr) return {};
  Op op{.kind = kind};
  for (const FieldInfo& field : info->fields) set_field(op, field.member, field.fallback);
  return op;
}

std::span<const char* const> shape_values(FieldShape shape) {
  return values_of(shape);
}

const char* member_name(Member member) {
  static constexpr const char* kNames[] = {"a", "b", "c", "x", "y", "z", "q"};
  const auto index = static_cast<std::size_t>(member);
  HARNESS_ASSERT(index < std::size(kNames));
  return kNames[index];
}

std::uint64_t field_of(const Op& op, Member member) {
  switch (member) {
    case Member::a:
      return op.a;
    case Member::b:
      return op.b;
    case Member::c:
      return op.c;
    case Member::x:
      return op.x;
    case Member::y:
      return op.y;
    case Member::z:
      return op.z;
    case Member::q:
      return op.y | std::uint64_t{op.z} << 32;
  }
  harness_failure(__FILE__, __LINE__, "field_of: no such member");
}

void set_field(Op& op, Member member, std::uint64_t value) {
  HARNESS_ASSERT(bits_of(member) == 64 || value >> bits_of(member) == 0);
  switch (member) {
    case Member::a:
      op.a = static_cast<std::uint8_t>(value);
      return;
    case Member::b:
      op.b = static_cast<std::uint8_t>(value);
      return;
    case Member::c:
      op.c = static_cast<std::uint8_t>(value);
      return;
    case Member::x:
      op.x = static_cast<std::uint32_t>(value);
      return;
    case Member::y:
      op.y = static_cast<std::uint32_t>(value);
      return;
    case Member::z:
      op.z = static_cast<std::uint32_t>(value);
      return;
    case Member::q:
      op.y = static_cast<std::uint32_t>(value);
      op.z = static_cast<std::uint32_t>(value >> 32);
      return;
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
