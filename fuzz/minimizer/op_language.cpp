#include "fuzz/minimizer/op_language.h"

#include <array>
#include <cstddef>
#include <iterator>
#include <optional>
#include <string_view>
#include <utility>

#include "reference/fnv1a.h"

namespace wddm::fuzz {
namespace {

enum Space : std::uint32_t { Device, Context, Allocation, SlotTable, Semaphore, None };

// By the field's name in op.def: the shape alone does not tell contexts from allocations.
Space space_of(const FieldInfo& field) {
  const std::string_view name = field.name;
  if (name == "device") return Device;
  if (name == "context") return Context;
  if (name == "allocation") return Allocation;
  if (name == "slot" || name == "source") return SlotTable;
  return name == "semaphore" ? Semaphore : None;
}

std::span<const FieldInfo> fields_of(const Op& op) {
  const OpInfo* const info = op_info(op.kind);
  return info ? info->fields : std::span<const FieldInfo>{};
}

std::optional<Space> creates(const Op& op) {
  if (op.kind == OpKind::CreateDevice) return Device;
  if (op.kind == OpKind::CreateContext) return Context;
  if (op.kind == OpKind::CreateAllocation) return Allocation;
  return std::nullopt;
}

bool is_gone(const std::vector<bool>& gone, std::optional<std::size_t> creator) {
  return creator && gone[*creator];
}

// Who created what a slot holds, op by op. An op in an occupied slot creates nothing.
class Creators {
 public:
  // Whether `op` names something whose creator, or its opener, is gone.
  bool needs_gone(const Op& op, const std::vector<bool>& gone) const {
    const OpInfo* const info = op_info(op.kind);
    if (info && info->role == OpRole::Element && is_gone(gone, opener_)) return true;
    if (op.kind == OpKind::UnmapAperture) {
      const auto found = mapped_.find(op.x);
      return found != mapped_.end() && gone[found->second];
    }
    const std::optional<Space> created = creates(op);
    for (const FieldInfo& field : fields_of(op)) {
      const Space space = space_of(field);
      if (space > Allocation || created == space) continue;
      if (is_gone(gone, slots_[space][field_of(op, field.member)].creator)) return true;
    }
    return false;
  }

  void after(const Op& op, std::size_t index) {
    const OpInfo* const info = op_info(op.kind);
    if (info && info->role != OpRole::Element) opener_.reset();
    if (info && info->role == OpRole::Open) opener_ = index;
    if (op.kind == OpKind::MapAperture) mapped_[op.x] = index;
    if (const std::optional<Space> space = creates(op)) create(*space, op, index);
    if (op.kind == OpKind::DestroyContext) slots_[Context][op.a] = {};
    if (op.kind == OpKind::DestroyAllocation) slots_[Allocation][op.a] = {};
    if (op.kind == OpKind::DestroyDevice) destroy_device(op.a);
    if (op.kind == OpKind::Stop || op.kind == OpKind::Remove || op.kind == OpKind::Unload ||
        op.kind == OpKind::Cycle) {
      slots_ = {};
    }
  }

 private:
  struct Slot {
    std::optional<std::size_t> creator;
    std::uint8_t device = 0;
  };

  void create(Space space, const Op& op, std::size_t index) {
    Slot& slot = slots_[space][op.a];
    if (slot.creator || (space == Device && op.a == 0)) return;
    slot = {index, space == Context ? op.b : std::uint8_t{0}};
  }
  void destroy_device(std::uint8_t device) {
    slots_[Device][device] = {};
    for (const Space space : {Context, Allocation}) {
      for (Slot& slot : slots_[space]) {
        if (slot.creator && slot.device == device) slot = {};
      }
    }
  }

  std::array<std::array<Slot, 256>, 3> slots_{};
  std::optional<std::size_t> opener_;
  std::map<std::uint32_t, std::size_t> mapped_;
};

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
  return fnv1a(encode(ops));
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
  if (op_info(ops[one].kind)->role != OpRole::Element) return ways;
  // How many patch locations a command takes is up to the client; an index behind them moves.
  for (std::uint32_t patches = 1; patches <= 2; ++patches) {
    Ops moved = alone;
    bool any = false;
    std::size_t first = one, last = one;
    while (first > 0 && op_info(moved[first - 1].kind)->role == OpRole::Element) --first;
    while (last < moved.size() && op_info(moved[last].kind)->role == OpRole::Element) ++last;
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
      const Space space = space_of(field);
      const Id id{space, field_of(op, field.member)};
      // Device 0 is always there: it keeps its number.
      if (space == None || (space == Device && id.number == 0)) continue;
      if (!std::exchange(seen[id], true)) found.push_back(id);
    }
  }
  return found;
}

std::uint32_t ScenarioLanguage::lowest_id(std::uint32_t space) {
  return space == Device ? 1 : 0;
}

std::vector<Op> ScenarioLanguage::renamed(std::span<const Op> ops,
                                          const std::map<Id, std::uint32_t>& to) {
  Ops result(ops.begin(), ops.end());
  for (Op& op : result) {
    for (const FieldInfo& field : fields_of(op)) {
      const auto found = to.find({space_of(field), field_of(op, field.member)});
      if (found != to.end()) set_field(op, field.member, found->second);
    }
  }
  return result;
}

std::vector<Value> ScenarioLanguage::values(const Op& op) {
  std::vector<Value> values;
  for (const FieldInfo& field : fields_of(op)) {
    if (space_of(field) != None) continue;
    // Fields of one name mean the same in all ops: a value signalled and one waited for, say.
    std::uint32_t meaning = 0;
    for (const char c : std::string_view(field.name)) {
      meaning = meaning * 31 + static_cast<unsigned char>(c);
    }
    values.push_back({field_of(op, field.member), field.fallback, field.lowest, meaning});
  }
  return values;
}

void ScenarioLanguage::set_value(Op& op, std::size_t index, std::uint32_t value) {
  for (const FieldInfo& field : fields_of(op)) {
    if (space_of(field) != None) continue;
    if (index-- == 0) return set_field(op, field.member, value);
  }
}

}  // namespace wddm::fuzz
