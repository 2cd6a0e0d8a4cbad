// What Render may return for a device with a contract.
#include <ntddk.h>

#include <d3dkmddi.h>

#include "conformance/rules/tests/trace_test.h"

namespace wddm::render_011 {
namespace {

class Render011 : public TraceTest {
 protected:
  void translates(NTSTATUS status, std::uint32_t flags = 1, std::uint32_t commands = 4) {
    add(ev::TranslationTried{.flags = flags,
                             .commands = commands,
                             .command_bytes = 64,
                             .dma_given = 32,
                             .status = static_cast<std::uint32_t>(status)});
  }
  bool holds() { return TraceTest::holds("RENDER-011"); }
  std::uint32_t reached() { return times_reached("RENDER-011"); }
};

TEST_F(Render011, ItFits) {
  translates(STATUS_SUCCESS);
  EXPECT_TRUE(holds());
  EXPECT_EQ(reached(), 1u);
}

TEST_F(Render011, WhatDoesNotFitIsInvalid) {
  translates(STATUS_INVALID_USER_BUFFER);
  translates(STATUS_INVALID_PARAMETER);
  EXPECT_TRUE(holds());
  EXPECT_EQ(reached(), 2u);
}

TEST_F(Render011, OneCommandFits) {
  translates(STATUS_SUCCESS, 1, 1);
  EXPECT_TRUE(holds());
  translates(STATUS_INVALID_USER_BUFFER, 1, 1);
  EXPECT_FALSE(holds());
}

TEST_F(Render011, OneCommandForWhichThereIsNoMemory) {
  translates(STATUS_NO_MEMORY, 1, 1);
  EXPECT_TRUE(holds());
}

TEST_F(Render011, OneCommandWithoutAContract) {
  translates(STATUS_INVALID_USER_BUFFER, 0, 1);
  EXPECT_TRUE(holds());
}

TEST_F(Render011, MoreRoomIsAskedFor) {
  translates(STATUS_SUCCESS);
  translates(STATUS_GRAPHICS_INSUFFICIENT_DMA_BUFFER);
  EXPECT_EQ(failures("RENDER-011"), 1u);
}

TEST_F(Render011, WithoutAContractItMayBe) {
  translates(STATUS_GRAPHICS_INSUFFICIENT_DMA_BUFFER, 0);
  EXPECT_TRUE(holds());
  EXPECT_EQ(reached(), 0u);
}

TEST_F(Render011, IsOfDriversWithoutContexts) {
  const auto applies = find_rule("RENDER-011")->applies;
  Platform platform;
  platform.started = platform.has_client = platform.has_caps = true;
  EXPECT_EQ(applies(platform), nullptr) << "whichever entries it has filled";
  platform.absent_ddis.value.set(static_cast<std::size_t>(DdiId::CreateContext));
  EXPECT_EQ(applies(platform), nullptr);
  platform.scheduling.value |= 1;  // MultiEngineAware
  EXPECT_NE(applies(platform), nullptr);
}

}  // namespace
}  // namespace wddm::render_011
