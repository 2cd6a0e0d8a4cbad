// Drivers that do what must follow an interrupt for some of its causes only: where another cause
// stands alone, the clause that says so fires in its own scenario.
#include <utility>

#include "conformance/harness/tests/replay_support.h"

namespace wddm::harness {
namespace {

class LoneInterrupts : public ReplayTest {};

// The DPC is queued by who handles engines, and a retrace is told behind them.
struct RetraceCountsOnEngines final : Interposer {
  void NotifyInterrupt(HANDLE adapter, const DXGKARGCB_NOTIFY_INTERRUPT_DATA* data) override {
    engines_told_ |= data->InterruptType != DXGK_INTERRUPT_CRTC_VSYNC;
    Interposer::NotifyInterrupt(adapter, data);
  }
  BOOLEAN QueueDpc(HANDLE adapter) override {
    const bool engines_told = std::exchange(engines_told_, false);
    return engines_told ? Interposer::QueueDpc(adapter) : TRUE;
  }
  bool engines_told_ = false;
};

TEST_F(LoneInterrupts, ARetraceAloneIsLeftWithoutADpc) {
  EXPECT_TRUE(fires<RetraceCountsOnEngines>("INTR-004", "VideoSources=1"));
  EXPECT_FALSE(fires<Interposer>("INTR-004", "VideoSources=1"));
}

// In the DPC the scheduler is told of what engines had to say.
struct RetraceTellsNoScheduler final : Interposer {
  void NotifyInterrupt(HANDLE adapter, const DXGKARGCB_NOTIFY_INTERRUPT_DATA* data) override {
    engines_told_ |= data->InterruptType != DXGK_INTERRUPT_CRTC_VSYNC;
    Interposer::NotifyInterrupt(adapter, data);
  }
  void NotifyDpc(HANDLE adapter) override {
    if (std::exchange(engines_told_, false)) Interposer::NotifyDpc(adapter);
  }
  bool engines_told_ = false;
};

TEST_F(LoneInterrupts, TheDpcOfARetraceAloneTellsNobody) {
  EXPECT_TRUE(fires<RetraceTellsNoScheduler>("INTR-005", "VideoSources=1"));
  EXPECT_FALSE(fires<Interposer>("INTR-005", "VideoSources=1"));
}

}  // namespace
}  // namespace wddm::harness
