// What capabilities, physical adapter and nodes say of the GPU's MMU.
#include "conformance/rules/tests/trace_test.h"

namespace wddm::caps_013 {
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

// PhysicalAdapterReported::flags of the physical adapter
constexpr std::uint32_t kIoMmu = 1, kGpuMmu = 2;

TEST_F(Caps013, ANodeReachesMemoryThroughAnIommuThatItsAdapterHasNot) {
  add(ev::NodeAnswered{.ordinal = 0, .gpu_mmu = 1, .io_mmu = 1, .nodes = 2});
  EXPECT_FALSE(holds("CAPS-013"));
}

TEST_F(Caps013, ANodeThatLeavesItAsItWas) {
  constexpr std::uint32_t kIoMmuSupported = 16;
  add(ev::NodeAnswered{
      .ordinal = 0, .gpu_mmu = 1, .io_mmu = 1, .unwritten = kIoMmuSupported, .nodes = 2});
  EXPECT_TRUE(holds("CAPS-013"));
}

TEST_F(Caps013, TheSecondGpuOfALinkHasAnIommuAlone) {
  platform_.linked_adapters = 2;
  add(ev::PhysicalAdapterReported{
      .physical_adapter = 1, .nodes = 2, .paging_node = 1, .flags = kIoMmu | kGpuMmu});
  add(ev::NodeAnswered{.ordinal = 1u << 16, .gpu_mmu = 1, .io_mmu = 1, .nodes = 2});
  EXPECT_TRUE(holds("CAPS-013"));
}

// PhysicalAdapterReported::handle
constexpr std::uint32_t kNull = 0, kItsOwn = 1, kAnother = 2;

TEST_F(Caps013, TheHandleOfThisStartOrNone) {
  for (const std::uint32_t handle : {kItsOwn, kNull}) {
    add(ev::PhysicalAdapterReported{
        .nodes = 2, .paging_node = 1, .flags = 2, .handle = handle, .round = 1});
  }
  EXPECT_TRUE(holds("CAPS-013"));
}

TEST_F(Caps013, TheHandleOfAnEarlierStart) {
  add(ev::PhysicalAdapterReported{
      .nodes = 2, .paging_node = 1, .flags = 2, .handle = kAnother, .round = 1});
  EXPECT_FALSE(holds("CAPS-013"));
  platform_.linked_adapters = 2;  // LDA-002 says so of links
  EXPECT_TRUE(holds("CAPS-013"));
}

TEST_F(Caps013, TheNodeThatPagesOnTheSecondGpuHasItNot) {
  platform_.linked_adapters = 2;
  add(ev::PhysicalAdapterReported{.physical_adapter = 1, .nodes = 2, .paging_node = 0, .flags = 2});
  answers(1u << 16 | 1, 0);
  EXPECT_TRUE(holds("CAPS-013"));
  answers(1u << 16, 0);
  EXPECT_FALSE(holds("CAPS-013"));
}

class Caps013OneEngine : public TraceTest {};

// Its physical adapter is not asked about.
class Caps013WithoutMmu : public TraceTest {
 protected:
  Caps013WithoutMmu() {
    platform_.has_caps = true;
    platform_.interface_version = 0x5023;
    add(ev::CapsReported{.scheduling = kMultiEngineAware, .nodes = 1});
  }
  bool applies() { return find_rule("CAPS-013")->applies(platform_) == nullptr; }
};

TEST_F(Caps013WithoutMmu, NoNodeHasIt) {
  add(ev::NodeAnswered{.ordinal = 0, .nodes = 1});
  EXPECT_TRUE(applies());
  EXPECT_TRUE(holds("CAPS-013"));
  EXPECT_EQ(times_reached("CAPS-013"), 1u);
}

TEST_F(Caps013WithoutMmu, ANodeHasItAlone) {
  add(ev::NodeAnswered{.ordinal = 0, .gpu_mmu = 1, .nodes = 1});
  EXPECT_TRUE(applies());
  EXPECT_FALSE(holds("CAPS-013"));
}

TEST_F(Caps013WithoutMmu, NothingIsToldOfNodesThen) {
  platform_.absent_ddis.value.set(static_cast<std::size_t>(DdiId::GetNodeMetadata));
  EXPECT_FALSE(applies());
  platform_.gpu_mmu = true;
  EXPECT_TRUE(applies());
  platform_.interface_version = 0x4003;
  EXPECT_FALSE(applies());
}

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
}  // namespace wddm::caps_013
