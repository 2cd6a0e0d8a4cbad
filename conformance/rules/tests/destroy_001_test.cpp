// When an allocation may be destroyed that commands use.
#include "conformance/rules/tests/trace_test.h"

namespace wddm::destroy_001 {
namespace {

class Destroy001 : public TraceTest {
 protected:
  void renders(std::uint32_t render, std::uint32_t allocation) {
    add(ev::RenderCalled{.render = render},
        std::vector<AllocationRecord>{{.allocation = allocation}});
  }
  void submits(std::uint32_t packet, std::uint32_t render) {
    add(ev::Submitted{.packet = packet, .render = render});
  }
  void ends(std::uint32_t packet) { add(ev::PacketEnded{.packet = packet}); }
  void destroys(std::uint32_t allocation) {
    add(ev::DdiEntered{.ddi = static_cast<std::uint32_t>(DdiId::DestroyAllocation),
                       .object = allocation});
  }
};

TEST_F(Destroy001, OnceAllHasEnded) {
  renders(0, 4);
  submits(1, 0);
  ends(1);
  destroys(4);
  EXPECT_TRUE(holds("DESTROY-001"));
  EXPECT_EQ(times_reached("DESTROY-001"), 1u);
}

TEST_F(Destroy001, WhileItRuns) {
  renders(0, 4);
  submits(1, 0);
  destroys(4);
  EXPECT_FALSE(holds("DESTROY-001"));
}

TEST_F(Destroy001, BeforeItRuns) {
  renders(0, 4);
  destroys(4);
  submits(1, 0);
  EXPECT_FALSE(holds("DESTROY-001"));
}

TEST_F(Destroy001, InACallForOthersToo) {
  renders(0, 4);
  submits(1, 0);
  const auto destroys = [&](std::uint32_t first, std::uint32_t count) {
    add(ev::DdiEntered{.ddi = static_cast<std::uint32_t>(DdiId::DestroyAllocation),
                       .object = first},
        std::vector{ddi_arguments::DestroyAllocation{.allocations = count}});
  };
  destroys(2, 2);
  EXPECT_TRUE(holds("DESTROY-001"));
  destroys(2, 3);
  EXPECT_FALSE(holds("DESTROY-001"));
}

TEST_F(Destroy001, WhileOthersRun) {
  renders(0, 4);
  submits(1, 0);
  ends(1);
  renders(1, 5);
  submits(2, 1);
  destroys(4);
  EXPECT_TRUE(holds("DESTROY-001"));
}

TEST_F(Destroy001, ASlotIsUsedAgain) {
  renders(0, 4);
  submits(1, 0);
  ends(1);
  destroys(4);
  renders(1, 4);
  submits(2, 1);
  EXPECT_TRUE(holds("DESTROY-001"));
}

TEST_F(Destroy001, ReportedWhileItIsTaken) {
  renders(0, 4);
  ends(1);
  submits(1, 0);
  destroys(4);
  EXPECT_TRUE(holds("DESTROY-001"));
}

TEST_F(Destroy001, AfterAResetNothingRuns) {
  renders(0, 4);
  submits(1, 0);
  add(ev::AdapterReset{});
  destroys(4);
  EXPECT_TRUE(holds("DESTROY-001"));
}

TEST_F(Destroy001, OfWhatNothingUsesNothingIsSaid) {
  destroys(4);
  EXPECT_EQ(times_reached("DESTROY-001"), 0u);
}

}  // namespace
}  // namespace wddm::destroy_001
