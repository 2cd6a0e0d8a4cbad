// A page fault from the driver's report to its end: packets, devices, the reset of the engine, and
// where that fails of the adapter.
#include "conformance/host/vidsch/fault_recovery.h"

#include <algorithm>

#include "conformance/host/run/scenario_run.h"
#include "conformance/host/tests/host_fixture.h"
#include "conformance/host/tests/packets.h"
#include "conformance/host/tests/reports.h"

namespace wddm::host {
namespace {

constexpr DeviceId kOther{1};

class FaultRecoveryTest : public HostTest {
 protected:
  FaultRecoveryTest() {
    driver.use_gpu_mmu();
    driver.caps.SupportPerEngineTDR = TRUE;
  }
  /// Contexts 0 and 1, of the first process and of another.
  template <class Body>
  void with_contexts(Body body) {
    on_machine([&](World& world) {
      ASSERT_NO_FATAL_FAILURE(begin(world));
      ASSERT_TRUE(world.processes.create({1}));
      ASSERT_TRUE(world.objects.create_device(kOther, {1}));
      ASSERT_TRUE(world.objects.contexts().create({0}, {0}, {}));
      ASSERT_TRUE(world.objects.contexts().create({1}, kOther, {}));
      world.choices.queue_depth = 2;
      driver.calls.clear();
      body(world.vidsch, world);
    });
  }
  static void enqueue(VidSchWorker& vidsch, ContextId context) {
    std::vector<VidSchWorker::Portion> portions(1);
    portions[0].work.end = 64;
    vidsch.enqueue(dma_buffer(0, context), std::move(portions));
    nt::settle();
  }
  /// Of the k-th submission.
  std::uint32_t fence(std::size_t k) const { return seen<ev::Submitted>().at(k).fence; }
  std::ptrdiff_t times(const char* call) const {
    return std::count(driver.calls.begin(), driver.calls.end(), call);
  }
  std::vector<std::uint32_t> fates() const {
    std::vector<std::uint32_t> all;
    for (const ev::PacketEnded& ended : seen<ev::PacketEnded>()) all.push_back(ended.fate);
    return all;
  }
  static constexpr auto kCompleted = static_cast<std::uint32_t>(PacketFate::Completed);
  static constexpr auto kPreempted = static_cast<std::uint32_t>(PacketFate::Preempted);
  static constexpr auto kLost = static_cast<std::uint32_t>(PacketFate::Lost);
  static constexpr auto kFaulted = static_cast<std::uint32_t>(PacketFate::Faulted);
};

TEST_F(FaultRecoveryTest, EndsThePacketPutsItsDeviceInErrorAndResetsTheEngine) {
  with_contexts([&](VidSchWorker& vidsch, World&) {
    enqueue(vidsch, {0});
    driver.last_aborted = fence(0);
    report(vidsch, page_fault(fence(0)));
    EXPECT_EQ(vidsch.packets().size(), 0u);
    EXPECT_TRUE(vidsch.in_error({0}));
    EXPECT_FALSE(vidsch.in_error({1}));
    EXPECT_FALSE(vidsch.recovering());
    EXPECT_FALSE(vidsch.adapter_reset_due());
  });

  EXPECT_EQ(driver.calls, (Calls{"SubmitCommandVirtual", "ResetEngine"}));
  EXPECT_EQ(fates(), std::vector<std::uint32_t>{kFaulted});
  const auto failed = seen<ev::DeviceInError>();
  ASSERT_EQ(failed.size(), 1u);
  EXPECT_EQ(failed[0].device, 0u);
  EXPECT_EQ(failed[0].cause, 0u);
}

TEST_F(FaultRecoveryTest, PacketsOfOthersAreSubmittedAgainAfterTheReset) {
  with_contexts([&](VidSchWorker& vidsch, World&) {
    enqueue(vidsch, {0});
    enqueue(vidsch, {1});
    driver.last_aborted = fence(0);
    report(vidsch, page_fault(fence(0)));
    ASSERT_EQ(seen<ev::Submitted>().size(), 3u);
    report(vidsch, completed(fence(2)));
    EXPECT_EQ(vidsch.packets().size(), 0u);
  });

  const auto submitted = seen<ev::Submitted>();
  EXPECT_EQ(submitted[2].packet, submitted[1].packet);
  EXPECT_NE(submitted[2].fence, submitted[1].fence);
  EXPECT_EQ(fates(), (std::vector<std::uint32_t>{kFaulted, kPreempted, kCompleted}));
}

TEST_F(FaultRecoveryTest, OtherPacketsOfTheDeviceAreDropped) {
  with_contexts([&](VidSchWorker& vidsch, World&) {
    for (int i = 0; i < 3; ++i) enqueue(vidsch, {0});
    driver.last_aborted = fence(0);
    report(vidsch, page_fault(fence(0)));
    EXPECT_EQ(vidsch.packets().size(), 0u);
  });

  EXPECT_EQ(fates(), (std::vector<std::uint32_t>{kFaulted, kLost, kLost}));
  EXPECT_EQ(times("SubmitCommandVirtual"), 2) << "two were queued";
}

TEST_F(FaultRecoveryTest, NothingIsSubmittedUntilTheEngineIsReset) {
  std::ptrdiff_t before = 0;
  with_contexts([&](VidSchWorker& vidsch, World&) {
    enqueue(vidsch, {0});
    for (int i = 0; i < 3; ++i) enqueue(vidsch, {1});
    driver.last_aborted = fence(0);
    driver.on_reset_engine = [&] { before = times("SubmitCommandVirtual"); };
    report(vidsch, page_fault(fence(0)));
  });
  EXPECT_EQ(before, 2);
  EXPECT_EQ(times("SubmitCommandVirtual"), 4);
}

// Such as one whose own thread runs what engines do.
TEST_F(FaultRecoveryTest, DriverMayWaitInTheReset) {
  with_contexts([&](VidSchWorker& vidsch, World&) {
    enqueue(vidsch, {0});
    driver.last_aborted = fence(0);
    driver.on_reset_engine = [] {
      LARGE_INTEGER delay{};  // longer than anybody waits who only lets things settle
      delay.QuadPart = -20'000'000;
      KeDelayExecutionThread(KernelMode, FALSE, &delay);
    };
    report(vidsch, page_fault(fence(0)));
    EXPECT_TRUE(vidsch.recovering());
    EXPECT_TRUE(vidsch.await_engine_reset());
    EXPECT_FALSE(vidsch.recovering());
    EXPECT_FALSE(vidsch.await_engine_reset());
    EXPECT_EQ(times("ResetEngine"), 1) << "it has returned";
  });
}

TEST_F(FaultRecoveryTest, PacketThatTheResetAbortsTakesItsDeviceWithIt) {
  with_contexts([&](VidSchWorker& vidsch, World&) {
    enqueue(vidsch, {0});
    enqueue(vidsch, {1});
    driver.last_aborted = fence(1);
    report(vidsch, page_fault(fence(0)));
    EXPECT_TRUE(vidsch.in_error({1}));
  });
  EXPECT_EQ(fates(), (std::vector<std::uint32_t>{kFaulted, kLost}));
}

TEST_F(FaultRecoveryTest, AdapterIsResetOnlyWhereTheEngineCannotBe) {
  with_contexts([&](VidSchWorker& vidsch, World&) {
    enqueue(vidsch, {0});
    enqueue(vidsch, {1});
    driver.answers[DdiId::ResetEngine] = STATUS_UNSUCCESSFUL;
    report(vidsch, page_fault(fence(0)));
    EXPECT_TRUE(vidsch.adapter_reset_due());
    EXPECT_TRUE(vidsch.in_error({1}));
  });

  const auto failed = seen<ev::DeviceInError>();
  ASSERT_EQ(failed.size(), 2u);
  EXPECT_EQ(failed[1].cause, 1u);
  EXPECT_EQ(times("ResetEngine"), 1);
  EXPECT_EQ(times("SubmitCommandVirtual"), 2) << "nothing goes on before the reset";
}

TEST_F(FaultRecoveryTest, EngineResetThatNamesAnImpossibleFenceHasFailed) {
  with_contexts([&](VidSchWorker& vidsch, World&) {
    enqueue(vidsch, {0});
    driver.last_aborted = fence(0) + 7;
    report(vidsch, page_fault(fence(0)));
    EXPECT_TRUE(vidsch.adapter_reset_due());
  });
  EXPECT_EQ(seen<ev::ReportJudged>().back().outcome,
            static_cast<std::uint32_t>(vidsch::ReportOutcome::AbortedOutOfRange));
}

TEST_F(FaultRecoveryTest, DriverWithoutEngineResetsIsNotAskedForOne) {
  driver.caps.SupportPerEngineTDR = FALSE;
  with_contexts([&](VidSchWorker& vidsch, World&) {
    enqueue(vidsch, {0});
    report(vidsch, page_fault(fence(0)));
    EXPECT_TRUE(vidsch.adapter_reset_due());
  });
  EXPECT_EQ(times("ResetEngine"), 0);
}

TEST_F(FaultRecoveryTest, ResetOfTheAdapterIsMadeByThePlayerAndEndsItsWork) {
  driver.caps.SupportPerEngineTDR = FALSE;
  on_machine([&](World& world) {
    ScenarioRun run(world);
    ASSERT_TRUE(run.ensure_running());
    ASSERT_TRUE(world.objects.contexts().create({0}, {0}, {}));
    driver.calls.clear();
    enqueue(world.vidsch, {0});
    report(world.vidsch, page_fault(seen<ev::Submitted>().back().fence));
    run.idle();
    EXPECT_FALSE(run.running_or_skip({.kind = OpKind::Render}));
    EXPECT_EQ(texts<ev::OpSkipped>().back(), "the adapter was reset after a page fault");
    EXPECT_TRUE(world.objects.context({0}).live) << "until the op is over";
    run.go_on_after_reset();
    EXPECT_TRUE(run.running_or_skip({.kind = OpKind::Render}));
    EXPECT_FALSE(world.objects.context({0}).live);
    EXPECT_TRUE(run.lost_objects());
  });
  EXPECT_EQ(times("SubmitCommandVirtual"), 1);
  EXPECT_EQ(times("ResetFromTimeout"), 1);
  EXPECT_EQ(times("RestartFromTimeout"), 1);
  EXPECT_TRUE(seen<ev::Stuck>().empty());
}

TEST_F(FaultRecoveryTest, NothingGoesOnWhereWindowsWouldStop) {
  on_machine([&](World& world) {
    ScenarioRun run(world);
    ASSERT_TRUE(run.ensure_running());
    ASSERT_TRUE(world.objects.contexts().create({0}, {0}, {}));
    enqueue(world.vidsch, {0});
    DXGKARGCB_NOTIFY_INTERRUPT_DATA fatal = page_fault(seen<ev::Submitted>().back().fence);
    fatal.DmaPageFaulted.PageFaultFlags = DXGK_PAGE_FAULT_FATAL_HARDWARE_ERROR;
    report(world.vidsch, fatal);
    run.idle();
    run.go_on_after_reset();
    EXPECT_FALSE(run.running_or_skip({.kind = OpKind::Render}));
  });
  EXPECT_EQ(times("ResetFromTimeout"), 1);
}

TEST_F(FaultRecoveryTest, ReportOfNoOutstandingFenceChangesNothing) {
  with_contexts([&](VidSchWorker& vidsch, World&) {
    enqueue(vidsch, {0});
    report(vidsch, page_fault(fence(0) + 7));
    report(vidsch, page_fault(fence(0), 3));  // no such node
    EXPECT_EQ(vidsch.packets().size(), 1u);
    EXPECT_FALSE(vidsch.in_error({0}));
  });
  EXPECT_EQ(times("ResetEngine"), 0);
  for (const ev::ReportJudged& judged : seen<ev::ReportJudged>()) EXPECT_NE(judged.outcome, 0u);
  for (const ev::PageFaultReported& said : seen<ev::PageFaultReported>()) {
    EXPECT_EQ(said.packet, kNone);
  }
}

TEST_F(FaultRecoveryTest, SecondReportOfTheSameFaultChangesNothing) {
  with_contexts([&](VidSchWorker& vidsch, World&) {
    enqueue(vidsch, {0});
    driver.last_aborted = fence(0);
    vidsch.notified(page_fault(fence(0)));
    report(vidsch, page_fault(fence(0)));
  });
  EXPECT_EQ(times("ResetEngine"), 1);
  EXPECT_EQ(fates(), std::vector<std::uint32_t>{kFaulted});
}

TEST_F(FaultRecoveryTest, HandleIsThePacketsProcessOrAnothersOrNobodys) {
  with_contexts([&](VidSchWorker& vidsch, World&) {
    enqueue(vidsch, {1});
    auto said = page_fault(fence(0));
    vidsch.notified(said);
    said.DmaPageFaulted.FaultedProcessHandle = Processes::os_handle({1});
    vidsch.notified(said);
    said.DmaPageFaulted.FaultedProcessHandle = Processes::os_handle({0});
    vidsch.notified(said);
    said.DmaPageFaulted.FaultedProcessHandle = Processes::os_handle({7});  // does not live
    vidsch.notified(said);
  });
  std::vector<FaultHandle> handles;
  for (const ev::PageFaultReported& one : seen<ev::PageFaultReported>()) {
    handles.push_back(static_cast<FaultHandle>(one.handle));
  }
  EXPECT_EQ(handles, (std::vector<FaultHandle>{FaultHandle::Null, FaultHandle::OfPacket,
                                               FaultHandle::OfOther, FaultHandle::Unknown}));
}

TEST_F(FaultRecoveryTest, UnknownPacketIsThatOfTheReset) {
  with_contexts([&](VidSchWorker& vidsch, World&) {
    enqueue(vidsch, {0});
    driver.last_aborted = fence(0);
    auto said = page_fault(0);
    said.DmaPageFaulted.PageFaultFlags = static_cast<DXGK_PAGE_FAULT_FLAGS>(
        DXGK_PAGE_FAULT_FENCE_INVALID | DXGK_PAGE_FAULT_ENGINE_RESET_REQUIRED);
    report(vidsch, said);
    EXPECT_EQ(vidsch.packets().size(), 0u);
    EXPECT_TRUE(vidsch.in_error({0}));
    EXPECT_FALSE(vidsch.in_error({1}));
  });
  EXPECT_EQ(fates(), std::vector<std::uint32_t>{kLost});
}

TEST_F(FaultRecoveryTest, DeviceOfTheNextOfItsSlotIsAnother) {
  with_contexts([&](VidSchWorker& vidsch, World&) {
    enqueue(vidsch, {1});
    driver.last_aborted = fence(0);
    report(vidsch, page_fault(fence(0)));
    EXPECT_TRUE(vidsch.in_error({1}));
    vidsch.forget_device(kOther);
    EXPECT_FALSE(vidsch.in_error({1}));
  });
}

TEST_F(FaultRecoveryTest, LogOfTheDeviceNamesThePacketThatIsOutstanding) {
  with_contexts([&](VidSchWorker& vidsch, World&) {
    enqueue(vidsch, {0});
    WddmDeviceEvent record{};
    record.address = 0x1234;
    record.tag = fence(0);
    record.level = 1;
    record.write = 1;
    note_page_fault(record, 0);
    ++record.tag;
    note_page_fault(record, 0);
  });
  const auto faults = seen<ev::AccessFaulted>();
  ASSERT_EQ(faults.size(), 2u);
  EXPECT_EQ(faults[0].packet, seen<ev::Submitted>().at(0).packet);
  EXPECT_EQ(faults[0].address, 0x1234u);
  EXPECT_EQ(faults[0].level, 1u);
  EXPECT_EQ(faults[0].write, 1u);
  EXPECT_EQ(faults[1].packet, kNone);
}

}  // namespace
}  // namespace wddm::host
