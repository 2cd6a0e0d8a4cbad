#include "fuzz/bench/scenario_puzzle.h"

#include <array>
#include <optional>

#include "fuzz/random/random.h"

namespace wddm::fuzz {
namespace {

constexpr std::uint32_t kIds = 12;

struct Allocation {
  bool live = false, moved = false;
  std::uint32_t pages = 0;
};

class Machine {
 public:
  bool wrong = false;

  void step(const Op& op) {
    const OpInfo* const info = op_info(op.kind);
    if (!info) return;
    if (!info->is(OpRole::Element)) node_.reset();
    Allocation& allocation = allocations_[op.a];
    if (op.kind == OpKind::CreateAllocation) {
      if (!allocation.live) allocation = {true, false, op.x};
    } else if (op.kind == OpKind::DestroyAllocation) {
      allocation = {};
    } else if (op.kind == OpKind::Move) {
      allocation.moved |= allocation.live;
    } else if (op.kind == OpKind::CreateContext) {
      if (op.b == 0 && !contexts_[op.a]) contexts_[op.a] = op.c;
    } else if (op.kind == OpKind::DestroyContext) {
      contexts_[op.a].reset();
    } else if (op.kind == OpKind::Render) {
      node_ = contexts_[op.a];
      bound_.fill(std::nullopt);
    } else {
      element(op);
    }
  }

 private:
  void element(const Op& op) {
    if (!node_) return;
    if (op.kind == OpKind::Bind) bound_[op.a] = op.b;
    if (op.kind == OpKind::Unbind) bound_[op.a].reset();
    if (op.kind != OpKind::Fill || !bound_[op.a] || *node_ == 0) return;
    const Allocation& allocation = allocations_[*bound_[op.a]];
    const std::uint64_t end = std::uint64_t{op.x} + op.y;
    wrong |= allocation.moved && op.y >= 8192 && end <= allocation.pages * 4096ull;
  }

  std::array<Allocation, 256> allocations_{};
  std::array<std::optional<std::uint32_t>, 256> contexts_{};
  std::array<std::optional<std::uint8_t>, 256> bound_{};
  std::optional<std::uint32_t> node_;  // of the open list
};

Op random_op(Random& random) {
  const auto id = [&random] { return static_cast<std::uint8_t>(random.below(kIds)); };
  switch (random.below(12)) {
    case 0:
      return {.kind = OpKind::CreateAllocation,
              .a = id(),
              .b = static_cast<std::uint8_t>(random.below(3)),
              .x = 1 + random.below(16)};
    case 1:
      return {.kind = OpKind::CreateContext,
              .a = id(),
              .c = static_cast<std::uint8_t>(random.below(2))};
    case 2:
      return {.kind = OpKind::Move, .a = id()};
    case 3:
      return {.kind = random.one_in(2) ? OpKind::DestroyAllocation : OpKind::DestroyContext,
              .a = id()};
    case 4:
    case 5:
      return {.kind = OpKind::Render, .a = id()};
    case 6:
    case 7:
      return {.kind = OpKind::Bind, .a = id(), .b = id()};
    case 8:
    case 9:
      return {.kind = OpKind::Fill,
              .a = id(),
              .x = random.below(4) * 4096,
              .y = (1 + random.below(8)) * 4096,
              .z = static_cast<std::uint32_t>(random.next())};
    case 10:
      return {.kind = OpKind::Unbind, .a = id()};
    default:
      return {.kind = OpKind::Advance, .x = random.below(100)};
  }
}

}  // namespace

bool puzzle_shows(std::span<const Op> ops) {
  Machine machine;
  for (const Op& op : ops) machine.step(op);
  return machine.wrong;
}

std::vector<Op> failing_puzzle(std::uint64_t seed, std::size_t count) {
  Random random(seed);
  for (;;) {
    std::vector<Op> ops;
    while (ops.size() < count) ops.push_back(random_op(random));
    if (puzzle_shows(ops) && !puzzle_shows(std::span(ops).first(count - count / 8))) return ops;
  }
}

std::vector<Op> solved_puzzle() {
  return {{.kind = OpKind::CreateAllocation, .a = 0, .x = 2},
          {.kind = OpKind::CreateContext, .a = 0, .c = 1},
          {.kind = OpKind::Move, .a = 0},
          {.kind = OpKind::Render, .a = 0},
          {.kind = OpKind::Bind, .a = 0, .b = 0},
          {.kind = OpKind::Fill, .a = 0, .y = 8192, .z = 0x01020304}};
}

}  // namespace wddm::fuzz
