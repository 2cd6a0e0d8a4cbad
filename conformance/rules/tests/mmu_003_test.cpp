// Descriptors of levels that there are and that there are not.
#include "conformance/rules/tests/trace_test.h"

namespace wddm::mmu_003 {
namespace {

constexpr std::uint32_t kInvalidParameter = 0xC000000D;

class Mmu003 : public TraceTest {
 protected:
  Mmu003() { add(ev::GpuMmuReported{.address_bits = 30, .levels = 2}); }
  void level(std::uint32_t level, std::uint32_t status = 0, std::uint32_t adapter = 0,
             std::uint32_t bytes = 4096) {
    add(ev::PageTableLevelReported{.physical_adapter = adapter,
                                   .level = level,
                                   .status = status,
                                   .index_bits = 9,
                                   .bytes = bytes});
  }
  bool holds() { return TraceTest::holds("MMU-003"); }
};

TEST_F(Mmu003, EachLevelTwiceAndNoOther) {
  level(0);
  level(1);
  level(0);
  level(1);
  level(2, kInvalidParameter);
  level(0, kInvalidParameter, 1);
  EXPECT_TRUE(holds());
  EXPECT_EQ(times_reached("MMU-003"), 6u);
}

TEST_F(Mmu003, ALevelIsRefused) {
  level(1, kInvalidParameter);
  EXPECT_FALSE(holds());
}

TEST_F(Mmu003, ALevelThatThereIsNotIsDescribed) {
  level(2);
  EXPECT_FALSE(holds());
}

TEST_F(Mmu003, AnAdapterThatThereIsNotIsDescribed) {
  level(0, 0, 1);
  EXPECT_FALSE(holds());
}

TEST_F(Mmu003, AnyFailureIsARefusal) {
  level(2, 0xC0000001);
  level(0, 0xC0000002, 1);
  EXPECT_TRUE(holds());
  EXPECT_EQ(times_reached("MMU-003"), 2u);
}

TEST_F(Mmu003, AnAnswerThatIsNotRepeated) {
  level(0);
  level(0, 0, 0, 8192);
  EXPECT_FALSE(holds());
}

TEST_F(Mmu003, AnotherStartHasTheSameTables) {
  level(0);
  add(ev::DeviceStarted{});
  level(0, 0, 0, 8192);
  EXPECT_FALSE(holds());
}

TEST_F(Mmu003, WhoGetsLessMakesDoWithLess) {
  level(0);
  op(OpKind::FailCallback);
  level(0, 0, 0, 8192);
  level(2);
  EXPECT_EQ(failures("MMU-003"), 1u) << "there is no such level all the same";
}

TEST_F(Mmu003, WithOtherResourcesThereMayBeOtherTables) {
  level(0);
  level(1);
  op(OpKind::Rebalance);
  add(ev::GpuMmuReported{.address_bits = 39, .levels = 3});
  level(0, 0, 0, 8192);
  level(2);
  level(0, 0, 0, 8192);
  level(3, kInvalidParameter);
  EXPECT_TRUE(holds());
  EXPECT_EQ(times_reached("MMU-003"), 6u);
  level(0);
  EXPECT_FALSE(holds());
}

TEST_F(Mmu003, GpusOfALinkAreAnothersMatter) {
  platform_.linked_adapters = 2;
  level(0, 0, 1, 8192);
  EXPECT_TRUE(holds());
  EXPECT_EQ(times_reached("MMU-003"), 0u);
}

}  // namespace
}  // namespace wddm::mmu_003
