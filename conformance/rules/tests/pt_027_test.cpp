// What packets show of an allocation of several processes whose contents have moved.
#include <d3dkmddi.h>

#include "conformance/rules/tests/trace_test.h"

namespace wddm::pt_027 {
namespace {

class Pt027 : public TraceTest {
 protected:
  Pt027() {
    add(ev::RootSet{.context = 1, .process = 0});
    add(ev::RootSet{.context = 2, .process = 1});
  }
  void maps(std::uint32_t process, std::uint32_t allocation, std::uint32_t refused = 0) {
    add(ev::AddressAnswered{.process = process,
                            .request = static_cast<std::uint32_t>(AddressRequest::Map),
                            .allocation = allocation,
                            .refused = refused});
  }
  void moves(std::uint32_t allocation) {
    add(ev::PagingDone{
        .operation = DXGK_OPERATION_VIRTUAL_TRANSFER, .allocation = allocation, .packet = 2});
  }
  void draws(std::uint32_t context) {
    add(ev::Submitted{.address = 0x7000, .packet = 9, .render = 7, .fence = 9, .context = context});
  }
  void right() { add(ev::MemoryChecked{.object = 9}); }
  void differs() {
    add(ev::MemoryDiffers{.where = static_cast<std::uint32_t>(MemoryPlace::Allocation),
                          .object = 3,
                          .cause_object = 9});
  }
  bool holds() { return TraceTest::holds("PT-027"); }
  std::uint32_t reached() { return times_reached("PT-027"); }
};

TEST_F(Pt027, ReachedByBoth) {
  maps(0, 3);
  maps(1, 3);
  moves(3);
  draws(2);
  right();
  draws(1);
  right();
  EXPECT_TRUE(holds());
  EXPECT_EQ(reached(), 2u);
}

TEST_F(Pt027, TheSecondIsLeftBehind) {
  maps(0, 3);
  maps(1, 3);
  moves(3);
  draws(2);
  differs();
  EXPECT_FALSE(holds());
}

TEST_F(Pt027, SoIsTheFirst) {
  maps(0, 3);
  maps(1, 3);
  moves(3);
  draws(1);
  differs();
  EXPECT_FALSE(holds());
}

TEST_F(Pt027, AnAccessFindsNothing) {
  maps(0, 3);
  maps(1, 3);
  moves(3);
  draws(2);
  add(ev::AccessFaulted{.address = 0x5000, .fence = 9, .packet = 9});
  add(ev::MarkerRead{.packet = 9, .expected = 1});
  EXPECT_FALSE(holds());
}

TEST_F(Pt027, WhatOneProcessHasIsNotItsAffair) {
  maps(0, 3);
  maps(1, 3, 1);
  maps(1, 4);
  moves(3);
  draws(1);
  differs();
  EXPECT_TRUE(holds());
  EXPECT_EQ(reached(), 0u);
}

TEST_F(Pt027, NorIsTheTilePoolOfAPrivilegedSpace) {
  maps(0, 3);
  maps(kPrivilegedSpaceNumber, 3);
  moves(3);
  draws(1);
  differs();
  EXPECT_TRUE(holds());
  EXPECT_EQ(reached(), 0u);
}

}  // namespace
}  // namespace wddm::pt_027
