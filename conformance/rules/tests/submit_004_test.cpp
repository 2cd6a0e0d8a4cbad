// What Patch and SubmitCommand are told of one packet.
#include "conformance/rules/tests/trace_test.h"
#include "reference/trace/ddi.h"

namespace wddm::submit_004 {
namespace {

class Submit004 : public TraceTest {
 protected:
  template <class Arguments>
  void enters(DdiId ddi, const Arguments& call, std::uint32_t packet) {
    add(ev::DdiEntered{.ddi = static_cast<std::uint32_t>(ddi), .object = packet},
        std::vector<Arguments>{call});
  }
  void patches(std::uint32_t fence, std::uint32_t end, std::uint32_t packet = 1) {
    enters(DdiId::Patch, ddi_arguments::Patch{.start = 16, .end = end, .fence = fence}, packet);
  }
  void submits(std::uint32_t fence, std::uint32_t end, std::uint32_t flags = 0,
               std::uint32_t private_start = 0) {
    enters(DdiId::SubmitCommand,
           ddi_arguments::SubmitCommand{.start = 16,
                                        .end = end,
                                        .private_start = private_start,
                                        .fence = fence,
                                        .flags = flags},
           1);
  }
  bool holds() { return TraceTest::holds("SUBMIT-004"); }
};

TEST_F(Submit004, TheyAgree) {
  patches(7, 64);
  submits(7, 64);
  EXPECT_TRUE(holds());
  EXPECT_EQ(times_reached("SUBMIT-004"), 1u);
}

TEST_F(Submit004, AnotherFence) {
  patches(6, 64);
  submits(7, 64);
  EXPECT_FALSE(holds());
}

TEST_F(Submit004, AnotherRange) {
  patches(7, 48);
  submits(7, 64);
  EXPECT_FALSE(holds());
}

TEST_F(Submit004, TheLastPatchCounts) {
  patches(6, 48);
  patches(7, 64);
  submits(7, 64);
  EXPECT_TRUE(holds());
}

TEST_F(Submit004, PrivateDataBehindTheStart) {
  patches(7, 64);
  submits(7, 64, 0, 8);
  EXPECT_FALSE(holds());
}

TEST_F(Submit004, OfPagingTheyMayBegin) {
  patches(7, 64);
  submits(7, 64, 1, 8);
  EXPECT_TRUE(holds());
}

TEST_F(Submit004, WhatIsNotPatchedIsNotCompared) {
  patches(7, 64, 2);
  submits(8, 64);
  EXPECT_TRUE(holds());
  EXPECT_EQ(times_reached("SUBMIT-004"), 0u);
}

}  // namespace
}  // namespace wddm::submit_004
