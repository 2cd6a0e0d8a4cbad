// What contexts say of the size of their DMA buffers.
#include <d3dkmddi.h>

#include "conformance/rules/tests/trace_test.h"

namespace wddm::ctx_016 {
namespace {

constexpr std::uint32_t kSystem = 1u << 0, kGdi = 1u << 1, kVirtual = 1u << 2, kTest = 1u << 5;

class Ctx016 : public TraceTest {
 protected:
  void creates(std::uint32_t dma_bytes, std::uint32_t flags = 0, NTSTATUS status = STATUS_SUCCESS) {
    add(ev::ContextCreated{
        .status = static_cast<std::uint32_t>(status), .dma_bytes = dma_bytes, .flags = flags});
  }
  void creates_device(std::uint32_t dma_bytes, std::uint32_t device = 0,
                      NTSTATUS status = STATUS_SUCCESS) {
    add(ev::DeviceCreated{
        .device = device, .status = static_cast<std::uint32_t>(status), .dma_bytes = dma_bytes});
  }
  void has_no_contexts() { platform_.has_caps = true; }
  bool holds() { return TraceTest::holds("CTX-016"); }
  std::uint32_t reached() { return times_reached("CTX-016"); }
};

TEST_F(Ctx016, BuffersOfAnySize) {
  creates(16384);
  creates(4);
  EXPECT_TRUE(holds());
  EXPECT_EQ(reached(), 2u);
}

TEST_F(Ctx016, NoBuffers) {
  creates(0);
  EXPECT_FALSE(holds());
}

TEST_F(Ctx016, NoBuffersForGdi) {
  creates(0, kGdi);
  EXPECT_FALSE(holds());
}

TEST_F(Ctx016, WhatIsNotRenderedFor) {
  creates(0, kSystem);
  creates(0, kVirtual);
  creates(0, kVirtual | kTest);
  EXPECT_TRUE(holds());
  EXPECT_EQ(reached(), 0u);
}

TEST_F(Ctx016, DevicesInTheirPlace) {
  has_no_contexts();
  creates_device(4096);
  EXPECT_TRUE(holds());
  EXPECT_EQ(reached(), 1u);
  creates_device(0, 1);
  EXPECT_FALSE(holds());
}

TEST_F(Ctx016, DevicesOfContextsSayNothing) {
  creates_device(0);
  EXPECT_TRUE(holds());
  EXPECT_EQ(reached(), 0u);
}

TEST_F(Ctx016, TheDeviceOfTheSystemAndOneThatWasRefused) {
  has_no_contexts();
  creates_device(0, 256);
  creates_device(0, 1, STATUS_NO_MEMORY);
  EXPECT_TRUE(holds());
  EXPECT_EQ(reached(), 0u);
}

TEST_F(Ctx016, WhatWasRefused) {
  creates(0, 0, STATUS_NO_MEMORY);
  EXPECT_TRUE(holds());
  EXPECT_EQ(reached(), 0u);
}

}  // namespace
}  // namespace wddm::ctx_016
