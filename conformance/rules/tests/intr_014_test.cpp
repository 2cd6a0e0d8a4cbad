// When retraces are missing that were enabled.
#include <d3dkmddi.h>

#include "conformance/rules/tests/trace_test.h"

namespace wddm::intr_014 {
namespace {

class Intr014 : public TraceTest {
 protected:
  Intr014() : TraceTest(1024) {}

  void control(bool enable, std::uint32_t form = 1, NTSTATUS status = STATUS_SUCCESS) {
    op(OpKind::Requery);
    const std::uint32_t enables = form == 2 ? DXGK_VSYNC_ENABLE : 1;
    const std::uint32_t disables = form == 2 ? DXGK_VSYNC_DISABLE_NO_PHASE : 0;
    add(ev::InterruptControlled{.type = DXGK_INTERRUPT_CRTC_VSYNC,
                                .form = form,
                                .state = enable ? enables : disables,
                                .status = static_cast<std::uint32_t>(status)});
  }
  void reports(std::uint32_t type) { add(ev::Notified{.type = type}); }
  /// Packets that take ten units each, with a retrace or without.
  void packets(int count, bool with_retrace, OpKind in = OpKind::Advance) {
    for (int packet = 0; packet < count; ++packet) {
      op(OpKind::Render);
      op(in);
      add(ev::GpuAdvanced{.units = 10, .used = 10});
      reports(DXGK_INTERRUPT_DMA_COMPLETED);
      if (with_retrace) reports(DXGK_INTERRUPT_CRTC_VSYNC);
    }
  }
  void is_known() {
    control(true);
    packets(5, true);
  }
  bool holds() { return TraceTest::holds("INTR-014"); }
  std::uint32_t reached() { return times_reached("INTR-014"); }
};

TEST_F(Intr014, GoOnBehindAReset) {
  is_known();
  add(ev::EngineReset{.cause = 1});
  packets(1, true);
  add(ev::AdapterReset{.stage = 0, .cause = 1});
  add(ev::AdapterReset{.stage = 1, .cause = 1});
  packets(1, true);
  EXPECT_TRUE(holds());
  EXPECT_EQ(reached(), 2u);
}

TEST_F(Intr014, MissingBehindTheResetOfAnEngine) {
  is_known();
  add(ev::EngineReset{.cause = 1});
  packets(4, false);
  EXPECT_TRUE(holds()) << "one may be to come";
  packets(2, false);
  EXPECT_FALSE(holds());
}

TEST_F(Intr014, MissingBehindARestart) {
  is_known();
  add(ev::AdapterReset{.stage = 0, .cause = 1});
  add(ev::AdapterReset{.stage = 1, .cause = 1});
  packets(8, false);
  EXPECT_EQ(failures("INTR-014"), 1u);
}

TEST_F(Intr014, MissingBehindALossOfPower) {
  is_known();
  add(ev::PowerChanged{.state = 4});
  add(ev::PowerChanged{.state = 1});
  packets(8, false);
  EXPECT_FALSE(holds());
}

TEST_F(Intr014, EnabledAgainByTheNewerForm) {
  is_known();
  control(false, 2);
  packets(8, false);
  EXPECT_TRUE(holds());
  control(true, 2);
  packets(8, false);
  EXPECT_FALSE(holds());
}

TEST_F(Intr014, NothingIsWantedOfOneThatFailed) {
  is_known();
  control(false);
  control(true, 1, STATUS_NOT_IMPLEMENTED);
  packets(20, false);
  EXPECT_TRUE(holds());
}

TEST_F(Intr014, NothingIsKnownWithoutRetracesBefore) {
  control(true);
  packets(20, false);
  add(ev::EngineReset{.cause = 1});
  packets(20, false);
  EXPECT_TRUE(holds());
  EXPECT_EQ(reached(), 0u);
}

// How long it takes to the next retrace nobody has counted.
TEST_F(Intr014, RetracesOfTimeThatIsNotCounted) {
  control(true);
  packets(5, true, OpKind::Idle);
  add(ev::EngineReset{.cause = 1});
  packets(20, false);
  EXPECT_TRUE(holds());
}

// A display has its own pace, whatever packets come to.
TEST_F(Intr014, RetracesThatAreFarApart) {
  control(true);
  for (int retrace = 0; retrace < 5; ++retrace) {
    packets(9, false);
    packets(1, true);
  }
  add(ev::EngineReset{.cause = 1});
  packets(39, false);
  packets(1, true);
  EXPECT_TRUE(holds());
}

TEST_F(Intr014, AnotherStart) {
  is_known();
  add(ev::MappingBalance{});
  control(true);
  packets(20, false);
  EXPECT_TRUE(holds());
}

TEST_F(Intr014, WorkThatWasStuck) {
  is_known();
  add(ev::AdapterReset{.stage = 0, .cause = 2});
  packets(20, false);
  EXPECT_TRUE(holds());
}

}  // namespace
}  // namespace wddm::intr_014
