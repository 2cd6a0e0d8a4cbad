// Answers and accounts of BuildPagingBuffer that the built-in driver does not give.
#include <d3dkmddi.h>

#include "conformance/rules/tests/tables_test.h"

namespace wddm::pt_013 {
namespace {

class Pt013 : public TraceTest {
 protected:
  Pt013() { add(ev::SegmentsReported{.paging_bytes = 4096}); }
  static ev::PagingBuilt call(NTSTATUS status, std::int32_t used) {
    return {.operation = DXGK_OPERATION_UPDATE_PAGE_TABLE,
            .status = static_cast<std::uint32_t>(status),
            .given = 256,
            .used = used};
  }
};

TEST_F(Pt013, SuccessWithinTheBufferPasses) {
  add(call(STATUS_SUCCESS, 256));
  EXPECT_TRUE(holds("PT-013"));
  EXPECT_EQ(times_reached("PT-013"), 1u);
}

TEST_F(Pt013, OtherStatusesDoNot) {
  add(call(STATUS_NOT_SUPPORTED, 0));
  EXPECT_FALSE(holds("PT-013"));
}

TEST_F(Pt013, MoreThanThereIsDoesNot) {
  add(call(STATUS_SUCCESS, 260));
  EXPECT_FALSE(holds("PT-013"));
}

TEST_F(Pt013, BytesBehindTheBufferAreNobodys) {
  add(call(STATUS_GRAPHICS_INSUFFICIENT_DMA_BUFFER, 256));
  add(ev::GuardDamaged{.area = static_cast<std::uint32_t>(GuardArea::PagingBuffer),
                       .object = DXGK_OPERATION_UPDATE_PAGE_TABLE,
                       .first = 256,
                       .bytes = 8});
  EXPECT_FALSE(holds("PT-013"));
}

TEST_F(Pt013, OperationsOfPatchListsAreNotJudged) {
  ev::PagingBuilt transfer = call(STATUS_NOT_SUPPORTED, 0);
  transfer.operation = DXGK_OPERATION_TRANSFER;
  add(transfer);
  EXPECT_EQ(times_reached("PT-013"), 0u);
}

TEST_F(Pt013, GivingUpCountsInBuffersOfTheSizeAskedFor) {
  ev::PagingBuilt idle = call(STATUS_GRAPHICS_INSUFFICIENT_DMA_BUFFER, 0);
  add(idle);
  add(ev::PagingDone{.operation = DXGK_OPERATION_UPDATE_PAGE_TABLE, .passes = 2, .gave_up = 1});
  EXPECT_TRUE(holds("PT-013"));
  idle.given = 4096;
  add(idle);
  add(ev::PagingDone{.operation = DXGK_OPERATION_UPDATE_PAGE_TABLE, .passes = 2, .gave_up = 1});
  EXPECT_FALSE(holds("PT-013"));
}

class Pt013Copies : public TraceTest {
 protected:
  void copied(std::uint32_t pass, std::uint32_t unlike) {
    add(ev::PagingBuilt{
        .operation = DXGK_OPERATION_COPY_PAGE_TABLE_ENTRIES, .given = 256, .pass = pass});
    add(ev::EntriesCopied{.count = 8, .read = 8, .unlike = unlike, .ranges = 1});
  }
};

TEST_F(Pt013Copies, InSeveralBuffersTheyAreWhole) {
  copied(1, 0);
  EXPECT_TRUE(holds("PT-013"));
  EXPECT_EQ(times_reached("PT-013"), 2u) << "the call, and what came of it";
}

TEST_F(Pt013Copies, InSeveralBuffersTheRestIsMissing) {
  copied(1, 4);
  EXPECT_FALSE(holds("PT-013"));
}

TEST_F(Pt013Copies, InOneBufferTheyAreAnothersMatter) {
  copied(0, 4);
  EXPECT_TRUE(holds("PT-013"));
}

class Pt013BehindAReset : public TablesTest {
 protected:
  void built(NTSTATUS status, std::uint32_t given = 256) {
    add(ev::PagingBuilt{.operation = DXGK_OPERATION_UPDATE_PAGE_TABLE,
                        .status = static_cast<std::uint32_t>(status),
                        .given = given});
  }
  void in_its_middle() {
    built(STATUS_GRAPHICS_INSUFFICIENT_DMA_BUFFER);
    add(ev::AdapterReset{.stage = 0, .cause = 1});
    add(ev::AdapterReset{.stage = 1, .cause = 1});
  }
  void whole(std::uint32_t given = 256) {
    built(STATUS_SUCCESS, given);
    one({.address = 0x5000, .flags = kValid}, {.address = 0x5000, .flags = kValid});
  }
  void wrong() {
    built(STATUS_SUCCESS);
    one({.address = 0x5000, .flags = kValid}, {});
  }
};

TEST_F(Pt013BehindAReset, TheNextIsWhole) {
  in_its_middle();
  whole();
  EXPECT_TRUE(holds("PT-013"));
  EXPECT_EQ(times_reached("PT-013"), 3u) << "two calls, and what became of the second";
}

TEST_F(Pt013BehindAReset, TheNextGoesOnWithWhatHasEnded) {
  in_its_middle();
  wrong();
  EXPECT_FALSE(holds("PT-013"));
}

TEST_F(Pt013BehindAReset, SoItIsBehindARemoval) {
  built(STATUS_GRAPHICS_INSUFFICIENT_DMA_BUFFER);
  add(ev::SurpriseRemoved{.type = 1, .outstanding = 1});
  wrong();
  EXPECT_FALSE(holds("PT-013"));
}

// Tables of the paging process are begun by the CPU.
TEST_F(Pt013BehindAReset, WhatTheCpuWritesMeanwhileIsNotMeant) {
  in_its_middle();
  whole(0);
  wrong();
  EXPECT_FALSE(holds("PT-013"));
}

TEST_F(Pt013BehindAReset, TheNextButOneIsAnothersMatter) {
  in_its_middle();
  whole();
  wrong();
  EXPECT_TRUE(holds("PT-013"));
}

TEST_F(Pt013BehindAReset, WithoutAResetOneBufferIsAnothersMatter) {
  built(STATUS_GRAPHICS_INSUFFICIENT_DMA_BUFFER);
  wrong();
  EXPECT_TRUE(holds("PT-013"));
}

}  // namespace
}  // namespace wddm::pt_013
