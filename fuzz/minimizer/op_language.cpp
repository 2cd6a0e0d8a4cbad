#include "fuzz/minimizer/op_language.h"

#include <array>
#include <cstddef>
#include <iterator>
#include <optional>
#include <string_view>
#include <utility>

#include "reference/digest.h"

namespace wddm::fuzz {
namespace {

std::span<const FieldInfo> fields_of(const Op& op) {
  const OpInfo* const info = op_info(op.kind);
  return info ? info->fields : std::span<const FieldInfo>{};
}

constexpr std::size_t index_of(FieldShape space) {
  return static_cast<std::size_t>(space);
}
static_assert(index_of(FieldShape::Allocation) + 1 == kObjectSpaces);

// Who created what a slot holds, op by op, as op.def says who makes and ends what. An op in an
// occupied slot creates nothing.
class Creators {
 public:
  // Whether `op` names something whose creator, or its opener, is gone.
  bool needs_gone(const Op& op, const std::vector<bool>& gone) const {
    const OpInfo* const info = op_info(op.kind);
    if (info == nullptr) return false;
    if (info->is(OpRole::Element) && opener_ && gone[*opener_]) return true;
    for (const FieldInfo& field : info->fields) {
      if (info->does(EffectKind::Makes, field.shape)) continue;
      const std::optional<std::size_t> creator = creator_of(field.shape, field_of(op, field.member));
      if (creator && gone[*creator]) return true;
    }
    return false;
  }

  void after(const Op& op, std::size_t index) {
    const OpInfo* const info = op_info(op.kind);
    if (info == nullptr) return;
    if (!info->is(OpRole::Element)) opener_.reset();
    if (info->is(OpRole::Open)) opener_ = index;
    for (const Effect& effect : info->effects) apply(effect, *info, op, index);
  }

 private:
  struct Slot {
    std::optional<std::size_t> creator;
    std::uint64_t owner = 0;  // of what is made for a device: its slot
  };
  using Slots = std::array<Slot, 256>;

  [[nodiscard]] std::optional<std::size_t> creator_of(FieldShape space, std::uint64_t id) const {
    if (is_object(space)) return objects_[index_of(space)][id].creator;
    if (space != FieldShape::AperturePage) return std::nullopt;
    const auto found = mapped_.find(id);
    return found == mapped_.end() ? std::nullopt : std::optional(found->second);
  }

  void apply(const Effect& effect, const OpInfo& info, const Op& op, std::size_t index) {
    if (effect.kind == EffectKind::EndsAll) {
      objects_ = {};
      mapped_.clear();
      return;
    }
    if (effect.kind != EffectKind::Makes && effect.kind != EffectKind::Ends) return;
    const std::uint64_t id = field_of(op, info.field(effect.space)->member);
    if (effect.space == FieldShape::AperturePage) {
      if (effect.kind == EffectKind::Makes) mapped_[id] = index;
      if (effect.kind == EffectKind::Ends) mapped_.erase(id);
    }
    if (!is_object(effect.space)) return;
    Slot& slot = objects_[index_of(effect.space)][id];
    if (effect.kind == EffectKind::Ends) {
      slot = {};
      if (effect.space == FieldShape::Device) end_all_of(id);
    } else if (!slot.creator && (effect.space != FieldShape::Device || id != kFirstDevice)) {
      const FieldInfo* const owner = info.field(FieldShape::Device);
      slot = {index, owner != nullptr ? field_of(op, owner->member) : kFirstDevice};
    }
  }
  void end_all_of(std::uint64_t device) {
    for (std::size_t space = index_of(FieldShape::Device) + 1; space < kObjectSpaces; ++space) {
      for (Slot& slot : objects_[space]) {
        if (slot.creator && slot.owner == device) slot = {};
      }
    }
  }

