// Copies behind an update of their source.
#include "conformance/rules/tests/trace_test.h"

namespace wddm::pt_018 {
namespace {

class Pt018 : public TraceTest {
 protected:
  void copied(std::uint32_t unlike, std::uint32_t late, std::uint32_t range = 0,
              std::uint32_t ranges = 1) {
    add(ev::EntriesCopied{
        .count = 4, .read = 4, .unlike = unlike, .late = late, .range = range, .ranges = ranges});
  }
};

TEST_F(Pt018, AsWhenItIsExecuted) {
  copied(0, 1);
  EXPECT_TRUE(holds("PT-018"));
  EXPECT_EQ(times_reached("PT-018"), 1u);
}

TEST_F(Pt018, AsWhenItWasBuilt) {
  copied(1, 1);
  EXPECT_FALSE(holds("PT-018"));
}

TEST_F(Pt018, InAnyRangeOfTheCall) {
  copied(0, 0, 0, 2);
  copied(1, 1, 1, 2);
  EXPECT_FALSE(holds("PT-018"));
}

TEST_F(Pt018, MoreThanThatIsAnothersMatter) {
  copied(3, 1);
  EXPECT_TRUE(holds("PT-018"));
}

TEST_F(Pt018, WithoutSuchAnUpdateThereIsNothingToTell) {
  copied(1, 0);
  EXPECT_TRUE(holds("PT-018"));
  EXPECT_EQ(times_reached("PT-018"), 0u);
}

TEST_F(Pt018, ARootThatIsResizedAloneHasSuchUpdates) {
  Platform platform;
  platform.started = platform.gpu_mmu = platform.has_entry_decoder = true;
  platform.update_mode = update_mode::kGpuVirtual;
  platform.page_table_levels = 2;
  EXPECT_EQ(find_rule("PT-018")->applies(platform), nullptr);
  platform.page_table_levels = 4;
  EXPECT_NE(find_rule("PT-018")->applies(platform), nullptr);
  EXPECT_EQ(find_rule("PT-017")->applies(platform), nullptr);
  platform.update_mode = update_mode::kCpuVirtual;
  EXPECT_NE(find_rule("PT-017")->applies(platform), nullptr);
}

}  // namespace
}  // namespace wddm::pt_018
