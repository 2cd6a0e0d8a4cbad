// Which comparisons of memory a DiscardContent is held against.
#include <d3dkmddi.h>

#include "conformance/rules/tests/trace_test.h"

namespace wddm::page_013 {
namespace {

class Page013 : public TraceTest {
 protected:
  void runs(std::uint32_t operation, std::uint32_t packet) {
    add(ev::PagingBuilt{.operation = operation}, std::vector<PagingArguments>{{.pages = 1}});
    add(ev::PagingDone{.operation = operation, .packet = packet});
  }
  void is_compared(std::uint32_t operation, std::uint32_t packet) {
    add(ev::MemoryChecked{
        .cause = kPaging, .object = packet, .operation = operation, .differences = 0});
  }
  void differs(std::uint32_t operation, std::uint32_t packet) {
    add(ev::MemoryDiffers{
        .length = 8, .cause = kPaging, .cause_object = packet, .operation = operation});
  }
  bool holds() { return TraceTest::holds("PAGE-013"); }
  std::uint32_t reached() { return times_reached("PAGE-013"); }

  static constexpr auto kPaging = static_cast<std::uint32_t>(MemoryCause::Paging);
  static constexpr std::uint32_t kPacket = 3;
};

TEST_F(Page013, OtherMemoryChanges) {
  runs(DXGK_OPERATION_DISCARD_CONTENT, kPacket);
  differs(DXGK_OPERATION_DISCARD_CONTENT, kPacket);
  EXPECT_FALSE(holds());
}

TEST_F(Page013, AlsoWhereThereIsNoPacket) {
  runs(DXGK_OPERATION_DISCARD_CONTENT, kNone);
  differs(DXGK_OPERATION_DISCARD_CONTENT, kNone);
  EXPECT_FALSE(holds());
}

TEST_F(Page013, NothingChanges) {
  runs(DXGK_OPERATION_DISCARD_CONTENT, kNone);
  is_compared(DXGK_OPERATION_DISCARD_CONTENT, kNone);
  EXPECT_TRUE(holds());
  EXPECT_EQ(reached(), 1u);
}

TEST_F(Page013, WhatAnotherOperationDoesIsAnotherMatter) {
  runs(DXGK_OPERATION_DISCARD_CONTENT, kPacket);
  runs(DXGK_OPERATION_FILL, kPacket + 1);
  differs(DXGK_OPERATION_FILL, kPacket + 1);
  EXPECT_TRUE(holds());
  EXPECT_EQ(reached(), 0u);
}

}  // namespace
}  // namespace wddm::page_013
