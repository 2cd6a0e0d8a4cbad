// What buffers with commands for kernel mode alone change.
#include "conformance/host/adapter/objects/object_slots.h"
#include "conformance/rules/tests/trace_test.h"

namespace wddm::proc_010 {
namespace {

constexpr auto kRender = static_cast<std::uint32_t>(MemoryCause::Render);
constexpr auto kPaging = static_cast<std::uint32_t>(MemoryCause::Paging);
constexpr std::uint32_t kMalformed = 0xC000000D;

class Proc010 : public TraceTest {
 protected:
  void builds(std::uint32_t seen = 1) {
    add(ev::PrivilegedBuilt{
        .address = 0x10000200, .render = 3, .allocation = 1, .segment = 1, .seen = seen});
  }
  void submits(std::uint32_t packet = 5, std::uint32_t render = 3, std::uint32_t status = 0) {
    add(ev::Submitted{.packet = packet, .render = render, .fence = packet, .status = status});
  }
  void compares(std::uint32_t differences = 0, std::uint32_t packet = 5) {
    add(ev::MemoryChecked{.cause = kRender, .object = packet, .differences = differences});
  }
  void differs(std::uint32_t allocation = 1, std::uint32_t packet = 5,
               std::uint32_t cause = kRender) {
    add(ev::MemoryDiffers{
        .object = allocation, .length = 8, .cause = cause, .cause_object = packet});
  }
};

TEST_F(Proc010, ItDoesNothing) {
  builds();
  submits();
  EXPECT_EQ(times_reached("PROC-010"), 0u) << "nobody has looked yet";
  compares();
  EXPECT_TRUE(holds("PROC-010"));
  EXPECT_EQ(times_reached("PROC-010"), 1u);
}

TEST_F(Proc010, WhereNobodyLooksNothingIsJudged) {
  builds(0);
  submits();
  compares();
  EXPECT_EQ(times_reached("PROC-010"), 0u);
}

TEST_F(Proc010, ItIsRefused) {
  builds();
  submits(5, 3, kMalformed);
  compares();
  EXPECT_TRUE(holds("PROC-010"));
  EXPECT_EQ(times_reached("PROC-010"), 1u);
}

TEST_F(Proc010, ItWritesWhatAnotherHas) {
  builds();
  submits();
  compares(1);
  differs();
  EXPECT_EQ(failures("PROC-010"), 1u);
}

TEST_F(Proc010, ItWritesWhereNothingLies) {
  builds();
  submits();
  compares(1);
  add(ev::MemoryDiffers{.where = static_cast<std::uint32_t>(MemoryPlace::SystemPage),
                        .length = 8,
                        .cause = kRender,
                        .cause_object = 5});
  EXPECT_EQ(failures("PROC-010"), 1u);
}

TEST_F(Proc010, ItWritesThoughItsEngineIsReset) {
  builds();
  submits();
  add(ev::PacketEnded{.packet = 5, .fence = 5, .fate = 3});
  compares(1);
  differs();
  EXPECT_EQ(failures("PROC-010"), 1u);
}

TEST_F(Proc010, TheMarkOfPacketsEveryProcessHas) {
  builds();
  submits();
  compares(1);
  differs(host::kMarkerAllocation.value);
  EXPECT_TRUE(holds("PROC-010"));
}

TEST_F(Proc010, WhatOthersDoIsNotItsBusiness) {
  builds();
  submits();
  submits(6, 4);
  compares(1, 6);
  differs(1, 6);
  EXPECT_TRUE(holds("PROC-010"));
  EXPECT_EQ(times_reached("PROC-010"), 0u);
}

TEST_F(Proc010, WhereMemoryIsWrongBeforeNothingIsKnown) {
  builds();
  differs(1, 4, kPaging);
  submits();
  compares(1);
  differs();
  EXPECT_TRUE(holds("PROC-010"));
  EXPECT_EQ(times_reached("PROC-010"), 0u);
}

TEST_F(Proc010, BuffersWithoutSuchCommandsAreNoneOfItsBusiness) {
  submits();
  compares(1);
  differs();
  EXPECT_TRUE(holds("PROC-010"));
  EXPECT_EQ(times_reached("PROC-010"), 0u);
}

}  // namespace
}  // namespace wddm::proc_010
