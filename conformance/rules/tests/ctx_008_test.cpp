// What runs before a context allocation is initialized.
#include <d3dkmddi.h>

#include "conformance/rules/tests/trace_test.h"

namespace wddm::ctx_008 {
namespace {

class Ctx008 : public TraceTest {
 protected:
  void makes(std::uint32_t number, std::uint32_t context, std::uint32_t device = kNone) {
    add(ev::ContextAllocationMade{.number = number, .context = context, .device = device});
  }
  void initializes(std::uint32_t number) {
    add(ev::ContextAllocationWritten{.operation = DXGK_OPERATION_INIT_CONTEXT_RESOURCE,
                                     .number = number});
  }
  void submits(std::uint32_t context) { add(ev::Submitted{.packet = 5, .context = context}); }
};

TEST_F(Ctx008, FirstInitializedThenUsed) {
  makes(0, 1);
  initializes(0);
  submits(1);
  EXPECT_TRUE(holds("CTX-008"));
  EXPECT_EQ(times_reached("CTX-008"), 1u);
}

TEST_F(Ctx008, UsedBefore) {
  makes(0, 1);
  submits(1);
  initializes(0);
  EXPECT_FALSE(holds("CTX-008"));
}

TEST_F(Ctx008, AnotherContextMayRun) {
  makes(0, 1);
  submits(2);
  EXPECT_TRUE(holds("CTX-008"));
}

TEST_F(Ctx008, OneOfTheDeviceIsEveryContexts) {
  makes(0, kNone, 3);
  add(ev::BufferBuilt{.context = 2, .device = 3});
  submits(2);
  EXPECT_FALSE(holds("CTX-008"));
}

TEST_F(Ctx008, OneThatIsGoneNeedsNothing) {
  makes(0, 1);
  add(ev::CallbackCalled{.callback =
                             static_cast<std::uint32_t>(CallbackId::DestroyContextAllocation)});
  submits(1);
  EXPECT_TRUE(holds("CTX-008"));
}

}  // namespace
}  // namespace wddm::ctx_008
