// When a client is told what its context has.
#include "conformance/host/render/kept_states.h"

#include <gtest/gtest.h>

#include "reference/gpu/command.h"

namespace wddm::host {
namespace {

class KeptStatesTest : public ::testing::Test {
 protected:
  KeptStatesTest() {
    context.made = 4;
    stream->commands = {gpu::spin(1), gpu::spin(2)};
  }
  void builds(bool honest = true) {
    UserInput input;
    input.context = ContextId{1};
    input.state_left = {7, 8};
    states.built(context, input, 3, stream, honest);
  }
  UserInput offered() const {
    UserInput input;
    input.context = ContextId{1};
    states.offer(context, input);
    return input;
  }

  KeptStates states;
  ContextObject context;
  std::shared_ptr<CommandStream> stream = std::make_shared<CommandStream>();
};

TEST_F(KeptStatesTest, ANewContextHasItsInitialState) {
  EXPECT_EQ(offered().context_state, std::uint32_t{WDDM_CONTEXT_STATE_INITIAL});
  builds();
  context.made = 5;
  EXPECT_EQ(offered().context_state, std::uint32_t{WDDM_CONTEXT_STATE_INITIAL});
}

TEST_F(KeptStatesTest, NothingIsKnownWhileTheLastBufferRuns) {
  builds();
  EXPECT_EQ(offered().context_state, std::uint32_t{WDDM_CONTEXT_STATE_UNKNOWN});
  stream->done = 1;
  EXPECT_EQ(offered().context_state, std::uint32_t{WDDM_CONTEXT_STATE_UNKNOWN});
}

TEST_F(KeptStatesTest, WhatRanWholeHasLeftItsRecord) {
  builds();
  stream->done = 2;
  EXPECT_EQ(offered().context_state, std::uint32_t{WDDM_CONTEXT_STATE_KEPT});
  EXPECT_EQ(offered().state, (std::vector<std::uint8_t>{7, 8}));
}

TEST_F(KeptStatesTest, OfWhatUserModeHasAlteredNothingIsKnown) {
  stream->done = 2;
  builds(false);
  EXPECT_EQ(offered().context_state, std::uint32_t{WDDM_CONTEXT_STATE_UNKNOWN});
}

TEST_F(KeptStatesTest, DriversWithoutContextsKeepNothing) {
  context.made = 0;
  EXPECT_EQ(offered().context_state, std::uint32_t{WDDM_CONTEXT_STATE_UNKNOWN});
}

}  // namespace
}  // namespace wddm::host
