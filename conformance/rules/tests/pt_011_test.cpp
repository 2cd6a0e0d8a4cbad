// Updates by the CPU, with a buffer and without.
#include "conformance/host/interposer.h"
#include "conformance/rules/tests/tables_test.h"

namespace wddm::pt_011 {
namespace {

class Pt011 : public TablesTest {
 protected:
  Pt011() { platform_.update_mode = update_mode::kCpuVirtual; }
  void answered(NTSTATUS status, std::uint32_t has_buffer = 0,
                std::uint32_t mode = update_mode::kCpuVirtual) {
    add(ev::TableUpdated{.count = 1,
                         .mode = mode,
                         .status = static_cast<std::uint32_t>(status),
                         .has_buffer = has_buffer});
  }
  void written(std::uint32_t wrong, std::uint32_t changed, std::uint32_t flags = kValid) {
    add(ev::TableUpdated{.count = 1, .changed = changed, .has_buffer = 1},
        std::vector<EntryRecord>{{.flags = flags}});
    const std::vector<EntryDifference> seen(wrong, {.expected = {.flags = flags}, .seen = {}});
    add(ev::TableCompared{.decoded = 1, .wrong = wrong}, seen);
  }
  bool holds() { return TraceTest::holds("PT-011"); }
};

TEST_F(Pt011, NoBufferIsNeeded) {
  answered(STATUS_SUCCESS);
  EXPECT_TRUE(holds());
  EXPECT_EQ(times_reached("PT-011"), 1u);
}

TEST_F(Pt011, MoreRoomIsAskedFor) {
  answered(STATUS_GRAPHICS_INSUFFICIENT_DMA_BUFFER);
  EXPECT_FALSE(holds());
}

TEST_F(Pt011, WhereThereIsABufferItMayBe) {
  answered(STATUS_GRAPHICS_INSUFFICIENT_DMA_BUFFER, 1);
  answered(STATUS_GRAPHICS_INSUFFICIENT_DMA_BUFFER, 0, update_mode::kGpuPhysical);
  EXPECT_TRUE(holds());
  EXPECT_EQ(times_reached("PT-011"), 0u);
}

TEST_F(Pt011, InTheTableWhenTheCallReturns) {
  written(0, 8);
  EXPECT_TRUE(holds());
  EXPECT_EQ(times_reached("PT-011"), 1u);
}

TEST_F(Pt011, NotYetInTheTable) {
  written(1, 0);
  EXPECT_FALSE(holds());
}

TEST_F(Pt011, OtherEntriesThanAskedForAreAnothersMatter) {
  written(1, 8);
  EXPECT_TRUE(holds());
}

TEST_F(Pt011, SoAreEntriesThatAreToBeInvalid) {
  written(1, 0, 0);
  EXPECT_TRUE(holds());
  EXPECT_EQ(times_reached("PT-011"), 0u);
}

}  // namespace
}  // namespace wddm::pt_011
