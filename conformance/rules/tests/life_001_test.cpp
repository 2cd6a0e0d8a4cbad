// How DriverEntry may end.
#include "conformance/rules/tests/trace_test.h"

namespace wddm {
namespace {

constexpr std::uint32_t kNoMemory = 0xC0000017;

class Life001 : public TraceTest {
 protected:
  static ev::EntryReturned registered() {
    return {.initialize_calls = 1, .version = 0x4002, .same_object = 1, .same_path = 1};
  }
  bool holds() { return TraceTest::holds("LIFE-001"); }
};

TEST_F(Life001, DriverEntryRegistersOnce) {
  add(registered());
  EXPECT_TRUE(holds());
}

TEST_F(Life001, DriverEntryMayFailBeforeItRegisters) {
  add(ev::EntryReturned{.status = kNoMemory});
  EXPECT_TRUE(holds());
}

TEST_F(Life001, DriverEntryDoesNotSucceedWithoutRegistering) {
  add(ev::EntryReturned{});
  EXPECT_FALSE(holds());
}

TEST_F(Life001, DriverEntryReturnsTheStatusOfDxgkInitialize) {
  ev::EntryReturned entry = registered();
  entry.initialize_status = kNoMemory;
  add(entry);
  EXPECT_FALSE(holds());
}

}  // namespace
}  // namespace wddm
