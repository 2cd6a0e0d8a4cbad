// Which processes a driver is told of, and when.
#include "conformance/host/adapter/objects/processes.h"

#include "conformance/host/tests/host_fixture.h"

namespace wddm::host {
namespace {

class ProcessesTest : public HostTest {
 protected:
  ProcessesTest() { driver.use_gpu_mmu(); }
  template <class Body>
  void when_running(Body body) {
    on_machine([&](World& world) {
      ASSERT_NO_FATAL_FAILURE(begin(world));
      body(world);
    });
  }
};

TEST_F(ProcessesTest, TheSystemProcessComesFirst) {
  when_running([](World&) {});
  ASSERT_EQ(driver.processes.size(), 2u);
  EXPECT_TRUE(driver.processes[0].Flags.SystemProcess);
  EXPECT_EQ(driver.processes[0].pProcessName, nullptr);
  EXPECT_FALSE(driver.processes[1].Flags.SystemProcess);
  EXPECT_EQ(driver.processes[1].ProcessNameLength, 12u);
  EXPECT_NE(driver.processes[0].hDxgkProcess, driver.processes[1].hDxgkProcess);
}

TEST_F(ProcessesTest, DevicesBelongToAProcess) {
  when_running([&](World& world) {
    EXPECT_EQ(driver.created_devices.at(0).hKmdProcess, world.processes.driver(kFirstProcess));
    EXPECT_FALSE(world.objects.create_device({5}, ProcessId{5})) << "there is no such process";
    ASSERT_TRUE(world.processes.create(ProcessId{5}));
    EXPECT_TRUE(world.objects.create_device({5}, ProcessId{5}));
    EXPECT_EQ(driver.created_devices.at(1).hKmdProcess, world.processes.driver(ProcessId{5}));
  });
}

TEST_F(ProcessesTest, TheSystemProcessEndsLast) {
  HANDLE system = nullptr;
  when_running([&](World& world) {
    system = world.processes.driver(kSystemProcess);
    world.processes.end();
    EXPECT_FALSE(world.processes.live(kFirstProcess));
  });
  ASSERT_EQ(driver.ended_processes.size(), 2u);
  EXPECT_EQ(driver.ended_processes[1], system);
}

TEST_F(ProcessesTest, AHandleThatAnotherProcessHasIsRecorded) {
  when_running([&](World& world) {
    --driver.next_process;
    ASSERT_TRUE(world.processes.create(ProcessId{5}));
  });
  const auto created = seen<ev::ProcessCreated>();
  ASSERT_EQ(created.size(), 3u);
  EXPECT_EQ(created[1].handle, 1u);
  EXPECT_EQ(created[2].handle, 2u);
  EXPECT_EQ(created[2].same_as, kFirstProcess.value);
}

TEST_F(ProcessesTest, AVirtualMachineHasAWorkerProcessInTheLastFreeNumber) {
  when_running([&](World& world) {
    ASSERT_TRUE(world.processes.create(ProcessId{kProcesses - 1}));
    const std::optional<ProcessId> worker = world.processes.create_machine_worker();
    ASSERT_TRUE(worker.has_value());
    EXPECT_EQ(worker->value, kProcesses - 2);
    EXPECT_TRUE(driver.processes.back().Flags.VirtualMachineWorkerProcess);
    EXPECT_FALSE(driver.processes.front().Flags.VirtualMachineWorkerProcess);
    world.processes.destroy(*worker);
    EXPECT_FALSE(world.processes.live(*worker));
  });
}

TEST_F(ProcessesTest, ARefusedProcessIsNotThere) {
  driver.answers[DdiId::CreateProcess] = STATUS_NO_MEMORY;
  on_machine([&](World& world) {
    ASSERT_TRUE(world.adapter.bring_up());
    world.processes.begin();
    EXPECT_FALSE(world.processes.live(kSystemProcess));
    world.processes.end();
  });
  EXPECT_TRUE(driver.ended_processes.empty());
}

}  // namespace
}  // namespace wddm::host
