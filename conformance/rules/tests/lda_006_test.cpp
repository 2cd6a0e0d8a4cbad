// Entries that name another owner of their page than they were to.
#include <d3dkmddi.h>

#include "conformance/rules/tests/trace_test.h"

namespace wddm::lda_006 {
namespace {

using namespace entry_flag;

class Lda006 : public TraceTest {
 protected:
  void writes(EntryRecord wanted, EntryRecord seen, std::uint32_t level = 0) {
    add(ev::TableUpdated{.level = level, .count = 1, .mode = 2, .physical_adapter = 1},
        std::vector<EntryRecord>{wanted});
    add(
        ev::TableCompared{
            .update = updates_++, .level = level, .decoded = 1, .wrong = 1, .physical_adapter = 1},
        std::vector<EntryDifference>{{.expected = wanted, .seen = seen}});
  }
  std::size_t failures() { return TraceTest::failures("LDA-006"); }
  std::uint32_t updates_ = 0;
};

TEST_F(Lda006, AnEntryThatNamesAnotherOwnerFails) {
  writes({.address = 0x1000, .flags = kValid}, {.address = 0x1000, .flags = kValid, .adapter = 1});
  EXPECT_EQ(failures(), 1u);
}

TEST_F(Lda006, OtherMistakesAreOtherClauses) {
  writes({.address = 0x1000, .flags = kValid}, {.address = 0x2000, .flags = kValid});
  EXPECT_EQ(failures(), 0u);
  EXPECT_EQ(times_reached("LDA-006"), 1u);
}

TEST_F(Lda006, SystemMemoryAndPointersHaveNoOwner) {
  writes({.address = 0x1000, .flags = kValid | kSystem},
         {.address = 0x1000, .flags = kValid | kSystem, .adapter = 1});
  writes({.address = 0x1000, .flags = kValid}, {.address = 0x1000, .flags = kValid, .adapter = 1},
         1);
  EXPECT_EQ(failures(), 0u);
  EXPECT_EQ(times_reached("LDA-006"), 0u);
}

class Lda006Commands : public Lda006 {
 protected:
  void draws_on(std::uint32_t gpu) { add(ev::Submitted{.packet = 9, .engine = gpu}); }
  void is_right() {
    add(ev::MemoryChecked{.cause = static_cast<std::uint32_t>(MemoryCause::Render), .object = 9});
  }
  void differs_on(std::uint32_t gpu) {
    add(ev::MemoryDiffers{.cause = static_cast<std::uint32_t>(MemoryCause::Render),
                          .cause_object = 9,
                          .physical_adapter = gpu});
  }
};

TEST_F(Lda006Commands, ThatMissTheMemoryOfAPeer) {
  draws_on(0);
  differs_on(1);
  EXPECT_EQ(failures(), 1u);
}

TEST_F(Lda006Commands, OfAnotherGpuThatMissTheMemoryOfTheFirst) {
  draws_on(1);
  differs_on(0);
  EXPECT_EQ(failures(), 1u);
}

TEST_F(Lda006Commands, OfTheFirstGpuThatAreRightShowNothingOfOwners) {
  draws_on(0);
  is_right();
  EXPECT_EQ(times_reached("LDA-006"), 0u);
}

TEST_F(Lda006Commands, OfAnotherGpuThatAreRightDo) {
  draws_on(1);
  is_right();
  EXPECT_EQ(failures(), 0u);
  EXPECT_EQ(times_reached("LDA-006"), 1u);
}

TEST_F(Lda006Commands, OfTheFirstGpuInItsOwnMemoryAreOtherClauses) {
  draws_on(0);
  differs_on(0);
  EXPECT_EQ(failures(), 0u);
}

class Lda006Fills : public Lda006 {
 protected:
  // By a GPU, and compared with what memory was to be.
  void fills_on(std::uint32_t gpu) {
    constexpr std::uint32_t kFill = DXGK_OPERATION_VIRTUAL_FILL;
    add(ev::PagingBuilt{.operation = kFill}, std::vector<PagingArguments>{{}});
    add(ev::Submitted{.packet = 9, .paging = 1, .engine = gpu});
    add(ev::PagingDone{.operation = kFill, .packet = 9});
    add(ev::MemoryChecked{
        .cause = static_cast<std::uint32_t>(MemoryCause::Paging), .object = 9, .operation = kFill});
  }
};

TEST_F(Lda006Fills, OfTheFirstGpuShowNothingOfOwners) {
  fills_on(0);
  EXPECT_EQ(times_reached("LDA-006"), 0u);
}

TEST_F(Lda006Fills, OfAnotherGpuDo) {
  fills_on(1);
  EXPECT_EQ(failures(), 0u);
  EXPECT_EQ(times_reached("LDA-006"), 1u);
}

}  // namespace
}  // namespace wddm::lda_006
