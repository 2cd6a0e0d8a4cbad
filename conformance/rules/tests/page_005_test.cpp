// Memory after transfers, after those in part, and after fills.
#include "conformance/rules/tests/paging_test.h"

namespace wddm::page_005 {
namespace {

class MemoryOf : public PagingTest {
 protected:
  void operation(std::uint32_t kind, const PagingArguments& arguments = {}) {
    built(kind, arguments);
    done(kind);
  }
  // Judged, and by what memory holds.
  void is_judged(const char* id, std::uint32_t kind) {
    checked(kind);
    EXPECT_TRUE(holds(id));
    EXPECT_EQ(times_reached(id), 1u);
    differs(kind);
    EXPECT_FALSE(holds(id));
  }
  void is_not_judged(const char* id, std::uint32_t kind) {
    checked(kind);
    differs(kind);
    EXPECT_TRUE(holds(id));
    EXPECT_EQ(times_reached(id), 0u);
  }
};

using Page005 = MemoryOf;
TEST_F(Page005, ATransfer) {
  operation(DXGK_OPERATION_TRANSFER);
  is_judged("PAGE-005", DXGK_OPERATION_TRANSFER);
}
TEST_F(Page005, NoFill) {
  operation(DXGK_OPERATION_FILL);
  is_not_judged("PAGE-005", DXGK_OPERATION_FILL);
}

using Page006 = MemoryOf;
TEST_F(Page006, ATransferWithAnOffset) {
  operation(DXGK_OPERATION_TRANSFER, {.offset = 4096});
  is_judged("PAGE-006", DXGK_OPERATION_TRANSFER);
}
TEST_F(Page006, NoneWithout) {
  operation(DXGK_OPERATION_TRANSFER, {.mdl_offset = 1});
  is_not_judged("PAGE-006", DXGK_OPERATION_TRANSFER);
}

using Page007Memory = MemoryOf;
TEST_F(Page007Memory, ScatteredSystemMemory) {
  operation(DXGK_OPERATION_TRANSFER, {.destination_segment = 1, .scattered = 1});
  is_judged("PAGE-007", DXGK_OPERATION_TRANSFER);
}
TEST_F(Page007Memory, NoneBetweenSegments) {
  operation(DXGK_OPERATION_TRANSFER,
            {.source_segment = 2, .destination_segment = 1, .scattered = 1});
  is_not_judged("PAGE-007", DXGK_OPERATION_TRANSFER);
}
TEST_F(Page007Memory, NoneInARow) {
  operation(DXGK_OPERATION_TRANSFER, {.destination_segment = 1});
  is_not_judged("PAGE-007", DXGK_OPERATION_TRANSFER);
}

using Page012Memory = MemoryOf;
TEST_F(Page012Memory, AFill) {
  operation(DXGK_OPERATION_FILL);
  is_judged("PAGE-012", DXGK_OPERATION_FILL);
}
TEST_F(Page012Memory, NoTransfer) {
  operation(DXGK_OPERATION_TRANSFER);
  is_not_judged("PAGE-012", DXGK_OPERATION_TRANSFER);
}

using Vpage001 = MemoryOf;
TEST_F(Vpage001, AFillOfAddresses) {
  operation(DXGK_OPERATION_VIRTUAL_FILL);
  is_judged("VPAGE-001", DXGK_OPERATION_VIRTUAL_FILL);
}
TEST_F(Vpage001, NoFillOfASegment) {
  operation(DXGK_OPERATION_FILL);
  is_not_judged("VPAGE-001", DXGK_OPERATION_FILL);
}

using Vpage003 = MemoryOf;
TEST_F(Vpage003, PagesThatLieApart) {
  operation(DXGK_OPERATION_VIRTUAL_TRANSFER, {.size = 8192, .scattered = 1});
  is_judged("VPAGE-003", DXGK_OPERATION_VIRTUAL_TRANSFER);
}
TEST_F(Vpage003, NoneInARow) {
  operation(DXGK_OPERATION_VIRTUAL_TRANSFER, {.size = 8192});
  is_not_judged("VPAGE-003", DXGK_OPERATION_VIRTUAL_TRANSFER);
}
TEST_F(Vpage003, NoneOfOnePage) {
  operation(DXGK_OPERATION_VIRTUAL_FILL, {.size = 4096, .scattered = 1});
  is_not_judged("VPAGE-003", DXGK_OPERATION_VIRTUAL_FILL);
}

}  // namespace
}  // namespace wddm::page_005
