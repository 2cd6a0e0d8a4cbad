// What InitContextResource has left in a context allocation.
#include <d3dkmddi.h>

#include "conformance/rules/tests/trace_test.h"

namespace wddm::ctx_007 {
namespace {

class Ctx007 : public TraceTest {
 protected:
  void written(std::uint32_t changed, std::uint32_t operation, NTSTATUS status = STATUS_SUCCESS) {
    add(ev::ContextAllocationWritten{.size = 4096,
                                     .operation = operation,
                                     .status = static_cast<std::uint32_t>(status),
                                     .changed = changed});
  }
  void initialized(std::uint32_t changed, NTSTATUS status = STATUS_SUCCESS) {
    written(changed, DXGK_OPERATION_INIT_CONTEXT_RESOURCE, status);
  }
  bool holds() { return TraceTest::holds("CTX-007"); }
  std::uint32_t reached() { return times_reached("CTX-007"); }
};

TEST_F(Ctx007, NothingIsWritten) {
  initialized(0);
  EXPECT_FALSE(holds());
}

TEST_F(Ctx007, SomethingIs) {
  initialized(8);
  EXPECT_TRUE(holds());
  EXPECT_EQ(reached(), 1u);
}

TEST_F(Ctx007, WhatCannotBeSeenIsNotJudged) {
  initialized(kNone);
  EXPECT_TRUE(holds());
  EXPECT_EQ(reached(), 0u);
}

TEST_F(Ctx007, ARefusalIsAnotherMatter) {
  initialized(0, STATUS_UNSUCCESSFUL);
  EXPECT_TRUE(holds());
  EXPECT_EQ(reached(), 0u);
}

TEST_F(Ctx007, OneOfAnotherSizeMayNeedNoContent) {
  initialized(8);
  add(ev::ContextAllocationWritten{
      .size = 12288, .operation = DXGK_OPERATION_INIT_CONTEXT_RESOURCE, .changed = 0});
  EXPECT_TRUE(holds());
  EXPECT_EQ(reached(), 1u);
}

TEST_F(Ctx007, OneOfTheSameSizeHasToo) {
  initialized(8);
  initialized(0);
  EXPECT_FALSE(holds());
}

TEST_F(Ctx007, WhatAResetHasLostIsNotThere) {
  add(ev::PagingBuilt{.operation = DXGK_OPERATION_INIT_CONTEXT_RESOURCE});
  add(ev::PacketEnded{.fate = static_cast<std::uint32_t>(PacketFate::Lost), .paging = 1});
  initialized(0);
  EXPECT_TRUE(holds());
}

TEST_F(Ctx007, AnUpdateMayWriteWhatIsThere) {
  written(0, DXGK_OPERATION_UPDATE_CONTEXT_ALLOCATION);
  EXPECT_TRUE(holds());
}

}  // namespace
}  // namespace wddm::ctx_007
