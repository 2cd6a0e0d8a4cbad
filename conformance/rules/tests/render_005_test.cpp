// When an incomplete pass must have made progress, and whose effects are judged.
#include <d3dkmddi.h>

#include "conformance/rules/tests/trace_test.h"
#include "conformance/sdk/client.h"

namespace wddm::render_005 {
namespace {

constexpr std::uint32_t kMoreRoom = 0xC01E0001;

// A context that asked for 4096 bytes and 64 elements.
class Render005 : public TraceTest {
 protected:
  Render005() { add(ev::ContextCreated{.dma_bytes = 4096, .patches = 64}); }
  void pass(std::uint32_t status, std::uint32_t dma_given, std::uint32_t multipass_out) {
    add(ev::RenderCalled{});
    add(ev::Rendered{.status = status,
                     .dma_used = 16,
                     .dma_given = dma_given,
                     .patches_given = 64,
                     .multipass_out = multipass_out});
  }
  void decoded(std::uint32_t kind) {
    WddmDecoded command{};
    command.length = 16;
    command.kind = kind;
    add(ev::Decoded{.count = 1}, std::vector{command});
  }
  void memory_differs_after_packet(std::uint32_t packet) {
    add(ev::Submitted{.packet = packet});
    add(ev::MemoryDiffers{.cause = static_cast<std::uint32_t>(MemoryCause::Render),
                          .cause_object = packet});
  }
  bool holds() { return TraceTest::holds("RENDER-005"); }
};

TEST_F(Render005, APassOnAWholeBufferMakesProgress) {
  pass(kMoreRoom, 4096, 0);
  EXPECT_FALSE(holds());
}

TEST_F(Render005, ABufferWithRoomForAPreambleOnlyIsHopeless) {
  pass(kMoreRoom, 48, 0);
  decoded(0);
  EXPECT_TRUE(holds());
}

TEST_F(Render005, ASmallBufferWithACommandIsProgress) {
  pass(kMoreRoom, 48, 0);
  decoded(WDDM_COMMAND_FILL);
  EXPECT_FALSE(holds());
}

// Behind a first pass that was incomplete.
TEST_F(Render005, LaterPassesThatAreAllRefusedGoOnNowhere) {
  constexpr std::uint32_t kInvalidParameter = 0xC000000D;
  const auto later = [this](std::uint32_t status) {
    add(ev::Rendered{.status = status, .dma_given = 48, .pass = 1});
  };
  later(kInvalidParameter);
  later(kInvalidParameter);
  EXPECT_TRUE(holds()) << "one command may find no room";
  later(kInvalidParameter);
  EXPECT_FALSE(holds());
  later(0);
  EXPECT_TRUE(holds()) << "here it has";
}

TEST_F(Render005, ProgressIsInMultipassOffset) {
  pass(kMoreRoom, 48, 4);
  decoded(WDDM_COMMAND_FILL);
  EXPECT_TRUE(holds());
}

TEST_F(Render005, ATranslationCutShortInASmallBufferIsJudgedByItsEffects) {
  pass(0, 48, 0);
  memory_differs_after_packet(3);
  EXPECT_FALSE(holds());
}

TEST_F(Render005, BehindAPreemptionOthersJudge) {
  pass(0, 48, 0);
  add(ev::Notified{.type = DXGK_INTERRUPT_DMA_PREEMPTED});
  memory_differs_after_packet(3);
  EXPECT_TRUE(holds());
}

TEST_F(Render005, APassThatComesBackToWhereItBeganMakesNone) {
  pass(kMoreRoom, 48, 28);
  decoded(WDDM_COMMAND_FILL);
  EXPECT_TRUE(holds());
  add(ev::RenderCalled{});
  add(ev::Rendered{.status = kMoreRoom,
                   .dma_used = 16,
                   .dma_given = 48,
                   .patches_given = 64,
                   .multipass_in = 28,
                   .multipass_out = 28,
                   .pass = 1});
  decoded(WDDM_COMMAND_FILL);
  EXPECT_FALSE(holds());
}

TEST_F(Render005, AThirdPassIsJudgedByItsEffectsToo) {
  pass(kMoreRoom, 48, 28);
  add(ev::RenderCalled{});
  add(ev::Rendered{.dma_used = 16, .dma_given = 48, .patches_given = 64, .pass = 2});
  memory_differs_after_packet(3);
  EXPECT_FALSE(holds());
}

TEST_F(Render005, WhatWasCutOthersJudge) {
  pass(0, 48, 0);
  add(ev::Submitted{.packet = 2, .end = 16});
  add(ev::Submitted{.packet = 3, .start = 16, .end = 48});
  memory_differs_after_packet(3);
  EXPECT_TRUE(holds());
}

TEST_F(Render005, WhatLiesBehindAMapInSeveralBuffersOthersJudge) {
  pass(0, 48, 0);
  add(ev::PagingDone{.operation = DXGK_OPERATION_MAP_APERTURE_SEGMENT, .passes = 2});
  memory_differs_after_packet(3);
  EXPECT_TRUE(holds());
}

TEST_F(Render005, EffectsOfAWholeBufferAreNoMatterOfPasses) {
  pass(0, 4096, 0);
  memory_differs_after_packet(3);
  EXPECT_TRUE(holds());
}

}  // namespace
}  // namespace wddm::render_005
