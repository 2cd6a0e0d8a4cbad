// What is known of semaphores that packets have signalled, and what lets a wait pass.
#include "conformance/host/vidsch/semaphores.h"

#include "conformance/host/tests/host_fixture.h"
#include "conformance/host/tests/packets.h"

namespace wddm::host {
namespace {

class SemaphoresTest : public HostTest {
 protected:
  /// Semaphore 3, in one packet that is its whole buffer.
  static std::shared_ptr<RenderBuffer> doing(const gpu::Command& command,
                                             std::uint32_t physical_adapter = 0) {
    auto buffer = listed({0});
    buffer->engine.physical_adapter = physical_adapter;
    buffer->stream->commands.push_back(command);
    return buffer;
  }
  static std::shared_ptr<RenderBuffer> signalling(std::uint64_t value) {
    return doing(gpu::signal(3, value));
  }
  static void run(Semaphores& semaphores, const std::shared_ptr<RenderBuffer>& buffer) {
    const Packet packet = packet_of(buffer);
    semaphores.submitted(packet);
    semaphores.completed(packet);
  }
  static bool passes(const Semaphores& semaphores, std::uint64_t value) {
    return semaphores.let_pass(*doing(gpu::wait(3, value)));
  }
  template <class Body>
  void with_semaphores(Body body) {
    on_machine([&](World& world) {
      Semaphores semaphores(world.objects);
      body(semaphores);
    });
  }
};

TEST_F(SemaphoresTest, WhoDoesNotWaitPasses) {
  with_semaphores([](Semaphores& semaphores) {
    EXPECT_TRUE(semaphores.let_pass(*doing(gpu::spin(1))));
    EXPECT_FALSE(passes(semaphores, 0)) << "nobody has signalled";
  });
}

TEST_F(SemaphoresTest, ValuesAreThereWhenTheirPacketHasCompleted) {
  with_semaphores([](Semaphores& semaphores) {
    const Packet packet = packet_of(signalling(7));
    semaphores.submitted(packet);
    EXPECT_FALSE(passes(semaphores, 7));
    semaphores.completed(packet);
    EXPECT_TRUE(passes(semaphores, 7));
    EXPECT_FALSE(passes(semaphores, 8));
    EXPECT_FALSE(semaphores.let_pass(*doing(gpu::wait(4, 1)))) << "another semaphore";
    EXPECT_FALSE(semaphores.let_pass(*doing(gpu::wait(3, 7), 1))) << "that of another GPU";
  });
}

TEST_F(SemaphoresTest, ALowerValueMayComeAtAnyTime) {
  with_semaphores([](Semaphores& semaphores) {
    run(semaphores, signalling(7));
    semaphores.submitted(packet_of(signalling(2)));
    EXPECT_FALSE(passes(semaphores, 7));
    EXPECT_TRUE(passes(semaphores, 2));
  });
}

TEST_F(SemaphoresTest, WhatIsForgottenHasToBeSignalledAgain) {
  with_semaphores([](Semaphores& semaphores) {
    run(semaphores, signalling(7));
    semaphores.forget();
    EXPECT_FALSE(passes(semaphores, 7));
    run(semaphores, signalling(7));
    EXPECT_TRUE(passes(semaphores, 7));
  });
}

TEST_F(SemaphoresTest, OfAPartOrWithoutItsCommandsNothingIsSignalled) {
  with_semaphores([](Semaphores& semaphores) {
    const auto without_commands = signalling(7);
    without_commands->null_rendering = true;
    run(semaphores, without_commands);
    const auto second_pass = signalling(7);
    second_pass->pass = 1;
    run(semaphores, second_pass);
    const auto cut = signalling(7);
    cut->dma_used = 64;
    run(semaphores, cut);
    EXPECT_FALSE(passes(semaphores, 7));
  });
}

TEST_F(SemaphoresTest, AlteredCommandsMaySignalAnything) {
  with_semaphores([](Semaphores& semaphores) {
    run(semaphores, signalling(7));
    const auto hostile = doing(gpu::spin(1));
    hostile->hostile = true;
    semaphores.submitted(packet_of(hostile));
    EXPECT_FALSE(passes(semaphores, 7));
  });
}

}  // namespace
}  // namespace wddm::host
