// Nodes, engines and flags of reports.
#include <d3dkmddi.h>

#include "conformance/rules/tests/trace_test.h"

namespace wddm::intr_009 {
namespace {

class Intr009 : public TraceTest {
 protected:
  Intr009() {
    platform_.nodes = 2;
    platform_.interface_version = static_cast<std::uint32_t>(InterfaceVersion::Win8);
  }
  void reports(std::uint32_t node, std::uint32_t engine = 0, std::uint32_t flags = 0,
               std::uint32_t type = DXGK_INTERRUPT_DMA_COMPLETED) {
    add(ev::Notified{.type = type, .node = node, .engine = engine, .flags = flags});
  }
  bool holds() { return TraceTest::holds("INTR-009"); }
};

TEST_F(Intr009, TheLastNode) {
  reports(1);
  EXPECT_TRUE(holds());
  EXPECT_EQ(times_reached("INTR-009"), 1u);
}

TEST_F(Intr009, ANodeThatThereIsNot) {
  reports(2);
  EXPECT_FALSE(holds());
}

TEST_F(Intr009, AnAdapterThatIsNotLinkedHasOneEngine) {
  reports(0, 1);
  EXPECT_FALSE(holds());
}

TEST_F(Intr009, ALinkHasOneForEachGpu) {
  platform_.linked_adapters = 2;
  reports(0, 1);
  EXPECT_TRUE(holds());
  reports(0, 2);
  EXPECT_FALSE(holds());
}

TEST_F(Intr009, ReservedFlags) {
  reports(0, 0, 8);
  EXPECT_FALSE(holds());
}

TEST_F(Intr009, BeforeWindows8ThereAreNoFlags) {
  platform_.interface_version = static_cast<std::uint32_t>(InterfaceVersion::Win7);
  reports(0, 0, 8);
  EXPECT_TRUE(holds());
}

TEST_F(Intr009, OtherInterruptsNameNoNode) {
  reports(9, 9, 8, DXGK_INTERRUPT_CRTC_VSYNC);
  EXPECT_TRUE(holds());
  EXPECT_EQ(times_reached("INTR-009"), 0u);
}

}  // namespace
}  // namespace wddm::intr_009
