// The worker between scheduler and driver: the order of its calls, when reports take effect, and
// what a reset loses.
#include "conformance/host/vidsch/vidsch_worker.h"

#include "conformance/host/tests/host_fixture.h"
#include "conformance/host/tests/packets.h"
#include "conformance/host/tests/reports.h"
#include "conformance/host/vidmm/paging/paging_operations.h"

namespace wddm::host {
namespace {

class VidSchWorkerTest : public HostTest {
 protected:
  /// A running adapter with contexts 0 and 1.
  template <class Body>
  void with_contexts(Body body) {
    on_machine([&](World& world) {
      ASSERT_NO_FATAL_FAILURE(begin(world));
      ASSERT_TRUE(world.objects.contexts().create({0}, {0}, {}));
      ASSERT_TRUE(world.objects.contexts().create({1}, {0}, {}));
      driver.calls.clear();
      body(world.vidsch, world);
    });
  }
  /// Queues a buffer cut at these offsets, and lets the worker work.
  static void enqueue(VidSchWorker& vidsch, ContextId context,
                      const std::vector<std::uint32_t>& ends = {64},
                      std::unique_ptr<PagingBuffer> before_last = nullptr) {
    std::vector<VidSchWorker::Portion> portions;
    std::uint32_t start = 0;
    for (const std::uint32_t end : ends) {
      RenderWork& work = portions.emplace_back().work;
      work.start = start;
      work.end = end;
      start = end;
    }
    if (before_last != nullptr) portions.back().paging.push_back(std::move(before_last));
    vidsch.enqueue(dma_buffer(0, context), std::move(portions));
    nt::settle();
  }
  std::uint32_t last_fence() const { return driver.submitted.back().SubmissionFenceId; }
  std::vector<std::uint32_t> fates() const {
    std::vector<std::uint32_t> all;
    for (const ev::PacketEnded& ended : seen<ev::PacketEnded>()) all.push_back(ended.fate);
    return all;
  }
  static constexpr auto kCompleted = static_cast<std::uint32_t>(PacketFate::Completed);
  static constexpr auto kPreempted = static_cast<std::uint32_t>(PacketFate::Preempted);
  static constexpr auto kLost = static_cast<std::uint32_t>(PacketFate::Lost);
};

TEST_F(VidSchWorkerTest, PatchesAndThenSubmitsWithTheSameFence) {
  with_contexts([&](VidSchWorker& vidsch, World&) { enqueue(vidsch, {0}); });

  EXPECT_EQ(driver.calls, (Calls{"Patch", "SubmitCommand"}));
  EXPECT_EQ(driver.patched.at(0).SubmissionFenceId, driver.submitted.at(0).SubmissionFenceId);
}

TEST_F(VidSchWorkerTest, SubmitsAtDispatchLevelAndPatchesAtPassive) {
  std::vector<int> levels;
  driver.on_patch = [&](const DXGKARG_PATCH&) { levels.push_back(nt::irql()); };
  driver.on_submit = [&](const DXGKARG_SUBMITCOMMAND&) { levels.push_back(nt::irql()); };

  with_contexts([&](VidSchWorker& vidsch, World&) { enqueue(vidsch, {0}); });

  EXPECT_EQ(levels, (std::vector<int>{nt::kPassive, nt::kDispatch}));
}

TEST_F(VidSchWorkerTest, ReportTakesEffectWithNotifyDpc) {
  with_contexts([&](VidSchWorker& vidsch, World&) {
    enqueue(vidsch, {0});
    vidsch.notified(completed(last_fence()));
    EXPECT_EQ(vidsch.packets().size(), 1u);
    EXPECT_EQ(fates(), std::vector<std::uint32_t>{});
    vidsch.dpc_ran();
    EXPECT_EQ(vidsch.packets().size(), 0u);
  });

  EXPECT_EQ(fates(), std::vector<std::uint32_t>{kCompleted});
  EXPECT_EQ(seen<ev::ReportJudged>().at(0).outcome, 0u);
}

// A driver may say anything at any time: what it was about to be given is gone, and never
// submitted.
TEST_F(VidSchWorkerTest, PacketThatIsReportedFromInsideOfPatchIsNotSubmitted) {
  with_contexts([&](VidSchWorker& vidsch, World&) {
    driver.on_patch = [&](const DXGKARG_PATCH& patch) {
      EXPECT_EQ(vidsch.packets().size(), 1u);
      vidsch.notified(completed(patch.SubmissionFenceId));
      vidsch.dpc_ran();
    };
    enqueue(vidsch, {0});
    EXPECT_EQ(vidsch.packets().size(), 0u);
  });

  EXPECT_EQ(driver.calls, Calls{"Patch"});
  EXPECT_EQ(fates(), std::vector<std::uint32_t>{kCompleted});
  EXPECT_TRUE(seen<ev::Submitted>().empty());
}

TEST_F(VidSchWorkerTest, ResetFromInsideOfPatchLosesThePacket) {
  with_contexts([&](VidSchWorker& vidsch, World&) {
    driver.on_patch = [&](const DXGKARG_PATCH&) { vidsch.reset(); };
    enqueue(vidsch, {0});
  });

  EXPECT_EQ(driver.calls, Calls{"Patch"});
  EXPECT_EQ(fates(), std::vector<std::uint32_t>{kLost});
}

TEST_F(VidSchWorkerTest, NextPacketWaitsForThePlaceInTheQueue) {
  with_contexts([&](VidSchWorker& vidsch, World&) {
    enqueue(vidsch, {0});
    enqueue(vidsch, {0});
    EXPECT_EQ(driver.submitted.size(), 1u);
    report(vidsch, completed(last_fence()));
    EXPECT_EQ(driver.submitted.size(), 2u);
    EXPECT_GT(driver.submitted[1].SubmissionFenceId, driver.submitted[0].SubmissionFenceId);
  });
}

TEST_F(VidSchWorkerTest, DeeperQueueTakesMorePackets) {
  with_contexts([&](VidSchWorker& vidsch, World& world) {
    world.choices.queue_depth = 2;
    for (int i = 0; i < 3; ++i) enqueue(vidsch, {0});
    EXPECT_EQ(driver.submitted.size(), 2u);
    EXPECT_EQ(vidsch.packets().size(), 3u);
  });
}

TEST_F(VidSchWorkerTest, PortionsFollowEachOther) {
  with_contexts([&](VidSchWorker& vidsch, World&) {
    enqueue(vidsch, {0}, {16, 64});
    enqueue(vidsch, {1});
    for (int i = 0; i < 3; ++i) report(vidsch, completed(last_fence()));
    EXPECT_EQ(vidsch.packets().size(), 0u);
  });

  const auto submitted = seen<ev::Submitted>();
  ASSERT_EQ(submitted.size(), 3u);
  EXPECT_EQ(submitted[0].end, 16u);
  EXPECT_EQ(submitted[1].start, 16u);
  EXPECT_EQ(submitted[1].context, 0u);
  EXPECT_EQ(submitted[2].context, 1u);
}

TEST_F(VidSchWorkerTest, PagingGoesBetweenThePortionsThatItIsFor) {
  with_contexts([&](VidSchWorker& vidsch, World& world) {
    memory::Frame frame = 0;
    memory::frames_allocate({&frame, 1}, memory::FrameOwner::Allocation);
    enqueue(
        vidsch, {0}, {16, 64},
        paging_buffer(map_of({world.objects, world.residency}, {SegmentId{2}, 0}, {&frame, 1}, 0)));
    for (int i = 0; i < 3; ++i) report(vidsch, completed(last_fence()));
  });

  const auto submitted = seen<ev::Submitted>();
  ASSERT_EQ(submitted.size(), 3u);
  EXPECT_EQ(submitted[0].paging, 0u);
  EXPECT_EQ(submitted[1].paging, 1u);
  EXPECT_EQ(submitted[2].start, 16u);
  EXPECT_EQ(seen<ev::PagingDone>().size(), 1u);
}

TEST_F(VidSchWorkerTest, FenceThatWasNeverSubmittedEndsNothing) {
  with_contexts([&](VidSchWorker& vidsch, World&) {
    enqueue(vidsch, {0});
    report(vidsch, completed(last_fence() + 7));
    EXPECT_EQ(vidsch.packets().size(), 1u);
  });
  EXPECT_NE(seen<ev::ReportJudged>().at(0).outcome, 0u);
}

TEST_F(VidSchWorkerTest, ReportOfANodeThatIsNotThereIsJudgedAtOnce) {
  with_contexts([&](VidSchWorker& vidsch, World&) {
    enqueue(vidsch, {0});
    vidsch.notified(completed(last_fence(), 1));
    EXPECT_EQ(seen<ev::ReportJudged>().size(), 1u);
    vidsch.dpc_ran();
    EXPECT_EQ(vidsch.packets().size(), 1u);
  });
  EXPECT_EQ(seen<ev::ReportJudged>().at(0).outcome,
            static_cast<std::uint32_t>(vidsch::ReportOutcome::UnknownFence));
}

TEST_F(VidSchWorkerTest, PreemptedPacketIsSubmittedAgain) {
  with_contexts([&](VidSchWorker& vidsch, World&) {
    enqueue(vidsch, {0});
    vidsch.preempt({});
    nt::settle();
    ASSERT_EQ(driver.preempted.size(), 1u);
    EXPECT_TRUE(vidsch.awaits_answer());
    report(vidsch, preempted(driver.preempted[0].PreemptionFenceId, 0));
    EXPECT_FALSE(vidsch.awaits_answer());
    EXPECT_EQ(vidsch.packets().size(), 1u);
  });

  EXPECT_EQ(fates(), std::vector<std::uint32_t>{kPreempted});
  const auto submitted = seen<ev::Submitted>();
  ASSERT_EQ(submitted.size(), 2u);
  EXPECT_EQ(submitted[1].packet, submitted[0].packet);
  EXPECT_EQ(submitted[1].again, 1u);
  EXPECT_EQ(driver.calls.back(), "SubmitCommand");
  EXPECT_EQ(std::count(driver.calls.begin(), driver.calls.end(), "Patch"), 2);
}

TEST_F(VidSchWorkerTest, ResetLosesAllPackets) {
  with_contexts([&](VidSchWorker& vidsch, World&) {
    enqueue(vidsch, {0}, {16, 64});
    enqueue(vidsch, {1});
    vidsch.reset();
    EXPECT_EQ(vidsch.packets().size(), 0u);
    nt::settle();
    EXPECT_EQ(driver.submitted.size(), 1u);
  });

  EXPECT_EQ(fates(), (std::vector<std::uint32_t>{kLost, kLost, kLost}));
}

TEST_F(VidSchWorkerTest, FencesGoOnAfterAReset) {
  with_contexts([&](VidSchWorker& vidsch, World&) {
    enqueue(vidsch, {0});
    const std::uint32_t before = last_fence();
    vidsch.reset();
    enqueue(vidsch, {0});
    EXPECT_GT(last_fence(), before);
    // What the driver still says of the lost one ends nothing.
    report(vidsch, completed(before));
    EXPECT_EQ(vidsch.packets().size(), 1u);
  });
}

}  // namespace
}  // namespace wddm::host
