// What a patched field must hold.
#include "conformance/sdk/client.h"
#include "conformance/rules/tests/trace_test.h"

namespace wddm {
namespace {

constexpr std::uint64_t kPlace = 0x12'0000'0000;  // beyond 32 bits

class Patch001 : public TraceTest {
 protected:
  // One element at PatchOffset 8 that leads 256 bytes into an allocation at kPlace.
  void patched(std::uint64_t address, std::uint32_t width, std::uint32_t hostile = 0) {
    add(ev::Rendered{.dma_used = 16, .hostile = hostile},
        std::vector<PatchRecord>{{.allocation_offset = 256, .patch_offset = 8}});
    add(ev::PatchAddresses{},
        std::vector<AllocationRecord>{
            {.address = kPlace, .size = 4096, .allocation = 0, .segment = 1}});
    add(ev::Patched{.end = 16, .count = 1});
    add(
        ev::Decoded{
            .end = 16, .count = 1, .stage = static_cast<std::uint32_t>(DmaStage::AfterPatch)},
        std::vector{command_with(address, width)});
  }
  bool holds() { return TraceTest::holds("PATCH-001"); }
};

TEST_F(Patch001, AFieldHoldsTheAddressPlusTheOffset) {
  patched(kPlace + 256, 8);
  EXPECT_TRUE(holds());
}

TEST_F(Patch001, AFieldWithoutTheOffsetIsWrong) {
  patched(kPlace, 8);
  EXPECT_FALSE(holds());
}

TEST_F(Patch001, OfAlteredCommandsNobodyKnowsTheForm) {
  patched(kPlace, 8, 1);
  EXPECT_TRUE(holds());
  EXPECT_EQ(times_reached("PATCH-001"), 0u);
}

TEST_F(Patch001, ANarrowFieldLeadsToTheWholeAddress) {
  patched(kPlace + 256, 4);
  EXPECT_TRUE(holds());
}

TEST_F(Patch001, ANarrowFieldThatLostTheUpperHalfIsWrong) {
  patched(256, 4);
  EXPECT_FALSE(holds());
}

}  // namespace
}  // namespace wddm
