// Answers and accounts of BuildPagingBuffer that the built-in driver does not give.
#include <d3dkmddi.h>

#include "conformance/rules/tests/trace_test.h"

namespace wddm {
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

}  // namespace
}  // namespace wddm
