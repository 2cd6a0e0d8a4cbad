// What is taken out of memory beside packets.
#include "conformance/rules/tests/paging_test.h"

namespace wddm::res_003 {
namespace {

constexpr std::uint32_t kUnmap = DXGK_OPERATION_UNMAP_APERTURE_SEGMENT;

class Res003 : public PagingTest {
 protected:
  Res003() { add(ev::RenderCalled{.render = 7}, std::vector<AllocationRecord>{{.allocation = 3}}); }
  void draws() { add(ev::Submitted{.packet = 9, .render = 7, .context = 1}); }
  void ends() { add(ev::PacketEnded{.packet = 9}); }
  void pages() { add(ev::Submitted{.packet = 2, .context = kNone, .paging = 1}); }
  // Its buffer was built, and its last packet has ended.
  void takes_out(std::uint32_t allocation, std::uint32_t operation = DXGK_OPERATION_TRANSFER,
                 std::uint32_t destination = 0) {
    built(operation, {.destination_segment = destination}, {.allocation = allocation});
    add(ev::PagingDone{.operation = operation, .allocation = allocation, .packet = 2});
  }
  bool holds() { return TraceTest::holds("RES-003"); }
  std::uint32_t reached() { return times_reached("RES-003"); }
};

TEST_F(Res003, AfterThePacket) {
  draws();
  ends();
  pages();
  takes_out(3);
  EXPECT_TRUE(holds());
  EXPECT_EQ(reached(), 1u);
}

TEST_F(Res003, BesideIt) {
  draws();
  pages();
  takes_out(3);
  EXPECT_FALSE(holds());
}

TEST_F(Res003, BesideAPacketWhoseEntryTheDriverHasEmptied) {
  add(ev::ListAltered{.render = 7, .emptied = 1},
      std::vector<AllocationRecord>{{.allocation = kNone}});
  draws();
  pages();
  takes_out(3);
  EXPECT_TRUE(holds());
}

TEST_F(Res003, BesideAPacketOfSeveralPasses) {
  add(ev::ListAltered{.render = 7, .emptied = 1},
      std::vector<AllocationRecord>{{.allocation = kNone}});
  add(ev::RenderCalled{.render = 7, .pass = 1}, std::vector<AllocationRecord>{{.allocation = 3}});
  draws();
  pages();
  takes_out(3);
  EXPECT_TRUE(holds());
}

TEST_F(Res003, BesideAPacketOfWhichAnotherEntryWasEmptied) {
  add(ev::ListAltered{.render = 7, .emptied = 1},
      std::vector<AllocationRecord>{{.allocation = 3}, {.allocation = kNone}});
  draws();
  pages();
  takes_out(3);
  EXPECT_FALSE(holds());
}

TEST_F(Res003, FromAnAperture) {
  draws();
  pages();
  takes_out(3, kUnmap, 2);
  EXPECT_FALSE(holds());
}

TEST_F(Res003, OneOfSeveralInAPacketOfPaging) {
  draws();
  pages();
  takes_out(3);
  takes_out(4);
  EXPECT_FALSE(holds());
}

TEST_F(Res003, AnotherAllocation) {
  draws();
  pages();
  takes_out(4);
  EXPECT_TRUE(holds());
  EXPECT_EQ(reached(), 1u);
}

TEST_F(Res003, WhatComesInTakesNothingOut) {
  draws();
  pages();
  takes_out(3, DXGK_OPERATION_TRANSFER, 1);
  EXPECT_TRUE(holds());
  EXPECT_EQ(reached(), 0u);
}

}  // namespace
}  // namespace wddm::res_003
