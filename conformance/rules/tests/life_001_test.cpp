// How DriverEntry may end.
#include <dispmprt.h>
#include <ntddk.h>

#include "conformance/rules/tests/trace_test.h"

namespace wddm::life_001 {
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

TEST_F(Life001, EveryVersionOfAKit) {
  for (const std::uint32_t version :
       {DXGKDDI_INTERFACE_VERSION_VISTA, DXGKDDI_INTERFACE_VERSION_WDDM2_1_5,
        DXGKDDI_INTERFACE_VERSION_WDDM3_2}) {
    ev::EntryReturned entry = registered();
    entry.version = version;
    add(entry);
  }
  EXPECT_TRUE(holds());
}

TEST_F(Life001, VersionsOfNoKit) {
  for (const std::uint32_t version :
       {0, 1, DXGKDDI_INTERFACE_VERSION_WDDM2_6 + 4, DXGKDDI_INTERFACE_VERSION_WDDM3_0 - 1}) {
    ev::EntryReturned entry = registered();
    entry.version = version;
    add(entry);
  }
  EXPECT_EQ(failures("LIFE-001"), 4u);
}

TEST_F(Life001, ANewerVersionThanIsKnown) {
  ev::EntryReturned entry = registered();
  entry.version = DXGKDDI_INTERFACE_VERSION_WDDM3_2 + 1;
  add(entry);
  EXPECT_TRUE(holds());
}

}  // namespace
}  // namespace wddm::life_001
