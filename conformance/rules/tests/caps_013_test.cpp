// What capabilities, physical adapter and nodes say of the GPU's MMU.
#include "conformance/rules/tests/trace_test.h"

namespace wddm {
namespace {

constexpr std::uint32_t kMultiEngineAware = 1;

class Caps013 : public TraceTest {
 protected:
  Caps013() {
    platform_.interface_version = 0x5023;
    add(ev::CapsReported{.scheduling = kMultiEngineAware, .memory = 3u << 5, .nodes = 2});
    add(ev::PhysicalAdapterReported{.nodes = 2, .paging_node = 1, .flags = 2});
  }
  void answers(std::uint32_t node, std::uint32_t gpu_mmu, std::uint32_t unwritten = 0) {
    add(ev::NodeAnswered{.ordinal = node, .gpu_mmu = gpu_mmu, .unwritten = unwritten, .nodes = 2});
  }
};

TEST_F(Caps013, AllNodesHaveIt) {
  answers(0, 1);
  answers(1, 1);
  EXPECT_TRUE(holds("CAPS-013"));
  EXPECT_EQ(times_reached("CAPS-013"), 3u);
}

TEST_F(Caps013, TheNodeThatPagesHasItNot) {
  answers(1, 0);
  EXPECT_FALSE(holds("CAPS-013"));
}

TEST_F(Caps013, AnotherNumber) {
  add(ev::PhysicalAdapterReported{.nodes = 3, .paging_node = 1, .flags = 2});
  EXPECT_FALSE(holds("CAPS-013"));
}

class Caps013OneEngine : public TraceTest {};

TEST_F(Caps013OneEngine, TheNumberIsIgnored) {
  platform_.interface_version = 0x5023;
  add(ev::CapsReported{.memory = 3u << 5, .nodes = 0});
  add(ev::PhysicalAdapterReported{.nodes = 1, .paging_node = 0, .flags = 2});
  EXPECT_TRUE(holds("CAPS-013"));
  EXPECT_EQ(times_reached("CAPS-013"), 1u);
  add(ev::PhysicalAdapterReported{.nodes = 1, .paging_node = 1, .flags = 2});
  EXPECT_FALSE(holds("CAPS-013"));
}

TEST_F(Caps013, AnotherNodeNeedNotHaveIt) {
  answers(0, 0);
  EXPECT_TRUE(holds("CAPS-013"));
}

TEST_F(Caps013, WhatWasNotAnsweredSaysNothing) {
  answers(1, 0, 8);
  EXPECT_TRUE(holds("CAPS-013"));
}

}  // namespace
}  // namespace wddm
