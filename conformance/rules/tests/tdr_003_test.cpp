// What is built between a reset of the adapter and its restart.
#include <d3dkmddi.h>

#include "conformance/rules/tests/trace_test.h"

namespace wddm::tdr_003 {
namespace {

class Tdr003 : public TraceTest {
 protected:
  void built(std::uint32_t status, std::uint32_t registers,
             std::uint32_t operation = DXGK_OPERATION_TRANSFER) {
    add(ev::CleanUpBuilt{.operation = operation, .status = status, .registers = registers});
  }
  bool holds() { return TraceTest::holds("TDR-003"); }
};

TEST_F(Tdr003, ItSucceedsWithoutTheGpu) {
  built(0, 0);
  EXPECT_TRUE(holds());
  EXPECT_EQ(times_reached("TDR-003"), 1u);
}

TEST_F(Tdr003, ItWantsMoreRoom) {
  built(0xC01E0001, 0);
  EXPECT_FALSE(holds());
}

TEST_F(Tdr003, ItLooksAtRegisters) {
  built(0, 3);
  EXPECT_FALSE(holds());
}

TEST_F(Tdr003, AnApertureMayBeUnmappedByRegisters) {
  built(0, 3, DXGK_OPERATION_UNMAP_APERTURE_SEGMENT);
  EXPECT_TRUE(holds());
}

}  // namespace
}  // namespace wddm::tdr_003
