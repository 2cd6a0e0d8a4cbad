#include "fuzz/bench/toy_machine.h"

#include <algorithm>

#include "fuzz/random/random.h"

namespace wddm::fuzz::toy {
namespace {

struct Object {
  std::size_t creator = kNobody;
  bool live = false;
  std::size_t linked = kNobody;  // index of an object
};

class Machine {
 public:
  explicit Machine(Handles handles) : handles_(handles) {
    if (handles == Handles::Explicit) slots_.assign(kSlots, kNobody);
  }

  bool wrong() const { return wrong_; }

  Named step(const Op& op, std::size_t index) {
    const auto kind = static_cast<Kind>(op.kind % kKinds);
    if (kind == Kind::Nothing) return {};
    if (kind == Kind::Create) {
      create(op.a, index);
      return {};
    }
    const std::size_t a = find(op.a);
    const std::size_t b = kind == Kind::Link ? find(op.b) : kNobody;
    if (a == kNobody) return {};
    act(kind, op, a, b);
    return {objects_[a].creator, b == kNobody ? kNobody : objects_[b].creator};
  }

 private:
  void create(std::uint8_t slot, std::size_t index) {
    if (handles_ == Handles::Explicit) {
      std::size_t& object = slots_[slot % kSlots];
      if (object != kNobody && objects_[object].live) return;
      object = objects_.size();
    }
    objects_.push_back({index, true, kNobody});
  }

  std::size_t find(std::uint8_t handle) const {
    if (handles_ == Handles::Explicit) return slots_[handle % kSlots];
    return handle < objects_.size() ? handle : kNobody;
  }

  void act(Kind kind, const Op& op, std::size_t a, std::size_t b) {
    Object& object = objects_[a];
    if (!object.live) return;
    if (kind == Kind::Destroy) object.live = false;
    if (kind == Kind::Link && b != kNobody && b != a && objects_[b].live) object.linked = b;
    if (kind == Kind::Unlink) object.linked = kNobody;
    if (kind == Kind::Write && op.v >= kWrongFrom && object.linked != kNobody) {
      wrong_ |= !objects_[object.linked].live;
    }
  }

  Handles handles_;
  std::vector<std::size_t> slots_;
  std::vector<Object> objects_;
  bool wrong_ = false;
};

}  // namespace

bool bug_shows(std::span<const Op> ops, Handles handles, std::vector<Named>* named) {
  Machine machine(handles);
  for (std::size_t i = 0; i < ops.size(); ++i) {
    const Named names = machine.step(ops[i], i);
    if (named) named->push_back(names);
  }
  return machine.wrong();
}

std::vector<Op> failing_input(std::uint64_t seed, std::size_t count, Handles handles) {
  Random random(seed);
  for (;;) {
    std::vector<Op> ops;
    for (std::size_t i = 0; i < count; ++i) {
      // Creations and destructions are rare, so that most ops name something that lives.
      const std::uint32_t kind = random.one_in(10) ? random.below(3) : 3 + random.below(5);
      ops.push_back({static_cast<std::uint8_t>(kind),
                     static_cast<std::uint8_t>(random.below(kSlots)),
                     static_cast<std::uint8_t>(random.below(kSlots)),
                     static_cast<std::uint8_t>(random.below(256))});
    }
    const std::span<const Op> most = std::span(ops).first(count - count / 8);
    if (bug_shows(ops, handles) && !bug_shows(most, handles)) return ops;
  }
}

}  // namespace wddm::fuzz::toy