  static constexpr std::uint64_t kFirstDevice = 0;  // always there
  std::array<Slots, kObjectSpaces> objects_{};
  std::optional<std::size_t> opener_;
  std::map<std::uint64_t, std::size_t> mapped_;
};

Id id_of(const Op& op, const FieldInfo& field) {
  return {static_cast<std::uint32_t>(field.shape),
          static_cast<std::uint32_t>(field_of(op, field.member))};
}

bool is_element(const Op& op) {
  return has_role(op.kind, OpRole::Element);
}

}  // namespace

std::vector<Op> ScenarioLanguage::normalised(std::span<const Op> ops) {
  Ops result;
  for (const Op& op : ops) {
    result.push_back(canonical(op));
    if (result.back().kind == OpKind::None) result.pop_back();
  }
  return result;
}

std::uint64_t ScenarioLanguage::hash(std::span<const Op> ops) {
  return digest(encode(ops));
}

std::vector<Op> ScenarioLanguage::without(std::span<const Op> ops, std::vector<bool> gone) {
  Ops rest;
  Creators creators;
  for (std::size_t i = 0; i < ops.size(); ++i) {
    if (!gone[i] && creators.needs_gone(ops[i], gone)) gone[i] = true;
    creators.after(ops[i], i);
    if (!gone[i]) rest.push_back(ops[i]);
  }
  return rest;
}

std::vector<std::vector<Op>> ScenarioLanguage::without_alone(std::span<const Op> ops,
                                                             std::size_t one) {
  Ops alone(ops.begin(), ops.end());
  alone.erase(alone.begin() + static_cast<std::ptrdiff_t>(one));
  std::vector<Ops> ways{alone};
  if (!is_element(ops[one])) return ways;
  // How many patch locations a command takes is up to the client; an index behind them moves.
  for (std::uint32_t patches = 1; patches <= 2; ++patches) {
    Ops moved = alone;
    bool any = false;
    std::size_t first = one, last = one;
    while (first > 0 && is_element(moved[first - 1])) --first;
    while (last < moved.size() && is_element(moved[last])) ++last;
    for (std::size_t i = first; i < last; ++i) {
      if (moved[i].kind != OpKind::TamperPatch || moved[i].x < patches) continue;
      moved[i].x -= patches;
      any = true;
    }
    if (any) ways.push_back(std::move(moved));
  }
  return ways;
}

std::vector<Id> ScenarioLanguage::ids(std::span<const Op> ops) {
  std::vector<Id> found;
  std::map<Id, bool> seen;
  for (const Op& op : ops) {
    for (const FieldInfo& field : fields_of(op)) {
      if (!is_renamable(field.shape)) continue;
      const Id id = id_of(op, field);
      // Device 0 is always there: it keeps its number.
      if (field.shape == FieldShape::Device && id.number == 0) continue;
      if (!std::exchange(seen[id], true)) found.push_back(id);
    }
  }
  return found;
}

std::uint32_t ScenarioLanguage::lowest_id(std::uint32_t space) {
  return space == index_of(FieldShape::Device) ? 1 : 0;
}

std::vector<Op> ScenarioLanguage::renamed(std::span<const Op> ops,
                                          const std::map<Id, std::uint32_t>& to) {
  Ops result(ops.begin(), ops.end());
  for (Op& op : result) {
    for (const FieldInfo& field : fields_of(op)) {
      if (!is_renamable(field.shape)) continue;
      const auto found = to.find(id_of(op, field));
      if (found != to.end()) set_field(op, field.member, found->second);
    }
  }
  return result;
}

std::vector<Value> ScenarioLanguage::values(const Op& op) {
  std::vector<Value> values;
  for (const FieldInfo& field : fields_of(op)) {
    if (is_renamable(field.shape)) continue;
    // What is compared with nothing is told apart by its name.
    std::uint32_t meaning = static_cast<std::uint32_t>(field.compares);
    if (field.compares == Quantity::Alone) {
      for (const char c : std::string_view(field.name)) {
        meaning = meaning * 31 + static_cast<unsigned char>(c);
      }
    }
    values.push_back({field_of(op, field.member), field.fallback, field.lowest, meaning});
  }
  return values;
}

void ScenarioLanguage::set_value(Op& op, std::size_t index, std::uint64_t value) {
  for (const FieldInfo& field : fields_of(op)) {
    if (is_renamable(field.shape)) continue;
    if (index-- == 0) return set_field(op, field.member, value);
  }
}

}  // namespace wddm::fuzz
