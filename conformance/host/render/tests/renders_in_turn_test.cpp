// Which renders come at once, and which one after the other.
#include "conformance/host/render/renders_in_turn.h"

#include <string>

#include "conformance/host/tests/host_fixture.h"

namespace wddm::host {
namespace {

/// Remembers what is prepared: "0" alone, "0+1" in turn.
class Recorder final : public Addressing {
 public:
  [[nodiscard]] std::span<const DdiId> needed() const override { return {}; }
  [[nodiscard]] bool knows(const WddmClient&) const override { return true; }
  [[nodiscard]] std::uint32_t slots() const override { return 16; }
  void describe(WddmBuildRequest&, UserInput&) const override {}
  void prepare(const RenderRequest& request, const UserInput&, VidMmWorker&) const override {
    prepared += std::to_string(request.ordinal) + " ";
  }
  void prepare_in_turn(const BuiltRender& first, const BuiltRender& second,
                       VidMmWorker&) const override {
    prepared +=
        std::to_string(first.request.ordinal) + "+" + std::to_string(second.request.ordinal) + " ";
  }
  void settle(const Packet&) const override {}
  SubmitAnswer submit(const Packet&) const override { return SubmitAnswer::Taken; }

  mutable std::string prepared;
};

class RendersInTurnTest : public HostTest {
 protected:
  /// Contexts 0 and 1 are of the first device, 2 of another.
  template <class Body>
  std::string prepared(Body body) {
    Recorder recorder;
    on_machine([&](World& world) {
      ASSERT_NO_FATAL_FAILURE(begin(world));
      ASSERT_TRUE(world.objects.create_device(DeviceId{1}));
      for (const std::uint32_t context : {0u, 1u, 2u}) {
        ASSERT_TRUE(world.objects.contexts().create(
            ContextId{context}, context == 2 ? DeviceId{1} : kFirstDevice, EngineId{}));
      }
      RendersInTurn turns(world.objects, recorder, world.vidmm);
      body(turns);
    });
    return recorder.prepared;
  }
  void take(RendersInTurn& turns, std::uint32_t context, bool hold, std::uint32_t allocation,
            std::vector<gpu::Command> commands = {}, std::span<const Op> hostile = {}) {
    const Op op{.kind = OpKind::Render};
    UserInput input;
    input.allocations = {AllocationId{allocation}};
    const auto stream = std::make_shared<CommandStream>();
    stream->commands = std::move(commands);
    turns.take({.ordinal = ordinal_++,
                .context = ContextId{context},
                .op = op,
                .stream = stream,
                .marker_offset = kNone,
                .marker_is_ladder = false,
                .hostile = hostile,
                .private_data = std::nullopt},
               input, hold);
  }
  std::uint32_t ordinal_ = 0;
};

TEST_F(RendersInTurnTest, ThoseOfTwoDevicesComeAtOnce) {
  EXPECT_EQ(prepared([this](RendersInTurn& turns) {
              take(turns, 0, true, 4);
              take(turns, 2, true, 5);
              take(turns, 0, false, 4);
            }),
            "0+1 2 ");
}

TEST_F(RendersInTurnTest, ThoseOfOneDeviceDoNot) {
  EXPECT_EQ(prepared([this](RendersInTurn& turns) {
              take(turns, 0, true, 4);
              take(turns, 1, true, 5);
              take(turns, 2, false, 6);
            }),
            "0 1+2 ");
}

TEST_F(RendersInTurnTest, NorThoseThatUseTheSameMemory) {
  EXPECT_EQ(prepared([this](RendersInTurn& turns) {
              take(turns, 0, true, 4);
              take(turns, 2, false, 4);
            }),
            "0 1 ");
}

TEST_F(RendersInTurnTest, NorWhatWaitsOrIsHostile) {
  const Op hostile[] = {{.kind = OpKind::TamperCommand}};
  EXPECT_EQ(prepared([&](RendersInTurn& turns) {
              take(turns, 0, true, 4);
              take(turns, 2, true, 5, {gpu::wait(1, 1)});
              take(turns, 0, true, 4, {}, hostile);
              take(turns, 2, false, 5);
            }),
            "0 1 2 3 ");
}

TEST_F(RendersInTurnTest, WhatNothingFollowsGoesAlone) {
  EXPECT_EQ(prepared([this](RendersInTurn& turns) {
              take(turns, 0, true, 4);
              turns.let_go();
              turns.let_go();
              take(turns, 2, false, 5);
            }),
            "0 1 ");
}

TEST_F(RendersInTurnTest, NothingIsLeftOfAnotherAdapter) {
  EXPECT_EQ(prepared([this](RendersInTurn& turns) {
              take(turns, 0, true, 4);
              turns.forget();
              turns.let_go();
            }),
            "");
}

}  // namespace
}  // namespace wddm::host
