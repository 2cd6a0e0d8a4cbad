#include "fuzz/generators/scenario_machine.h"

#include <gtest/gtest.h>

#include <set>

#include "fuzz/generators/generate.h"

namespace wddm::fuzz {
namespace {

constexpr Machine kBig{.nodes = 5, .slots = 64, .local_pages = 4096, .aperture_pages = 512};

TEST(Machine, IsReadAsItWasPrinted) {
  EXPECT_EQ(read_machine(print_machine(kBig)), kBig);
}

TEST(Machine, KeepsDefaultsThatNobodyNames) {
  EXPECT_EQ(read_machine(""), Machine{});
  EXPECT_EQ(read_machine("nodes=3 colour=blue =").slots, Machine{}.slots);
  EXPECT_EQ(read_machine("nodes=3 colour=blue =").nodes, 3u);
}

TEST(Machine, BringsNumbersIntoRange) {
  const Machine machine = read_machine("nodes=0 slots=1 local_pages=0 aperture_pages=4294967295");

  EXPECT_EQ(machine.nodes, 1u);
  EXPECT_EQ(machine.slots, 2u);
  EXPECT_EQ(machine.local_pages, 1u);
  EXPECT_LT(machine.aperture_pages, 4294967295u);
}

TEST(Machine, ScenariosUseAllOfItsNodesAndSlots) {
  std::set<std::uint32_t> nodes, slots;
  for (std::uint64_t seed = 0; seed < 200; ++seed) {
    Random random(seed);
    for (const Op& op : generate(Family::Everything, random, {.ops = 64, .machine = kBig})) {
      if (op.kind == OpKind::Preempt) nodes.insert(op.a);
      if (op.kind == OpKind::Bind) slots.insert(op.a);
    }
  }

  for (std::uint32_t node = 0; node < kBig.nodes; ++node) EXPECT_EQ(nodes.count(node), 1u) << node;
  EXPECT_GT(slots.size(), 40u);
}

}  // namespace
}  // namespace wddm::fuzz
