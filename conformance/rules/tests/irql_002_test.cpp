// Callbacks at each side of the levels that their pages name.
#include "conformance/rules/tests/trace_test.h"

namespace wddm::irql_002 {
namespace {

class Irql002 : public TraceTest {
 protected:
  bool may(CallbackId callback, Irql irql) {
    irql_ = static_cast<std::uint8_t>(irql);
    add(ev::CallbackCalled{.callback = static_cast<std::uint32_t>(callback)});
    return holds("IRQL-002");
  }
};

TEST_F(Irql002, NotifyDpcAtDispatchLevel) {
  EXPECT_TRUE(may(CallbackId::NotifyDpc, Irql::Dispatch));
  EXPECT_FALSE(may(CallbackId::NotifyDpc, Irql::Passive));
}

TEST_F(Irql002, HandlesBelowDispatchLevel) {
  EXPECT_TRUE(may(CallbackId::GetHandleData, Irql::Apc));
  EXPECT_FALSE(may(CallbackId::GetHandleData, Irql::Dispatch));
}

TEST_F(Irql002, QueueDpcAnywhere) {
  EXPECT_TRUE(may(CallbackId::QueueDpc, Irql::Device));
  EXPECT_TRUE(may(CallbackId::QueueDpc, Irql::Passive));
}

}  // namespace
}  // namespace wddm::irql_002
