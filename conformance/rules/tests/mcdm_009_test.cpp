// Drivers that have no more than they must.
#include <d3dkmddi.h>

#include "conformance/rules/tests/trace_test.h"
#include "reference/trace/ddi.h"

namespace wddm::mcdm_009 {
namespace {

class Mcdm009 : public TraceTest {
 protected:
  void caps(bool flips = false, bool compute = true) {
    DXGK_DRIVERCAPS said{};
    said.MiscCaps.ComputeOnly = compute;
    said.FlipCaps.FlipOnVSyncMmIo = flips;
    add(ev::DeviceStarted{});
    answers(said);
  }
  void answers(const DXGK_DRIVERCAPS& said) { add(ev::CapsAnswered{}, std::vector{said}); }
  bool holds() { return TraceTest::holds("MCDM-009"); }
};

TEST_F(Mcdm009, ItRuns) {
  caps();
  add(ev::Running{});
  EXPECT_TRUE(holds());
  EXPECT_EQ(times_reached("MCDM-009"), 1u);
}

TEST_F(Mcdm009, ItIsStopped) {
  caps();
  add(ev::MappingBalance{});
  EXPECT_FALSE(holds());
}

TEST_F(Mcdm009, AskedAgainAndStoppedLongAfter) {
  caps();
  add(ev::Running{});
  DXGK_DRIVERCAPS said{};
  said.MiscCaps.ComputeOnly = 1;
  answers(said);
  add(ev::MappingBalance{});
  EXPECT_TRUE(holds());
}

TEST_F(Mcdm009, RefusedForSomethingElse) {
  caps();
  add(ev::StartRefused{});
  add(ev::MappingBalance{});
  EXPECT_TRUE(holds());
}

TEST_F(Mcdm009, OneThatSaysMoreIsNotMinimal) {
  caps(true);
  add(ev::MappingBalance{});
  EXPECT_EQ(times_reached("MCDM-009"), 0u);
}

TEST_F(Mcdm009, ACallOfWhatItDoesNotHave) {
  add(ev::DdiEntered{.ddi = static_cast<std::uint32_t>(DdiId::Escape)});
  EXPECT_TRUE(holds());
  platform_.absent_ddis.value.set(static_cast<std::size_t>(DdiId::Escape));
  EXPECT_FALSE(holds());
}

}  // namespace
}  // namespace wddm::mcdm_009
