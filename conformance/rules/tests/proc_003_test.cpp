// Whose faults, walks and ranges are a driver's that reserved some.
#include "conformance/rules/tests/trace_test.h"

namespace wddm::proc_003 {
namespace {

constexpr std::uint64_t kReserved = 0x400000, kCovered = 0x200000;
constexpr std::uint32_t kUseIoMmu = 1u << 2;  // of DXGK_CONTEXTINFO_CAPS

class Proc003 : public TraceTest {
 protected:
  Proc003() {
    add(ev::GpuMmuReported{.levels = 2});
    for (const std::uint32_t level : {0u, 1u}) {
      add(ev::PageTableLevelReported{.level = level, .index_bits = 9});
    }
    add(ev::RootSet{.context = 1, .process = 1});
    add(ev::RootSet{.context = 2, .process = 2});
    add(ev::RangeReserved{.size = kCovered, .start = kReserved, .process = 1});
  }
  void reset(std::uint32_t process) {
    add(ev::TableUpdated{.first_va = kReserved, .process = process, .level = 1, .count = 1},
        std::vector<EntryRecord>{{}});
  }
  void submits(std::uint32_t packet, std::uint32_t context) {
    add(ev::Submitted{.packet = packet, .context = context});
  }
  void faults(std::uint32_t packet) {
    add(ev::AccessFaulted{.address = kReserved + 0x1000, .packet = packet});
  }
  void walked() { add(ev::WalksJudged{.walks = 4, .reserved = 2}); }
  void calls(DdiId ddi, std::uint32_t object) {
    add(ev::DdiEntered{.ddi = static_cast<std::uint32_t>(ddi), .object = object});
  }
};

TEST_F(Proc003, AFaultOfItsOwnProcess) {
  submits(5, 1);
  faults(5);
  EXPECT_FALSE(holds("PROC-003"));
}

// Through an IOMMU as well, where the driver has led nobody to them.
TEST_F(Proc003, AFaultThroughTheIommu) {
  add(ev::ContextCreated{.context = 1, .caps = kUseIoMmu});
  submits(5, 1);
  faults(5);
  EXPECT_EQ(failures("PROC-003"), 1u);
}

// Right behind the range: what work of a process accesses there is nothing of the driver's.
TEST_F(Proc003, AFaultThroughTheIommuElsewhere) {
  add(ev::ContextCreated{.context = 1, .caps = kUseIoMmu});
  submits(5, 1);
  add(ev::AccessFaulted{.address = kReserved + kCovered, .packet = 5});
  EXPECT_TRUE(holds("PROC-003"));
  EXPECT_EQ(times_reached("PROC-003"), 0u);
}

TEST_F(Proc003, TheSameAddressOfAnotherProcess) {
  submits(5, 2);
  faults(5);
  EXPECT_TRUE(holds("PROC-003"));
  EXPECT_EQ(times_reached("PROC-003"), 0u);
}

TEST_F(Proc003, WalksAfterAReset) {
  reset(1);
  submits(5, 1);
  walked();
  EXPECT_EQ(times_reached("PROC-003"), 1u);
}

TEST_F(Proc003, WalksOfOthersAreNotJudged) {
  add(ev::RangeReserved{.size = kCovered, .start = kReserved, .process = 2});
  reset(1);
  submits(5, 2);
  add(ev::PacketEnded{.packet = 5});
  walked();
  EXPECT_EQ(times_reached("PROC-003"), 0u);
  submits(6, 1);
  walked();
  EXPECT_EQ(times_reached("PROC-003"), 1u);
}

TEST_F(Proc003, RangesGoWithTheirProcess) {
  calls(DdiId::DestroyProcess, 1);
  submits(5, 1);
  faults(5);
  EXPECT_TRUE(holds("PROC-003"));
}

TEST_F(Proc003, AndWithTheAdapter) {
  calls(DdiId::StartDevice, 0);
  submits(5, 1);
  faults(5);
  EXPECT_TRUE(holds("PROC-003"));
}

}  // namespace
}  // namespace wddm::proc_003
