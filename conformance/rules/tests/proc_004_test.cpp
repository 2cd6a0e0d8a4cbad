// Tables of the paging process when power has come back.
#include "conformance/rules/tests/paging_test.h"

namespace wddm::proc_004 {
namespace {

constexpr std::uint32_t kInitialUpdate = 2, kD0 = 1, kD3 = 4;  // DEVICE_POWER_STATE
constexpr std::uint32_t kTransfer = DXGK_OPERATION_VIRTUAL_TRANSFER;

class Proc004 : public PagingTest {
 protected:
  void power(std::uint32_t state) { add(ev::PowerChanged{.state = state}); }
  void cycle() {
    power(kD3);
    power(kD0);
  }
  void table(std::uint32_t wrong, std::uint32_t status = 0,
             std::uint32_t process = kSystemProcessNumber) {
    add(ev::TableUpdated{.process = process, .count = 1, .flags = kInitialUpdate, .status = status},
        std::vector<EntryRecord>{{}});
    const std::vector<EntryDifference> seen(wrong);
    add(ev::TableCompared{.update = ordinal_++, .decoded = 1, .wrong = wrong}, seen);
  }
  void transfer(std::uint32_t packet, bool right) {
    built(kTransfer);
    done(kTransfer, packet);
    right ? checked(kTransfer, packet) : differs(kTransfer, packet);
  }
  bool holds() { return TraceTest::holds("PROC-004"); }
  std::uint32_t reached() { return times_reached("PROC-004"); }

 private:
  std::uint32_t ordinal_ = 0;
};

TEST_F(Proc004, WrittenAgain) {
  table(0);
  cycle();
  table(0);
  transfer(1, true);
  EXPECT_TRUE(holds());
  EXPECT_EQ(reached(), 2u);
}

TEST_F(Proc004, NotWritten) {
  cycle();
  table(1);
  EXPECT_FALSE(holds());
}

TEST_F(Proc004, Refused) {
  cycle();
  table(0, 0xC0000001);
  EXPECT_FALSE(holds());
}

TEST_F(Proc004, PagingWorksNoMore) {
  transfer(1, true);
  cycle();
  transfer(2, false);
  EXPECT_FALSE(holds());
}

TEST_F(Proc004, PagingThatNeverWorkedIsAnothersMatter) {
  transfer(1, false);
  cycle();
  transfer(2, false);
  EXPECT_TRUE(holds());
  EXPECT_EQ(reached(), 0u);
}

TEST_F(Proc004, SoIsWhatWasBeforeAndTheTablesOfOthers) {
  table(1);
  cycle();
  table(1, 0, 3);
  EXPECT_TRUE(holds());
  EXPECT_EQ(reached(), 0u);
}

}  // namespace
}  // namespace wddm::proc_004
