// Segments and nodes of devices that only compute, and what they have of displays.
#include <d3dkmddi.h>

#include "conformance/rules/tests/trace_test.h"

namespace wddm::mcdm_025 {
namespace {

class Mcdm025 : public TraceTest {
 protected:
  void segment(std::uint32_t flags) { add(ev::SegmentReported{.segment = 1, .flags = flags}); }
};

TEST_F(Mcdm025, MemoryAndAnAperture) {
  segment(1u << 2);  // CpuVisible
  segment(1u << 0);  // Aperture
  EXPECT_TRUE(holds("MCDM-025"));
  EXPECT_EQ(times_reached("MCDM-025"), 2u);
}

TEST_F(Mcdm025, Agp) {
  segment(1u << 1);
  EXPECT_FALSE(holds("MCDM-025"));
}

TEST_F(Mcdm025, BanksAreHintsInsideALinearSegment) {
  segment(1u << 3);
  EXPECT_TRUE(holds("MCDM-025"));
}

class Mcdm026 : public TraceTest {
 protected:
  void node(std::uint32_t ordinal, std::uint32_t gpu_mmu, std::uint32_t io_mmu,
            std::uint32_t status = 0) {
    add(ev::NodeAnswered{
        .ordinal = ordinal, .status = status, .gpu_mmu = gpu_mmu, .io_mmu = io_mmu, .nodes = 2});
  }
};

TEST_F(Mcdm026, OneMmuOrTheOther) {
  node(0, 1, 0);
  node(1, 0, 1);
  EXPECT_TRUE(holds("MCDM-026"));
  EXPECT_EQ(times_reached("MCDM-026"), 2u);
}

TEST_F(Mcdm026, None) {
  node(1, 0, 0);
  EXPECT_FALSE(holds("MCDM-026"));
}

TEST_F(Mcdm026, NodesThatThereAreNotAndFailuresSayNothing) {
  node(2, 0, 0);
  node(1, 0, 0, 0xC0000001);
  EXPECT_TRUE(holds("MCDM-026"));
  EXPECT_EQ(times_reached("MCDM-026"), 0u);
}

class Mcdm029 : public TraceTest {};

TEST_F(Mcdm029, NoOutputs) {
  add(ev::DeviceStarted{.children = 1});
  add(ev::ChildrenReported{.children = 1, .described = 1});
  EXPECT_TRUE(holds("MCDM-029"));
  EXPECT_EQ(times_reached("MCDM-029"), 2u);
}

TEST_F(Mcdm029, ASource) {
  add(ev::DeviceStarted{.sources = 1});
  EXPECT_FALSE(holds("MCDM-029"));
}

TEST_F(Mcdm029, AnOutput) {
  add(ev::ChildrenReported{.children = 1, .described = 1, .outputs = 1});
  EXPECT_FALSE(holds("MCDM-029"));
}

TEST_F(Mcdm029, TheLastElementIsWritten) {
  add(ev::ChildrenReported{.last = 4});
  EXPECT_FALSE(holds("MCDM-029"));
}

TEST_F(Mcdm029, WhatFailsDescribesNothing) {
  add(ev::DeviceStarted{.status = 0xC0000001, .sources = 1});
  add(ev::ChildrenReported{.status = 0xC0000001, .outputs = 1});
  EXPECT_TRUE(holds("MCDM-029"));
  EXPECT_EQ(times_reached("MCDM-029"), 0u);
}

class Mcdm030 : public TraceTest {};

TEST_F(Mcdm030, WorkAlone) {
  add(ev::Notified{.type = DXGK_INTERRUPT_DMA_COMPLETED});
  EXPECT_TRUE(holds("MCDM-030"));
  EXPECT_EQ(times_reached("MCDM-030"), 1u);
}

TEST_F(Mcdm030, AMonitor) {
  add(ev::Notified{.type = DXGK_INTERRUPT_CRTC_VSYNC});
  EXPECT_FALSE(holds("MCDM-030"));
}

}  // namespace
}  // namespace wddm::mcdm_025
