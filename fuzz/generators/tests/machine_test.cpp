#include "fuzz/generators/scenario_machine.h"

#include <gtest/gtest.h>

#include <set>

#include "fuzz/generators/generate.h"
#include "fuzz/generators/state_model.h"

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

// Of a driver that takes no settings memory is not smaller for being told so.
TEST(Machine, NothingIsSetWhereTheDriverObeysNoSetting) {
  const Machine deaf{.local_pages = 4096, .settings = 0};
  for (std::uint64_t seed = 0; seed < 300; ++seed) {
    Random random(seed);
    for (const Op& op : generate(Family::Everything, random, {.ops = 64, .machine = deaf}))
      EXPECT_NE(op.kind, OpKind::Configure);
  }
  StateModel model(deaf);

  model.apply({.kind = OpKind::Configure,
               .a = static_cast<std::uint8_t>(Setting::LocalSegmentPages),
               .x = 2});

  EXPECT_EQ(model.local_pages(), 4096u);
}

TEST(Machine, ScenariosUseAllOfItsNodesAndSlots) {
  std::set<std::uint32_t> nodes, slots;
  for (std::uint64_t seed = 0; seed < 300; ++seed) {
    Random random(seed);
    for (const Op& op : generate(Family::Everything, random, {.ops = 64, .machine = kBig})) {
      if (op.kind == OpKind::Preempt) nodes.insert(op.a);
      if (op.kind == OpKind::Bind) slots.insert(op.a);
    }
  }

  for (std::uint32_t node = 0; node < kBig.nodes; ++node) EXPECT_EQ(nodes.count(node), 1u) << node;
  EXPECT_GT(slots.size(), 48u);
}

bool draws(const Machine& machine, OpKind kind) {
  for (std::uint64_t seed = 0; seed < 64; ++seed) {
    Random random(seed);
    for (const Op& op : generate(Family::Everything, random, {.ops = 64, .machine = machine})) {
      if (op.kind == kind) return true;
    }
  }
  return false;
}

TEST(Machine, OpsThatItHasNoUseForAreNotDrawn) {
  for (const OpKind kind : {OpKind::CreatePrimary, OpKind::EvictLocked}) {
    EXPECT_FALSE(draws({}, kind));
    EXPECT_TRUE(draws({.displays = 1}, kind));
  }
  for (const OpKind kind : {OpKind::CreateTestContext, OpKind::NamelessPaging}) {
    EXPECT_FALSE(draws({.gpu_virtual = 1}, kind));
    EXPECT_TRUE(draws({.gpu_virtual = 1, .testing = 1}, kind));
  }
}

TEST(Machine, SettingsOfTheBuiltInDriverMakeIt) {
  Machine machine;
  const auto set = [&](Setting setting, std::uint32_t value) {
    apply_setting({.kind = OpKind::Configure, .a = static_cast<std::uint8_t>(setting), .x = value},
                  machine);
  };
  set(Setting::Addressing, 2);
  set(Setting::LinkedAdapters, 0);
  set(Setting::AlternateView, 1);
  EXPECT_EQ(machine, (Machine{.displays = 1})) << "patch lists of WDDM 2.0";
  set(Setting::Addressing, 1);
  set(Setting::LinkedAdapters, 2);
  set(Setting::KernelModeTesting, 1);
  EXPECT_EQ(machine, (Machine{.gpu_virtual = 1, .linked = 2, .displays = 1, .testing = 1}));
}

}  // namespace
}  // namespace wddm::fuzz
