// What a job waits for, and that a reset of the adapter ends each wait.
#include "conformance/host/vidmm/job_waits.h"

#include "conformance/host/tests/packets.h"
#include "conformance/host/tests/reports.h"
#include "conformance/host/tests/vidmm_fixture.h"

namespace wddm::host {
namespace {

class JobWaitsTest : public VidMmTest {
 protected:
  /// A running adapter with contexts 0 and 1, and a job that has begun.
  template <class Body>
  void with_job(Body body) {
    page_by_gpu();
    with({{kSlot, 1}, {kOtherSlot, 1}}, [&](World& world) {
      ASSERT_TRUE(world.objects.contexts().create({0}, {0}, {}));
      ASSERT_TRUE(world.objects.contexts().create({1}, {0}, {}));
      waits.emplace(world.vidsch);
      waits->begin_job();
      body(world);
    });
  }
  /// Lets a thread wait so; `over` tells whether it has gone on.
  void start(std::function<void()> wait) {
    over = false;
    wait_ = std::move(wait);
    nt::spawn_host_thread(
        "a job",
        [](void* context) {
          auto& test = *static_cast<JobWaitsTest*>(context);
          test.wait_();
          test.over = true;
        },
        this);
    nt::settle();
  }
  static void queue_paging(World& world, AllocationId id) {
    world.vidsch.enqueue(paging_buffer(operations_for(
        {world.objects, world.residency}, step(vidmm::StepKind::Fill, id, kLocal, id.value, 1), 0,
        world.memory.dummy_frame())[0]));
  }
  static void queue_render(World& world, ContextId context, AllocationId id, bool write) {
    auto buffer = dma_buffer(0, context);
    DXGK_ALLOCATIONLIST entry{};
    entry.WriteOperation = write;
    buffer->allocation_list = {entry};
    buffer->allocations = {id};
    std::vector<VidSchWorker::Portion> portions(1);
    portions[0].work.end = 64;
    portions[0].work.addresses = buffer->allocation_list;
    world.vidsch.enqueue(std::move(buffer), std::move(portions));
  }
  std::optional<JobWaits> waits;
  bool over = false;

 private:
  std::function<void()> wait_;
};

TEST_F(JobWaitsTest, WithoutPacketsNothingIsWaitedFor) {
  with_job([&](World&) {
    start([&] {
      waits->for_earlier_work();
      waits->for_room();
    });
    EXPECT_TRUE(over);
  });
}

TEST_F(JobWaitsTest, EarlierWorkIsAllPackets) {
  with_job([&](World& world) {
    queue_paging(world, kSlot);
    queue_paging(world, kOtherSlot);
    start([&] { waits->for_earlier_work(); });
    complete_packet(world.vidsch, driver);
    EXPECT_FALSE(over) << "one is left";
    complete_packet(world.vidsch, driver);
    EXPECT_TRUE(over);
  });
}

TEST_F(JobWaitsTest, PagingOfWhatABufferListsIsWaitedFor) {
  with_job([&](World& world) {
    queue_paging(world, kSlot);
    start([&] { waits->for_paging_of(*listed({0}, {{kOtherSlot, true}})); });
    EXPECT_TRUE(over) << "it lists something else";
    start([&] { waits->for_paging_of(*listed({0}, {{kSlot, false}})); });
    EXPECT_FALSE(over);
    complete_all(world.vidsch, driver);
    EXPECT_TRUE(over);
  });
}

TEST_F(JobWaitsTest, OtherContextsThatWriteTheSameMemoryAreWaitedFor) {
  with_job([&](World& world) {
    queue_render(world, {0}, kSlot, true);
    start([&] { waits->for_competitors_of(*listed({0}, {{kSlot, true}})); });
    EXPECT_TRUE(over) << "its own context";
    start([&] { waits->for_competitors_of(*listed({1}, {{kSlot, false}})); });
    EXPECT_FALSE(over);
    complete_all(world.vidsch, driver);
    EXPECT_TRUE(over);
  });
}

TEST_F(JobWaitsTest, FullQueueIsWaitedFor) {
  with_job([&](World& world) {
    while (world.vidsch.room() != 0) queue_paging(world, kSlot);
    start([&] { waits->for_room(); });
    EXPECT_FALSE(over);
    complete_packet(world.vidsch, driver);
    EXPECT_TRUE(over);
  });
}

TEST_F(JobWaitsTest, StoppedPacketsThatTheJobMayPassStayWhereTheyAre) {
  driver.caps.SchedulingCaps.MultiEngineAware = 1;
  driver.caps.SchedulingCaps.PreemptionAware = 1;
  with_job([&](World& world) {
    world.choices.keep_stopped = true;
    queue_render(world, {0}, kSlot, true);
    nt::settle();
    world.vidsch.preempt({});
    nt::settle();
    report(world.vidsch, preempted(driver.preempted.at(0).PreemptionFenceId, 0));
    const std::size_t submissions = driver.submitted.size();
    start([&] { waits->for_earlier_work(); });
    EXPECT_FALSE(over) << "this job may pass none";
    waits->abandon();
    world.vidsch.retired_event().set();
    nt::settle();

    waits->end_job();
    waits->begin_job([](const Packet& packet) { return packet.may_have_begun; });
    start([&] { waits->for_earlier_work(); });
    EXPECT_TRUE(over);
    const ProcessId process = world.objects.device({0}).process;
    EXPECT_TRUE(waits->has_passed_work_of(world.objects, process));
    EXPECT_FALSE(waits->has_passed_work_of(world.objects, {process.value + 1}));
    world.choices.keep_stopped = false;
    world.vidsch.look_again();
    nt::settle();
    EXPECT_EQ(driver.submitted.size(), submissions) << "the job has not ended";
    waits->end_job();
    nt::settle();
    EXPECT_EQ(driver.submitted.size(), submissions + 1);
    EXPECT_FALSE(waits->has_passed_work_of(world.objects, process)) << "it goes on";
    complete_all(world.vidsch, driver);
  });
}

TEST_F(JobWaitsTest, AbandonedJobWaitsNoMore) {
  with_job([&](World& world) {
    queue_paging(world, kSlot);
    start([&] { waits->for_earlier_work(); });
    waits->abandon();
    world.vidsch.retired_event().set();
    nt::settle();
    EXPECT_TRUE(over);
    EXPECT_TRUE(waits->abandoned());
  });
}

TEST_F(JobWaitsTest, OnlyAJobCanBeAbandonedAndTheNextOneIsNot) {
  with_job([&](World&) {
    waits->abandon();
    waits->end_job();
    waits->begin_job();
    EXPECT_FALSE(waits->abandoned());
    waits->end_job();
    waits->abandon();
    EXPECT_FALSE(waits->abandoned()) << "nothing was under way";
  });
}

}  // namespace
}  // namespace wddm::host
