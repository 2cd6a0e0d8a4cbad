// Lists that name instances of a renamed allocation.
#include "conformance/rules/tests/trace_test.h"

namespace wddm::bind_007 {
namespace {

class Bind007 : public TraceTest {
 protected:
  void created(std::uint32_t allocation) { add(ev::AllocationCreated{.allocation = allocation}); }
  /// Allocation 0 gets an instance in slot 1, and another in slot 2.
  void renamed_twice() {
    created(0);
    add(ev::AllocationRenamed{.allocation = 1, .original = 0, .instances = 2});
    add(ev::AllocationRenamed{.allocation = 2, .original = 0, .instances = 3});
  }
  void comes_again(std::uint32_t allocation) {
    add(ev::InstanceReused{.allocation = allocation, .original = 0});
  }
  struct List {
    std::uint32_t status = 0, hostile = 0;
  };
  /// Entry n of the list names allocation n, entry 4 none.
  void render(const std::vector<std::uint32_t>& entries) { render(entries, {}); }
  void render(const std::vector<std::uint32_t>& entries, const List& list) {
    add(ev::RenderCalled{.hostile = list.hostile},
        std::vector<AllocationRecord>{{.size = 4096, .allocation = 0},
                                      {.size = 4096, .allocation = 1},
                                      {.size = 4096, .allocation = 2},
                                      {.size = 4096, .allocation = 3},
                                      {.allocation = kNone}});
    std::vector<PatchRecord> elements;
    for (const std::uint32_t entry : entries) elements.push_back({.allocation_index = entry});
    add(
        ev::Rendered{
            .status = list.status, .dma_used = 64, .dma_given = 4096, .hostile = list.hostile},
        elements);
  }
  bool holds() { return TraceTest::holds("BIND-007"); }
  std::uint32_t times_reached() { return TraceTest::times_reached("BIND-007"); }
};

TEST_F(Bind007, InOrderWithinOneList) {
  renamed_twice();
  render({0, 0, 4, 1, 3, 1, 2});
  EXPECT_TRUE(holds());
  EXPECT_EQ(times_reached(), 2u);
}

TEST_F(Bind007, InOrderFromListToList) {
  renamed_twice();
  render({0});
  render({1});
  render({2});
  EXPECT_TRUE(holds());
  EXPECT_EQ(times_reached(), 2u);
}

TEST_F(Bind007, BackWithinOneList) {
  renamed_twice();
  render({1, 3, 0});
  EXPECT_EQ(failures("BIND-007"), 1u);
}

TEST_F(Bind007, BackInALaterList) {
  renamed_twice();
  render({2});
  render({3, 1});
  EXPECT_FALSE(holds());
}

TEST_F(Bind007, BackInALaterPass) {
  renamed_twice();
  render({1}, {.status = 0xC01E0001});  // STATUS_GRAPHICS_INSUFFICIENT_DMA_BUFFER
  render({0});
  EXPECT_FALSE(holds());
}

TEST_F(Bind007, TheOldestComesAgainAsTheNewest) {
  renamed_twice();
  render({0, 2});
  comes_again(0);
  render({2, 0});
  EXPECT_TRUE(holds());
  EXPECT_EQ(times_reached(), 2u);
}

TEST_F(Bind007, BackFromOneThatHasComeAgain) {
  renamed_twice();
  render({0, 1});
  comes_again(0);
  render({0, 1});
  EXPECT_EQ(failures("BIND-007"), 1u);
}

TEST_F(Bind007, AnInstanceThatHasComeAgainIsOlderThanTheNextOne) {
  renamed_twice();
  comes_again(0);
  comes_again(1);
  render({2, 0, 1});
  render({0});
  EXPECT_EQ(failures("BIND-007"), 1u);
}

TEST_F(Bind007, AListThatIsRejectedNamesNothing) {
  renamed_twice();
  render({2, 1});
  render({1});
  EXPECT_EQ(failures("BIND-007"), 1u);
}

TEST_F(Bind007, OneThatRenderRefusedNamesNothing) {
  renamed_twice();
  render({1}, {.status = 0xC000000D});  // STATUS_INVALID_PARAMETER
  render({0});
  EXPECT_TRUE(holds());
  EXPECT_EQ(times_reached(), 0u);
}

TEST_F(Bind007, UserModeThatLiesMayNameAnything) {
  renamed_twice();
  render({2, 0}, {.hostile = 1});
  EXPECT_TRUE(holds());
  EXPECT_EQ(times_reached(), 0u);
}

TEST_F(Bind007, OfOneInstanceAloneNothingIsJudged) {
  renamed_twice();
  render({0, 3, 0});
  EXPECT_TRUE(holds());
  EXPECT_EQ(times_reached(), 0u);
}

TEST_F(Bind007, AllocationsOfTheirOwnHaveNoOrder) {
  renamed_twice();
  created(3);
  render({3, 0});
  render({0, 3});
  EXPECT_TRUE(holds());
  EXPECT_EQ(times_reached(), 0u);
}

TEST_F(Bind007, OfTwoAllocationsEachHasItsOrder) {
  created(0);
  created(2);
  add(ev::AllocationRenamed{.allocation = 1, .original = 0, .instances = 2});
  add(ev::AllocationRenamed{.allocation = 3, .original = 2, .instances = 2});
  render({1, 2, 3});
  EXPECT_TRUE(holds());
  render({0});
  EXPECT_FALSE(holds());
}

TEST_F(Bind007, TheSlotsHaveOthersByNow) {
  renamed_twice();
  render({1});
  created(0);
  created(1);
  render({1, 0});
  EXPECT_TRUE(holds());
}

TEST_F(Bind007, TheSlotOfAnInstanceHasAnotherByNow) {
  renamed_twice();
  render({2});
  created(1);
  render({1});
  EXPECT_TRUE(holds());
}

}  // namespace
}  // namespace wddm::bind_007
