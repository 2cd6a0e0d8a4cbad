// Allocations that devices of two processes have open, with GPU virtual addresses: as the trace has
// it.
#include <set>
#include <string>

#include "conformance/harness/tests/replay_support.h"

namespace wddm::harness {
namespace {

class SharedAddresses : public ReplayTest {
 protected:
  void play(const std::string& ops) {
    const std::string text = R"(
ops:
- configure: {setting: Addressing, value: 1}
- configure: {setting: PageTableLevels, value: 4}
- configure: {setting: PageTableUpdateMode, value: 2}
- create_device: {device: 1, process: 1}
- create_device: {device: 2, process: 2}
- create_context: {context: 1, device: 1}
- create_context: {context: 2, device: 2}
)" + ops;
    EXPECT_TRUE(run(scenario_of(text)).failures.empty());
  }
  // Those whose tables lead to allocation 1 by an update behind the last transfer of its contents.
  std::set<std::uint32_t> processes_led_there() const {
    std::set<std::uint32_t> found;
    const Trace& trace = replayer_.trace();
    for (const std::uint32_t index : trace.of_any<ev::PagingDone, ev::TableUpdated>()) {
      if (trace.events()[index].kind == EventKind::PagingDone) {
        const auto done = trace.at<ev::PagingDone>(index);
        if (done.operation == DXGK_OPERATION_VIRTUAL_TRANSFER) found.clear();
        continue;
      }
      const auto update = trace.at<ev::TableUpdated>(index);
      const auto entries = trace.blob<EntryRecord>(trace.events()[index]);
      const bool valid = !entries.empty() && (entries[0].flags & entry_flag::kValid) != 0;
      const bool of_client = update.process != kSystemProcessNumber;
      if (valid && of_client && update.allocation == 1) found.insert(update.process);
    }
    return found;
  }
};

// What context `number` adds to the first word of allocation 1.
std::string adds(int number) {
  return "- render: {context: " + std::to_string(number) + "}\n" + R"(
- bind: {slot: 1, allocation: 1}
- add: {slot: 1, offset: 0, value: 1}
- idle
)";
}

const std::string kSharedByTwo = R"(
- share
- create_allocation: {allocation: 1, place: local, device: 1}
- open_allocation: {allocation: 1, device: 2}
)";

TEST_F(SharedAddresses, BothProcessesFollowAMove) {
  play(kSharedByTwo + adds(1) + adds(2) + "- move: {allocation: 1}\n" + adds(2) + adds(1));
  EXPECT_TRUE(seen<ev::OpSkipped>().empty());
  EXPECT_TRUE(seen<ev::MemoryDiffers>().empty());
  EXPECT_EQ(processes_led_there(), (std::set<std::uint32_t>{1, 2}));
}

// It has its address before it is brought in, or gets it where it lies already.
TEST_F(SharedAddresses, WhatIsInMemoryIsMappedWhenItIsOpened) {
  play("- share\n- create_allocation: {allocation: 1, place: local, device: 1}\n" + adds(1) +
       "- open_allocation: {allocation: 1, device: 2}\n" + adds(2) + adds(1));
  EXPECT_TRUE(seen<ev::OpSkipped>().empty());
  EXPECT_TRUE(seen<ev::MemoryDiffers>().empty());
  EXPECT_TRUE(seen<ev::AccessFaulted>().empty());
}

TEST_F(SharedAddresses, WhatNobodyOpenedIsTheOthers) {
  play("- share\n- create_allocation: {allocation: 1, place: local, device: 1}\n" + adds(1) +
       adds(2));
  EXPECT_EQ(seen<ev::OpSkipped>().size(), 1u) << "the bind";
}

TEST_F(SharedAddresses, ItLivesOnWithoutTheProcessThatMadeIt) {
  play(kSharedByTwo + adds(1) + adds(2) + "- destroy_device: {device: 1}\n" + adds(2) +
       "- move: {allocation: 1}\n" + adds(2));
  EXPECT_TRUE(seen<ev::OpSkipped>().empty());
  EXPECT_TRUE(seen<ev::MemoryDiffers>().empty());
}

TEST_F(SharedAddresses, ItGoesFromBoth) {
  play(kSharedByTwo + adds(1) + adds(2) + "- destroy_allocation: {allocation: 1}\n- idle\n" +
       "- create_allocation: {allocation: 1, place: local, device: 2}\n" + adds(2));
  EXPECT_TRUE(seen<ev::OpSkipped>().empty());
  EXPECT_TRUE(seen<ev::MemoryDiffers>().empty());
}

}  // namespace
}  // namespace wddm::harness
