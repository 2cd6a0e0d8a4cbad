// Page faults from end to end: commands use an address that leads nowhere, the fault is taken to
// its end, and other processes go on.
#include <algorithm>
#include <string>

#include "conformance/harness/tests/replay_support.h"

namespace wddm::harness {
namespace {

class PageFault : public ReplayTest, public testing::WithParamInterface<Shape> {
 protected:
  static std::string with(const std::string& ops) {
    return std::string("ops:\n- configure: {setting: Addressing, value: 1}\n") +
           GetParam().settings + ops;
  }
  std::ptrdiff_t calls(DdiId ddi) const {
    const auto entered = seen<ev::DdiEntered>();
    return std::count_if(entered.begin(), entered.end(), [ddi](const ev::DdiEntered& call) {
      return call.ddi == static_cast<std::uint32_t>(ddi);
    });
  }
};

constexpr const char* kTwoProcesses = R"(
- create_context: {context: 1}
- create_device: {device: 1, process: 1}
- create_context: {context: 2, device: 1}
- create_allocation: {allocation: 1, place: local}
- create_allocation: {allocation: 2, device: 1, pages: 20, place: local}
- make_resident: {allocation: 1}
- make_resident: {allocation: 2}
- fill_memory: {allocation: 1, pattern: 0x11111111}
- free_address: {allocation: 1}
)";

TEST_P(PageFault, IsTakenToItsEndAndAnotherProcessGoesOn) {
  EXPECT_TRUE(run(scenario_of(with(std::string(kTwoProcesses) + R"(
- queue_depth: {packets: 2}
- render: {context: 1}
- bind: {slot: 1, allocation: 1}
- fill: {slot: 1, offset: 0, size: 64, value: 0x55667788}
- render: {context: 2}
- bind: {slot: 1, allocation: 2}
- fill: {slot: 1, offset: 0, size: 65536, value: 0x11223344}
- idle
- render: {context: 1}
- spin: {units: 1}
- render: {context: 2}
- bind: {slot: 1, allocation: 2}
- add: {slot: 1, offset: 4, value: 7}
- idle
- evict: {allocation: 2}
- make_resident: {allocation: 2}
- idle
)")))
                  .failures.empty());

  EXPECT_EQ(skipped(), std::vector<std::string>{"its device is in error"});
  EXPECT_EQ(seen<ev::Stuck>().size(), 0u);
  EXPECT_EQ(seen<ev::MemoryDiffers>().size(), 0u);
  const auto said = seen<ev::PageFaultReported>();
  ASSERT_EQ(said.size(), 1u);
  const auto logged = seen<ev::AccessFaulted>();
  ASSERT_EQ(logged.size(), 1u);
  EXPECT_EQ(said[0].address, logged[0].address);
  EXPECT_EQ(said[0].packet, logged[0].packet);
  const auto failed = seen<ev::DeviceInError>();
  ASSERT_EQ(failed.size(), 1u);
  EXPECT_EQ(failed[0].device, 0u);
  EXPECT_EQ(calls(DdiId::ResetEngine), 1);
  EXPECT_EQ(calls(DdiId::ResetFromTimeout), 0);
  const auto ends = fates();
  EXPECT_EQ(std::count(ends.begin(), ends.end(), PacketFate::Faulted), 1);
  EXPECT_EQ(std::count(ends.begin(), ends.end(), PacketFate::Completed), 2);
  EXPECT_EQ(std::count(ends.begin(), ends.end(), PacketFate::Lost), 0);
}

TEST_P(PageFault, WhatIsQueuedBehindItGoesWithItsDevice) {
  EXPECT_TRUE(run(scenario_of(with(std::string(kTwoProcesses) + R"(
- queue_depth: {packets: 2}
- render: {context: 1}
- bind: {slot: 1, allocation: 1}
- fill: {slot: 1, offset: 0, size: 64, value: 0x55667788}
- render: {context: 1}
- spin: {units: 5}
- render: {context: 1}
- spin: {units: 5}
- render: {context: 2}
- spin: {units: 5}
- idle
- evict: {allocation: 1}
- make_resident: {allocation: 1}
- idle
)")))
                  .failures.empty());

  EXPECT_EQ(seen<ev::Stuck>().size(), 0u);
  EXPECT_EQ(seen<ev::MemoryDiffers>().size(), 0u);
  const auto ends = fates();
  EXPECT_EQ(std::count(ends.begin(), ends.end(), PacketFate::Faulted), 1);
  EXPECT_EQ(std::count(ends.begin(), ends.end(), PacketFate::Completed), 1);
  EXPECT_EQ(seen<ev::PageFaultReported>().size(), 1u);
}

TEST_P(PageFault, AddressStaysFreeWhereverTheAllocationGoes) {
  EXPECT_TRUE(run(scenario_of(with(std::string(kTwoProcesses) + R"(
- evict: {allocation: 1}
- make_resident: {allocation: 1}
- move: {allocation: 1}
- idle
- free_address: {allocation: 1}
- render: {context: 1}
- bind: {slot: 1, allocation: 1}
- add: {slot: 1, offset: 0, value: 1}
- idle
)")))
                  .failures.empty());
  EXPECT_EQ(skipped(), std::vector<std::string>{"it has no address"});
  const auto said = seen<ev::PageFaultReported>();
  ASSERT_EQ(said.size(), 1u);
  EXPECT_EQ(seen<ev::MemoryDiffers>().size(), 0u);
}

class NoEngineReset final : public Interposer {
 public:
  NTSTATUS ResetEngine(HANDLE, DXGKARG_RESETENGINE*) override { return STATUS_UNSUCCESSFUL; }
};

// Behind the reset of the adapter the other process makes all that it had anew.
constexpr const char* kFaultsAndBeginsAnew = R"(
- render: {context: 1}
- bind: {slot: 1, allocation: 1}
- fill: {slot: 1, offset: 0, size: 64, value: 0x55667788}
- idle
- render: {context: 2}
- create_device: {device: 1, process: 1}
- create_context: {context: 2, device: 1}
- create_allocation: {allocation: 2, device: 1, pages: 20, place: local}
- make_resident: {allocation: 2}
- render: {context: 2}
- bind: {slot: 1, allocation: 2}
- fill: {slot: 1, offset: 0, size: 65536, value: 0x11223344}
- idle
- evict: {allocation: 2}
- make_resident: {allocation: 2}
- idle
- stop
- start
- create_context: {context: 1}
- render: {context: 1}
- spin: {units: 5}
- idle
)";

TEST_P(PageFault, AdapterIsResetWhereTheEngineCannotBe) {
  const Fault fault = fault_of<NoEngineReset>();
  static_cast<void>(
      run(scenario_of(with(std::string(kTwoProcesses) + kFaultsAndBeginsAnew)), &fault));
  EXPECT_EQ(calls(DdiId::ResetEngine), 1);
  EXPECT_EQ(calls(DdiId::ResetFromTimeout), 1);
  EXPECT_EQ(calls(DdiId::RestartFromTimeout), 1);
  EXPECT_EQ(seen<ev::Stuck>().size(), 0u);
  EXPECT_EQ(seen<ev::DeviceInError>().size(), 2u);
  EXPECT_EQ(seen<ev::MemoryDiffers>().size(), 0u);
  EXPECT_EQ(fates(), (std::vector<PacketFate>{PacketFate::Faulted, PacketFate::Completed,
                                              PacketFate::Completed}))
      << "who had work makes all anew, and works on";
  EXPECT_EQ(skipped(),
            std::vector<std::string>{
                "no such context: ResetEngine did not suffice, so the adapter was reset"});
}

// ... and gets nothing done.
class StaysDown final : public Interposer {
 public:
  NTSTATUS ResetEngine(HANDLE, DXGKARG_RESETENGINE*) override { return STATUS_UNSUCCESSFUL; }
  NTSTATUS RestartFromTimeout(HANDLE) override { return STATUS_SUCCESS; }
};

TEST_P(PageFault, WorkBehindTheResetOfTheAdapterIsJudged) {
  const Fault fault = fault_of<StaysDown>();
  EXPECT_TRUE(
      says(run(scenario_of(with(std::string(kTwoProcesses) + kFaultsAndBeginsAnew)), &fault),
           "TDR-004"));
}

INSTANTIATE_TEST_SUITE_P(
    Shapes, PageFault,
    testing::Values(Shape{"TwoLevels", ""},
                    Shape{"FourLevelsByPhysicalAddress",
                          "- configure: {setting: PageTableUpdateMode, value: 2}\n"
                          "- configure: {setting: PageTableLevels, value: 4}\n"}),
    [](const testing::TestParamInfo<Shape>& shape) { return std::string(shape.param.name); });

}  // namespace
}  // namespace wddm::harness
