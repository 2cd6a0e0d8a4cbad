// The number of nodes and what is answered of each.
#include <d3dkmddi.h>

#include "conformance/rules/tests/trace_test.h"

namespace wddm::caps_011 {
namespace {

constexpr std::uint32_t kRefused = 0xC000000D;

class Caps011 : public TraceTest {
 protected:
  Caps011() { platform_.scheduling.value = 1; }
  void reported(std::uint32_t nodes) { add(ev::CapsReported{.nodes = nodes}); }
  void node(std::uint32_t ordinal, std::uint32_t status = 0, std::uint32_t behind = 0) {
    add(ev::NodeAnswered{.ordinal = ordinal, .status = status, .behind = behind, .nodes = 2});
  }
  void pages_on(UINT node, UINT multi_engine_aware = 1) {
    DXGK_DRIVERCAPS caps{};
    caps.SchedulingCaps.MultiEngineAware = multi_engine_aware;
    caps.GpuEngineTopology.NbAsymetricProcessingNodes = 2;
    caps.MemoryManagementCaps.PagingNode = node;
    add(ev::CapsAnswered{}, std::vector{caps});
  }
  bool holds() { return TraceTest::holds("CAPS-011"); }
};

TEST_F(Caps011, EachNodeAndNoOther) {
  reported(2);
  node(0);
  node(1);
  node(2, kRefused);
  EXPECT_TRUE(holds());
  EXPECT_EQ(times_reached("CAPS-011"), 4u);
}

TEST_F(Caps011, TheNodeThatPagesIsThere) {
  pages_on(1);
  EXPECT_TRUE(holds());
  EXPECT_EQ(times_reached("CAPS-011"), 1u);
  pages_on(2);
  EXPECT_FALSE(holds());
}

TEST_F(Caps011, WithoutEnginesPagingNodeIsIgnored) {
  pages_on(2, 0);
  EXPECT_TRUE(holds());
}

TEST_F(Caps011, FromWddm2OnThePhysicalAdapterSaysIt) {
  platform_.interface_version = static_cast<std::uint32_t>(InterfaceVersion::Wddm2_0);
  pages_on(2);
  EXPECT_TRUE(holds());
}

TEST_F(Caps011, ANodeIsRefused) {
  node(1, kRefused);
  EXPECT_FALSE(holds());
}

TEST_F(Caps011, ANodeThatThereIsNotIsAnswered) {
  node(2);
  EXPECT_FALSE(holds());
}

TEST_F(Caps011, ANodeOfTheSecondGpuIsRefused) {
  platform_.linked_adapters = 2;
  node(0x10000);
  EXPECT_TRUE(holds());
  node(0x10001, kRefused);
  EXPECT_EQ(failures("CAPS-011"), 1u);
}

TEST_F(Caps011, WhichGpuIsMeantADriverOfOneNeedNotLook) {
  node(0x10000, kRefused);
  node(0x10001);
  EXPECT_TRUE(holds());
  node(0x10001, 0, 4);
  EXPECT_EQ(failures("CAPS-011"), 1u);
}

TEST_F(Caps011, ThereIsOneSuccess) {
  constexpr std::uint32_t kOtherSuccess = 1;
  node(1, kOtherSuccess);
  EXPECT_FALSE(holds());
}

TEST_F(Caps011, BytesBehindTheAnswer) {
  node(0, 0, 4);
  EXPECT_FALSE(holds());
}

TEST_F(Caps011, NumbersOfNodes) {
  reported(1);
  reported(64);
  EXPECT_TRUE(holds());
  reported(0);
  reported(65);
  EXPECT_EQ(failures("CAPS-011"), 2u);
}

TEST_F(Caps011, WithoutMultiEngineAwareTheNumberIsIgnored) {
  platform_.scheduling.value = 0;
  reported(0);
  EXPECT_TRUE(holds());
}

}  // namespace
}  // namespace wddm::caps_011
