// Which comparisons of memory a Fill is held against.
#include <d3dkmddi.h>

#include "conformance/rules/tests/trace_test.h"

namespace wddm::page_012 {
namespace {

class Page012 : public TraceTest {
 protected:
  void runs(std::uint32_t operation, std::uint32_t packet) {
    add(ev::PagingBuilt{.operation = operation}, std::vector<PagingArguments>{{.size = 4096}});
    add(ev::PagingDone{.operation = operation, .packet = packet});
  }
  void is_compared(std::uint32_t operation, std::uint32_t packet) {
    add(ev::MemoryChecked{.cause = kPaging, .object = packet, .operation = operation});
  }
  void differs(std::uint32_t operation, std::uint32_t packet, std::uint32_t inside) {
    add(ev::MemoryDiffers{.length = 8,
                          .cause = kPaging,
                          .cause_object = packet,
                          .operation = operation,
                          .inside = inside});
  }
  bool holds() { return TraceTest::holds("PAGE-012"); }
  std::uint32_t reached() { return times_reached("PAGE-012"); }

  static constexpr auto kPaging = static_cast<std::uint32_t>(MemoryCause::Paging);
  static constexpr std::uint32_t kPacket = 3;
};

TEST_F(Page012, ThePatternAndNothingElse) {
  runs(DXGK_OPERATION_FILL, kPacket);
  is_compared(DXGK_OPERATION_FILL, kPacket);
  EXPECT_TRUE(holds());
  EXPECT_EQ(reached(), 1u);
}

TEST_F(Page012, AnotherPattern) {
  runs(DXGK_OPERATION_FILL, kPacket);
  differs(DXGK_OPERATION_FILL, kPacket, 1);
  EXPECT_FALSE(holds());
}

TEST_F(Page012, BytesBesideTheRange) {
  runs(DXGK_OPERATION_FILL, kPacket);
  differs(DXGK_OPERATION_FILL, kPacket, 0);
  EXPECT_FALSE(holds());
}

TEST_F(Page012, WhatTheCpuFillsAtOnce) {
  runs(DXGK_OPERATION_FILL, kNone);
  is_compared(DXGK_OPERATION_FILL, kNone);
  EXPECT_EQ(reached(), 1u);
  differs(DXGK_OPERATION_FILL, kNone, 1);
  EXPECT_FALSE(holds());
}

TEST_F(Page012, WhatATransferDoesIsAnotherMatter) {
  runs(DXGK_OPERATION_FILL, kPacket);
  runs(DXGK_OPERATION_TRANSFER, kPacket + 1);
  differs(DXGK_OPERATION_TRANSFER, kPacket + 1, 1);
  EXPECT_TRUE(holds());
  EXPECT_EQ(reached(), 0u);
}

}  // namespace
}  // namespace wddm::page_012
