// Where split points lie, by the bytes that Render wrote and by what the client decodes.
#include "conformance/rules/tests/trace_test.h"

namespace wddm::split_002 {
namespace {

class Split002 : public TraceTest {
 protected:
  void render(const PatchRecord& element, std::uint32_t hostile = 0) {
    add(ev::RenderCalled{.hostile = hostile},
        std::vector<AllocationRecord>{{.size = 4096, .allocation = 0}});
    add(ev::Rendered{.dma_used = 64, .dma_given = 4096, .hostile = hostile},
        std::vector<PatchRecord>{element});
  }
  void does_not_decode() { add(ev::Decoded{.end = 32, .count = kNone}); }
  bool holds() { return TraceTest::holds("SPLIT-002"); }
};

TEST_F(Split002, TheEndOfTheBufferIsASplitPoint) {
  render({.split_offset = 64});
  EXPECT_TRUE(holds());
  EXPECT_EQ(times_reached("SPLIT-002"), 1u);
}

TEST_F(Split002, WhatLiesBehindItIsNone) {
  render({.split_offset = 65});
  EXPECT_FALSE(holds());
}

TEST_F(Split002, ACommandStraddlesNoSplitPoint) {
  render({.split_offset = 32});
  does_not_decode();
  EXPECT_FALSE(holds());
}

TEST_F(Split002, AClientNeedNotKnowAlteredCommands) {
  render({.split_offset = 32}, 1);
  does_not_decode();
  EXPECT_TRUE(holds());
}

TEST_F(Split002, SplitPointsOfAlteredInputLieInsideOfTheBufferToo) {
  render({.split_offset = 65}, 1);
  EXPECT_FALSE(holds());
}

}  // namespace
}  // namespace wddm::split_002
