// Packets of paging that end by a page fault.
#include <d3dkmddi.h>

#include "conformance/rules/tests/trace_test.h"

namespace wddm::mmu_019 {
namespace {

class Mmu019 : public TraceTest {
 protected:
  void submitted(std::uint32_t packet, std::uint32_t paging) {
    add(ev::Submitted{.packet = packet, .paging = paging});
  }
  void faulted(std::uint32_t packet) { add(ev::PageFaultReported{.packet = packet}); }
  void ended(std::uint32_t packet) { add(ev::PacketEnded{.packet = packet}); }
};

TEST_F(Mmu019, PagingThatEnds) {
  submitted(3, 1);
  ended(3);
  EXPECT_TRUE(holds("MMU-019"));
  EXPECT_EQ(times_reached("MMU-019"), 1u);
}

TEST_F(Mmu019, PagingThatFaults) {
  submitted(3, 1);
  faulted(3);
  ended(3);
  EXPECT_FALSE(holds("MMU-019"));
}

TEST_F(Mmu019, WhatIsNoFaultOfAPageBlamesNone) {
  submitted(3, 1);
  add(ev::PageFaultReported{.code = DXGK_GENERAL_ERROR_INVALID_INSTRUCTION, .packet = 3});
  EXPECT_EQ(seen_by("MMU-019"),
            "packet 3, of paging, is reported with DXGK_GENERAL_ERROR_INVALID_INSTRUCTION, and no "
            "address");
}

TEST_F(Mmu019, AClientMay) {
  submitted(3, 0);
  faulted(3);
  ended(3);
  EXPECT_TRUE(holds("MMU-019"));
  EXPECT_EQ(times_reached("MMU-019"), 0u);
}

// A report that names no packet accuses none.
TEST_F(Mmu019, NobodySaysWhose) {
  submitted(3, 1);
  faulted(kNone);
  EXPECT_TRUE(holds("MMU-019"));
}

}  // namespace
}  // namespace wddm::mmu_019
